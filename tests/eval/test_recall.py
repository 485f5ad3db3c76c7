from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.gold import GoldQuestion, read_extractions, read_gold, read_peers
from eval.reading import BadSet
from eval.recall import Outcome, Recall, by_kind, fraction_found, place_of, scored
from judge.values import Exchange, RuleId, Source


def rules(*ids: str) -> tuple[RuleId, ...]:
    return tuple(map(RuleId, ids))


def question(*expected: tuple[str, ...], cards: int = 0, language: str = "en") -> GoldQuestion:
    return GoldQuestion(
        id="q",
        question="?",
        language=language,
        kind="rules",
        cards=("Glass Heron",) * cards,
        expected=tuple(rules(*entry) for entry in expected),
    )


@pytest.mark.parametrize(
    ("expected", "found", "fraction"),
    [
        ([("702.19b",)], ["702.19"], 1.0),
        ([("702.19",)], ["702.19b"], 1.0),
        ([("702.19b",)], ["702.19a"], 0.0),
        ([("702.1",)], ["702.19"], 0.0),
        ([("120.3f", "702.15b"), ("510.2",)], ["702.15"], 0.5),
        ([("120.3f", "702.15b"), ("510.2",)], ["120.3", "702.15", "510.2"], 1.0),
        ([("100.1",)], [], 0.0),
    ],
    ids=["rule for leaf", "leaf for rule", "sibling", "prefix", "alternative", "all", "nothing"],
)
def test_coverage(expected: list[tuple[str, ...]], found: list[str], fraction: float) -> None:
    assert fraction_found([rules(*entry) for entry in expected], rules(*found)) == fraction


def test_the_average_is_over_questions_not_over_rules() -> None:
    full = Outcome(question(("100.1",)), rules("100.1"), rules("100.1"))
    half = Outcome(question(("1", "100.2"), ("100.3",), ("100.4",), ("100.5",)), rules("100.2", "100.3"), ())
    assert scored([full, half]) == Recall(2, 0.75, 0.5)


def test_questions_without_expected_rules_are_not_counted() -> None:
    assert scored([Outcome(question(), (), ())]) == Recall(0, 0.0, 0.0)


def test_a_question_counts_under_its_cards_and_under_its_language() -> None:
    outcomes = [
        Outcome(question(("100.1",), cards=cards, language=language), rules("100.1"), ())
        for cards, language in ((0, "en"), (1, "fr"), (3, "en"), (2, "de"))
    ]
    assert {kind: recall.n for kind, recall in by_kind(outcomes).items()} == {
        "no_card": 1,
        "one_card": 1,
        "cards_2plus": 2,
        "not_english": 2,
    }


def test_the_place_is_that_of_the_first_rule_that_covers() -> None:
    assert place_of(rules("704.5f"), rules("704.3", "704.5", "704.5f")) == 2
    assert place_of(rules("704.5f"), rules("704.3")) is None


GOLD = """
questions:
- id: one
  kind: rules
  lang: fr
  question: Pourquoi ?
  cards: [Glass Heron]
  expected_rules: [702.19B, [120.3f, 702.15b]]
  history: [{q: before, a: after}]
- id: two
  question: And?
  cards: []
  expected_rules: []
"""


def test_gold_is_read_with_alternatives_and_history(tmp_path: Path) -> None:
    file = tmp_path / "gold.yaml"
    file.write_text(GOLD, encoding="utf-8")
    one, two = read_gold(file)
    assert one.expected == (("702.19b",), ("120.3f", "702.15b"))
    assert one.history == (Exchange("before", "after"),)
    assert (one.language, one.cards) == ("fr", ("Glass Heron",))
    assert (two.language, two.expected) == ("en", ())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("questions: [", "YAML"),
        ("[]", "questions"),
        ("questions: []", "questions"),
        ("questions: [5]", "question 1"),
        ("questions: [{id: x}]", r"question 1 \(x\)"),
        ("questions: [{id: x, question: y, expected_rules: [seven]}]", "seven"),
    ],
)
def test_a_broken_set_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "gold.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadSet, match=told):
        read_gold(file)


def test_a_missing_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadSet, match=r"none\.yaml"):
        read_gold(tmp_path / "none.yaml")


EXTRACTION = """[{"id": "one", "spans": ["heron"], "question_en": "why", "concepts": ["c"], "sections": ["702"],
  "categories": ["combat", "layers", "costs", "zones"], "source": "commander", "answer_language": "fr"}]"""


def test_recorded_extractions_keep_one_primary_and_two_secondary_categories(tmp_path: Path) -> None:
    file = tmp_path / "extractions.json"
    file.write_text(EXTRACTION, encoding="utf-8")
    read = read_extractions(file)["one"]
    assert (read.primary, read.secondary) == ("combat", ("layers", "costs"))
    assert [span.text for span in read.spans] == ["heron"]
    assert (read.source, read.sections) == (Source.COMMANDER, ("702",))


@pytest.mark.parametrize("text", ["{", '[{"id": "one"}]', '["x"]', EXTRACTION.replace("commander", "moon")])
def test_broken_extractions_are_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "extractions.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadSet, match=r"extractions\.json"):
        read_extractions(file)


def test_the_sets_of_this_repository_can_be_read() -> None:
    folder = Path(__file__).parents[2] / "eval"
    gold = read_gold(folder / "gold.yaml")
    assert sum(bool(each.expected) for each in gold) == 98
    assert read_gold(folder / "gold_fresh.yaml")
    assert {each.id for each in gold} <= read_extractions(folder / "extractions.json").keys()


def test_a_peers_entities_are_cards_unless_it_asks_for_a_definition(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "question": "q", "stratum": "multihop", "gold_entities": ["Gleam"], "gold_cr_rules": ["100.1b"]},
        {
            "id": "b",
            "question": "q",
            "stratum": "definition_1hop",
            "gold_entities": ["Hat"],
            "gold_cr_rules": ["702.2"],
        },
    ]
    (tmp_path / "peer.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    one, two = read_peers(tmp_path)
    assert (one.cards, one.expected) == (("Gleam",), (("100.1b",),))
    assert two.cards == ()
    with pytest.raises(BadSet, match=r"no \.jsonl file"):
        read_peers(tmp_path / "none")
