"""Reads the question sets: eval/gold.yaml and its like, and the recorded extractions beside them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from judge.errors import InvalidRuleId
from judge.values import CardSpan, CategoryKey, Exchange, Extraction, RuleId, Source, parse_rule_id


class BadGold(ValueError):
    """A question set or a file of extractions cannot be read; the message names the file, the entry and why."""


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
    """Every question of *file*, in its order. Raises BadGold."""
    try:
        loaded = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadGold(f"{file}: {error.strerror or error}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadGold(f"{file} is not readable YAML: {error}") from None
    entries = loaded.get("questions") if isinstance(loaded, dict) else None
    if not isinstance(entries, list) or not entries:
        raise BadGold(f"{file} has no list called 'questions'")
    return tuple(_question(file, number, entry) for number, entry in enumerate(entries, start=1))


def _question(file: Path, number: int, entry: Any) -> GoldQuestion:
    where = f"{file}, question {number}"
    if not isinstance(entry, dict):
        raise BadGold(f"{where} is not a mapping")
    where = f"{where} ({entry.get('id', 'without id')})"
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
        raise BadGold(f"{where} has no {error.args[0]!r}") from None
    except InvalidRuleId as error:
        raise BadGold(f"{where}: {error}") from None


def _alternatives(item: Any) -> tuple[RuleId, ...]:
    return tuple(parse_rule_id(str(rule)) for rule in (item if isinstance(item, list) else [item]))


def read_extractions(file: Path) -> dict[str, Extraction]:
    """The recorded extraction of every question of *file*, by question id. Raises BadGold."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadGold(f"{file}: {error.strerror or error}") from None
    except ValueError as error:
        raise BadGold(f"{file} is not readable JSON: {error}") from None
    try:
        return {entry["id"]: _extraction(entry) for entry in entries}
    except (KeyError, TypeError, ValueError) as error:
        raise BadGold(f"{file} holds an extraction that is not whole: {error!r}") from None


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
