"""manage.py evaluate names, evaluate extraction and benchmark names, on a tiny set of invented cards."""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from cards.models import Card, CardFace, PrintedName
from curation.models import CardAlias
from judge.folding import fold_name

pytestmark = pytest.mark.django_db

CASES = """
cases:
- {id: nickname, text: does dave trigger, span: dave, expect: resolved, cards: [Mirelight Warden], note: nickname}
- {id: typo, text: mireligt warden dies, span: mireligt warden, expect: resolved, cards: [Mirelight Warden]}
- {id: old name, text: old warden dies, span: old warden, expect: resolved, cards: [Bog Warden]}
- {id: bracket, text: "what is [[dave]]", span: dave, expect: ambiguous, cards: [Mirelight Warden]}
- {id: word, text: i shelter behind it, span: shelter, expect: notfound, mention: false, note: a word}
"""
GOLD = """
questions:
- {id: named, question: does dave trigger when Kovash dies, cards: [Mirelight Warden, Kovash], expected_rules: []}
- id: follow-up
  question: and if it blocks a creature
  cards: [Kovash]
  expected_rules: []
  history: [{q: does Kovash die, a: "yes"}]
- {id: weather, question: what is the weather tomorrow, kind: offtopic, cards: [], expected_rules: []}
"""


def add(name: str) -> Card:
    card = Card.objects.create(
        oracle_id=uuid.uuid4(), name=name, folded=fold_name(name), layout="normal", fingerprint="x"
    )
    CardFace.objects.create(card=card, index=0, name=name, folded=fold_name(name), type_line="Creature — Test")
    return card


@pytest.fixture
def _cards() -> None:
    warden = add("Mirelight Warden")
    add("Kovash")
    add("Shelter")
    CardAlias.objects.create(alias="dave", folded="dave", card=warden)
    PrintedName.objects.create(card=warden, name="Bog Warden", folded="bog warden", lang="en")
    PrintedName.objects.create(card=warden, name="Old Warden", folded="old warden", lang="en")


@pytest.fixture
def files(tmp_path: Path) -> Mapping[str, str]:
    (tmp_path / "names.yaml").write_text(CASES, encoding="utf-8")
    (tmp_path / "gold.yaml").write_text(GOLD, encoding="utf-8")
    return {"names": str(tmp_path / "names.yaml"), "extraction": str(tmp_path / "gold.yaml")}


def call(command: str, *arguments: str) -> tuple[str, int]:
    """What the command prints, and its exit code."""
    out = io.StringIO()
    try:
        call_command(command, *arguments, stdout=out)
    except SystemExit as stopped:
        return out.getvalue(), int(stopped.code or 0)
    return out.getvalue(), 0


@pytest.mark.usefixtures("_cards")
def test_names_are_scored_as_the_judge_would_take_them(files: Mapping[str, str]) -> None:
    printed, code = call("evaluate", "names", f"--cases={files['names']}", "--json")
    assert json.loads(printed) == {"n": 5, "right": 5, "wrong_card": 0, "misses": []}
    assert code == 0


@pytest.mark.usefixtures("_cards")
def test_one_wrong_card_ends_in_an_error_and_is_shown(files: Mapping[str, str]) -> None:
    CardAlias.objects.update(card=Card.objects.get(name="Kovash"))
    printed, code = call("evaluate", "names", f"--cases={files['names']}")
    assert code == 1
    assert "wrong cards taken: 1" in printed
    assert "nickname “dave”: expected resolved Mirelight Warden; got resolved Kovash" in printed
    assert "0 of 1    nickname" in printed


@pytest.mark.usefixtures("_cards")
def test_cards_source_and_reply_are_read_out_of_questions(files: Mapping[str, str]) -> None:
    printed, code = call("evaluate", "extraction", f"--gold={files['extraction']}", "--json")
    assert json.loads(printed) == {
        "n": 3,
        "precision": 1.0,
        "recall": 1.0,
        "wrong_cards": 0,
        "source": 1.0,
        "language": 1.0,
        "replies": 1.0,
    }
    assert code == 0


@pytest.mark.usefixtures("_cards")
def test_what_was_read_wrongly_is_listed(files: Mapping[str, str]) -> None:
    CardAlias.objects.all().delete()
    printed, code = call("evaluate", "extraction", f"--gold={files['extraction']}", "--misses")
    assert code == 1  # one of three cards is missed, and the least recall is nine in ten
    assert "named: missed cards Mirelight Warden" in printed
    assert "precision 100.0%, recall 66.7%, wrong 0" in printed


@pytest.mark.usefixtures("_cards")
@pytest.mark.parametrize(("subject", "tried"), [("names", "10 spans resolved"), ("extraction", "6 questions read")])
def test_the_benchmark_times_everything_in_every_round(subject: str, tried: str, files: Mapping[str, str]) -> None:
    printed, _ = call("benchmark", subject, f"--cases={files[subject]}", "--rounds=2")
    assert [line.split()[0] for line in printed.splitlines()] == ["p50", "p95", "p99", tried.split()[0]]
    assert tried in printed


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "names", "--cases=absent.yaml"),
        ("evaluate", "extraction", "--gold=absent.yaml"),
        ("benchmark", "names", "--cases=absent.yaml"),
        ("benchmark", "extraction", "--cases=absent.yaml"),
    ],
)
def test_a_file_that_is_not_there_is_named(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=r"absent\.yaml"):
        call(*arguments)


@pytest.mark.parametrize("subject", ["names", "extraction"])
def test_without_cards_nothing_is_measured(subject: str, files: Mapping[str, str]) -> None:
    option = {"names": "--cases", "extraction": "--gold"}[subject]
    with pytest.raises(CommandError, match="No cards are loaded"):
        call("evaluate", subject, f"{option}={files[subject]}")
    with pytest.raises(CommandError, match="No cards are loaded"):
        call("benchmark", subject, f"--cases={files[subject]}")
