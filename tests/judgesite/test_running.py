"""A question from the shell beside a running judge."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.test.utils import override_settings

from judgesite import paths, running
from judgesite.paths import CHECKOUT
from judgesite.running import NotRunningError, announced, ask_running
from tests.calls.doors import Says, edition, judge_says
from tests.calls.replies import EVERY_KIND, answered
from tests.loopback import Answer, Loopback, loopback

__all__ = ["edition", "judge_says"]

REPLY = {"kind": "not_found", "edition": "2031-02-03", "notices": [], "spans": [], "message": "No card is called “x”."}


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """What seems to be a running judge, on record in a JUDGE_HOME of its own."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path))
    with loopback() as server:
        server.answers["/api/health"] = [Answer(b'{"ok": true}')]
        server.answers["/api/judge"] = [Answer(json.dumps(REPLY).encode())]
        with announced(_Listener(server.url)):  # type: ignore[arg-type]  # its address is all that is looked at
            yield server


class _Listener:
    def __init__(self, url: str) -> None:
        self._port = int(url.rsplit(":", 1)[1])

    def getsockname(self) -> tuple[str, int]:
        return "127.0.0.1", self._port


def test_the_running_judge_answers_and_is_shown_the_owners_token(
    judge: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask_running(["what", "is x?", "--private", "--pin", "bob=Dark Confidant"]) == 4
    assert capsys.readouterr().out == "No card is called “x”.\n"
    path, headers = judge.requests[-1]
    assert path == "/api/judge"
    assert headers["x-judge-owner"] == paths.owner_token()
    assert json.loads(judge.bodies[-1]) == {
        "question": "what is x?",
        "pins": [{"span": "bob", "name": "Dark Confidant"}],
        "private": True,
    }


def test_json_is_the_object_as_it_came(judge: Loopback, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask_running(["x?", "--json"]) == 4
    assert json.loads(capsys.readouterr().out) == REPLY


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/api/health", Answer(b'{"ok": false}')),
        ("/api/health", Answer(b'{"ok": true}', 503)),
        ("/api/judge", Answer(b'{"kind": "error", "message": "the question is empty"}', 400)),
        ("/api/judge", Answer(b"<html>", 200)),
    ],
    ids=["no data yet", "down", "its words are the command's", "no judge at all"],
)
def test_what_cannot_be_answered_there_is_left_to_the_command(judge: Loopback, path: str, answer: Answer) -> None:
    judge.answers[path] = [answer]
    with pytest.raises(NotRunningError):
        ask_running(["x?"])


@pytest.mark.parametrize("arguments", [[], ["--help"], ["x?", "--pin", "bob"], ["x?", "--nonsense"], ["-"]])
def test_what_needs_other_words_than_an_answer_is_left_to_the_command(judge: Loopback, arguments: list[str]) -> None:
    with pytest.raises(NotRunningError):
        ask_running(arguments)
    assert judge.requests == []


def test_a_judge_with_another_database_is_not_asked(judge: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://other/other")
    with pytest.raises(NotRunningError):
        ask_running(["x?"])
    assert judge.requests == []


def test_an_address_that_nobody_holds_any_more_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with announced(listener):
            assert running._address() == ("127.0.0.1", listener.getsockname()[1])
        with pytest.raises(NotRunningError):
            running._address()


def test_asking_a_running_judge_loads_no_django(judge: Loopback) -> None:
    code = "import sys\nfrom judgesite.launcher import launch\nlaunch(['ask', 'x?'])\nprint('django' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=CHECKOUT, env=os.environ, capture_output=True, text=True, check=True
    )
    assert done.stdout == "No card is called “x”.\nFalse\n"


def test_the_token_is_for_the_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path))
    assert len(paths.owner_token()) > 40
    assert (tmp_path / "owner_token").stat().st_mode & 0o077 == 0


@pytest.mark.django_db
@pytest.mark.parametrize(("token", "kinds"), [("t0ken", ["answer", "answer"]), ("other", ["answer", "rate_limited"])])
@override_settings(JUDGE_OWNER_TOKEN="t0ken", JUDGE_QUESTIONS_PER_WINDOW=1)
def test_the_owner_is_never_limited_and_others_are(
    judge_says: Says, edition: Any, token: str, kinds: list[str]
) -> None:
    judge = judge_says(answered())
    said = [
        Client()
        .post("/api/judge", {"question": "does owl look?"}, "application/json", headers={"X-Judge-Owner": token})
        .json()["kind"]
        for _ in range(2)
    ]
    assert said == kinds
    assert judge.asked[0][0].door == ("cli" if token == "t0ken" else "api")
    assert set(kinds) <= set(EVERY_KIND)
