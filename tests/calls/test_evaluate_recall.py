from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from calls.evaluation.recall import shown_numbers
from curation.models import AskedPhrase
from eval.gates import Gate
from judge.retrieval import trimmed
from tests.fakes import SOGGING
from tests.rules.invented import load_invented

pytestmark = pytest.mark.django_db

GOLD = """
questions:
- {id: hats, question: may each player wear a hat, lang: fr, cards: [], expected_rules: [100.1b]}
- {id: absent, question: zebra, cards: [], expected_rules: [999.9]}
- {id: declined, question: the weather, cards: [], expected_rules: []}
"""
RECORDED = [
    {
        "id": name,
        "spans": [],
        "question_en": text,
        "concepts": [],
        "sections": [],
        "categories": ["other"],
        "source": "cr",
        "answer_language": "en",
    }
    for name, text in (("hats", "each player has a hat"), ("absent", "zebra"))
]


@pytest.fixture
def files(tmp_path: Path, settings: LazySettings) -> list[str]:
    settings.JUDGE_EMBEDDER, settings.JUDGE_HOME = "none", tmp_path / "home"
    (tmp_path / "gold.yaml").write_text(GOLD, encoding="utf-8")
    (tmp_path / "extractions.json").write_text(json.dumps(RECORDED), encoding="utf-8")
    folder = str(tmp_path)
    return [f"--gold={folder}/gold.yaml", f"--extractions={folder}/extractions.json", "--extractor=recorded"]


def evaluate(*arguments: str) -> str:
    out = io.StringIO()
    call_command("evaluate", "recall", *arguments, stdout=out)
    return out.getvalue()


def test_json_holds_the_figures_by_kind_and_nothing_else(files: list[str]) -> None:
    load_invented()
    assert json.loads(evaluate(*files, "--json")) == {
        "n": 2,
        "retrieved": 0.5,
        "shown": 0.5,
        "by_kind": {
            "no_card": {"n": 2, "retrieved": 0.5, "shown": 0.5},
            "one_card": {"n": 0, "retrieved": 0.0, "shown": 0.0},
            "cards_2plus": {"n": 0, "retrieved": 0.0, "shown": 0.0},
            "not_english": {"n": 1, "retrieved": 1.0, "shown": 1.0},
        },
    }


def test_the_table_names_the_legs_that_are_missing_and_the_misses(files: list[str]) -> None:
    load_invented()
    told = evaluate(*files, "--misses")
    assert "Missing leg: vector: no embedder is set up" in told
    assert "absent: 999.9 not retrieved" in told


def test_a_missed_gate_fails_and_a_met_one_does_not(files: list[str]) -> None:
    load_invented()
    evaluate(*files, "--min-shown=0.5")
    with pytest.raises(SystemExit):
        evaluate(*files, "--min-shown=0.6")
    with pytest.raises(SystemExit):
        evaluate(*files, "--min-retrieved=0.6")


def test_a_set_with_a_gate_of_its_own_needs_no_option(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    load_invented()
    monkeypatch.setattr("calls.evaluation.recall.gate_of", lambda _gold, _extractor: Gate(retrieved=0.5, shown=0.6))
    with pytest.raises(SystemExit):
        evaluate(*files)
    evaluate(*files, "--min-shown=0.5")


def test_explaining_tells_each_legs_place_of_what_was_expected(files: list[str]) -> None:
    load_invented()
    told = evaluate(*files, "--explain=hats")
    assert "100.1 at 1 of the fused list" in told
    assert "1. text: question 1" in told
    assert "not among the first" in evaluate(*files, "--explain=absent")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--explain=unknown"], "unknown"),
        (["--gold=/nowhere.yaml"], "nowhere"),
        (["--extractions=/nowhere.json"], "nowhere"),
    ],
)
def test_what_cannot_be_run_is_told(files: list[str], arguments: list[str], told: str) -> None:
    load_invented()
    with pytest.raises(CommandError, match=told):
        evaluate(*files, *arguments)


def test_without_rules_there_is_nothing_to_measure(files: list[str]) -> None:
    with pytest.raises(CommandError, match="ingest_rules"):
        evaluate(*files)


def test_of_an_abridged_rule_only_the_subrules_kept_count_as_shown() -> None:
    assert shown_numbers(SOGGING) == ("750.9",)
    short = trimmed(SOGGING, {SOGGING.leaves[1].id: 1.0}, 100)
    assert short.abridged
    assert "750.9b" in shown_numbers(short)
    assert not {"750.9", "750.9c"} & set(shown_numbers(short))


def test_a_second_run_tells_what_moved_since_the_first(files: list[str]) -> None:
    load_invented()
    assert "No run to compare with yet" in evaluate(*files, "--compare")
    assert "0 of 2 rules moved" in evaluate(*files, "--compare")
    gold = Path(files[0].removeprefix("--gold="))
    gold.write_text(gold.read_text(encoding="utf-8").replace("999.9", "606.1"), encoding="utf-8")
    evaluate(*files)
    AskedPhrase.objects.create(number="606.1", text="zebra")
    told = evaluate(*files, "--compare")
    assert "absent 606.1: not retrieved, now shown at 1" in told
    assert "1 of 2 rules moved since the last run: 1 more shown, 0 no longer." in told
