"""script/judge with a key in the environment, as a person runs it, against a provider on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgesite.embedded import Server
from judgesite.paths import CHECKOUT
from tests import providers
from tests.providers import FakeProvider, Step, said, status

_SECONDS = 180  # a first start on a busy machine
_KEY = "sk-very-secret"
QUESTION = "How much life does a player have when the game begins?"
FORM = {
    "spans": [],
    "question_en": QUESTION,
    "concepts": ["each player begins the game with twenty life"],
    "sections": ["119"],
    "primary": "other",
    "secondary": [],
    "source": "cr",
    "answer_language": "en",
}
VERDICT = {
    "working": "119.1 decides.",
    "citations": [{"kind": "rule", "id": "119.1", "quote": "Each player begins the game with twenty life."}],
    "answer": "Twenty life: that is what each player has when the game begins [1].",
    "confidence": "high",
}

Run = subprocess.CompletedProcess[str]


class Home:
    """A JUDGE_HOME with the sample loaded, and the commands run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        kept = ("JUDGE_", "DATABASE_URL", "DJANGO_", "ANTHROPIC_", "OPENAI_", "VOYAGE_")
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(kept)} | {
            "JUDGE_HOME": str(folder),
            "JUDGE_VENV": os.environ.get("JUDGE_VENV", sys.prefix),
            "JUDGE_OFFLINE": "1",
            "JUDGE_EMBEDDER": "none",
        }

    def run(self, *arguments: str, **environment: str) -> Run:
        return subprocess.run(
            [CHECKOUT / "script" / "judge", *arguments],
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )

    def ask(self, *script: Step) -> tuple[Run, FakeProvider]:
        """Asks with nothing but the two variables set."""
        with providers.anthropic(*script) as fake:
            return self.run("ask", QUESTION, "--json", ANTHROPIC_API_KEY=_KEY, ANTHROPIC_BASE_URL=fake.url), fake


@pytest.fixture
def home(open_folder: Path) -> Iterator[Home]:
    yield Home(open_folder)
    Server.of(open_folder).stop()


def test_a_key_in_the_environment_is_all_and_whatever_fails_is_said(home: Home) -> None:
    answered, fake = home.ask(said(json.dumps(FORM)), said(json.dumps(VERDICT)))
    reply = json.loads(answered.stdout)
    assert (answered.returncode, reply["kind"]) == (0, "answer"), answered.stderr
    assert reply["answer"] == VERDICT["answer"]
    assert [citation["label"] for citation in reply["citations"]] == ["119.1 Life"]
    assert len(fake.requests) == 2

    wrong_key, fake = home.ask(*[status(401, f"invalid key {_KEY}")] * 2)
    reply = json.loads(wrong_key.stdout)
    assert (wrong_key.returncode, reply["kind"]) == (0, "extractive"), wrong_key.stderr
    assert reply["reason"].startswith("The language model ")
    assert reply["citations"]
    assert len(fake.requests) == 2

    file = home.folder / "judge.toml"
    file.write_text(
        '[providers.c]\nkind = "anthropic"\n[stages.synth]\nprovider = "c"\nmodel = "m"\n[spend]\ncap = 0\n'
    )
    no_money, fake = home.ask()
    assert no_money.stdout, no_money.stderr
    reply = json.loads(no_money.stdout)
    assert (no_money.returncode, reply["kind"]) == (0, "extractive"), no_money.stderr
    assert reply["reason"].startswith("The spending limit of this judge is reached.")
    assert fake.requests == []

    file.write_text("[stages.sinth]\n")
    broken, _ = home.ask()
    assert broken.returncode == 2
    assert "stages.sinth is no key that is known; did you mean 'synth'?" in broken.stderr
    assert "Traceback" not in broken.stderr
    assert "incident" not in broken.stderr

    for done in (answered, wrong_key, no_money, broken):
        assert _KEY not in done.stdout + done.stderr
    logs = "".join(log.read_text() for log in (home.folder / "log").iterdir())
    assert _KEY not in logs


def test_the_set_up_is_told_without_a_key_too(home: Home) -> None:
    told = home.run("config")
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines()[0] == "set-up from: defaults"
    assert "synth: none: answers are sets of quoted passages" in told.stdout
    checked = home.run("check", JUDGE_CONFIG="/nowhere/judge.toml")
    assert checked.returncode == 1
    assert "/nowhere/judge.toml: No such file or directory" in checked.stderr
