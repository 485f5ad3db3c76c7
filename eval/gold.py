"""Reads the question sets: eval/gold.yaml and its like, and the recorded extractions beside them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.reading import BadSet, entries_of, lines_of, text_of
from judge.errors import InvalidRuleId
from judge.values import CardSpan, CategoryKey, Exchange, Extraction, RuleId, Source, parse_rule_id


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldQuestion:
    """One question with its known answer.

    expected: what decides it, each entry a tuple of rules of which any one will do. Empty where only a card's own
    text decides, or where the question is to be declined. answer and key: what a right answer says, and the core of
    it to check; for those who grade, never for those who answer. span: what stays ambiguous or has no card.
    """

    id: str
    question: str
    language: str
    kind: str  # rules | commander | tournament | offtopic | ambiguous | notfound
    cards: tuple[str, ...]
    expected: tuple[tuple[RuleId, ...], ...]
    history: tuple[Exchange, ...] = ()
    answer: str = ""
    key: str = ""
    span: str = ""
    false_premise: bool = False


def read_gold(file: Path) -> tuple[GoldQuestion, ...]:
    """Every question of *file*, in its order. Raises BadSet."""
    return tuple(_question(where, entry) for where, entry in entries_of(file, "questions", "question"))


def read_peers(folder: Path) -> tuple[GoldQuestion, ...]:
    """Every question of the peers' JSON lines in *folder*, which name their fields otherwise. Raises BadSet."""
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise BadSet(f"{folder} has no .jsonl file")
    lines = [line for file in files for line in lines_of(file)]
    return tuple(_question(where, {**entry, **_in_our_words(entry)}) for where, entry in lines)


def _in_our_words(entry: dict[str, Any]) -> dict[str, Any]:
    """A peer's fields under our names. Their entities are cards, or for a definition what is defined."""
    is_definition = str(entry.get("stratum", "")).startswith("definition")
    return {
        "expected_rules": entry.get("gold_cr_rules"),
        "expected_answer": entry.get("answer"),
        "cards": () if is_definition else entry.get("gold_entities"),
    }


def _question(where: str, entry: dict[str, Any]) -> GoldQuestion:
    try:
        return GoldQuestion(
            id=str(entry["id"]),
            question=str(entry["question"]),
            language=str(entry.get("lang", "en")),
            kind=str(entry.get("kind", "rules")),
            cards=tuple(map(str, entry.get("cards") or ())),
            expected=tuple(_alternatives(item) for item in entry.get("expected_rules") or ()),
            history=tuple(Exchange(turn["q"], turn["a"]) for turn in entry.get("history") or ()),
            answer=str(entry.get("expected_answer") or ""),
            key=str(entry.get("verdict_key") or ""),
            span=str(entry.get("ambiguous_span") or entry.get("notfound_span") or ""),
            false_premise=entry.get("false_premise") is True,
        )
    except KeyError as error:
        raise BadSet(f"{where} has no {error.args[0]!r}") from None
    except InvalidRuleId as error:
        raise BadSet(f"{where}: {error}") from None


def _alternatives(item: Any) -> tuple[RuleId, ...]:
    return tuple(parse_rule_id(str(rule)) for rule in (item if isinstance(item, list) else [item]))


def read_extractions(file: Path) -> dict[str, Extraction]:
    """The recorded extraction of every question of *file*, by question id. Raises BadSet."""
    try:
        entries = json.loads(text_of(file))
    except ValueError as error:
        if isinstance(error, BadSet):
            raise
        raise BadSet(f"{file} is not readable JSON: {error}") from None
    try:
        return {entry["id"]: _extraction(entry) for entry in entries}
    except (KeyError, TypeError, ValueError) as error:
        raise BadSet(f"{file} holds an extraction that is not whole: {error!r}") from None


def _extraction(entry: dict[str, Any]) -> Extraction:
    primary, *secondary = entry["categories"] or ["other"]
    return Extraction(
        spans=tuple(CardSpan(span) for span in entry["spans"]),
        question_en=entry["question_en"],
        concepts=tuple(entry["concepts"]),
        sections=tuple(entry["sections"]),
        primary=CategoryKey(primary),
        secondary=tuple(CategoryKey(key) for key in secondary[:2]),
        source=Source(entry["source"]),
        answer_language=entry["answer_language"],
    )
