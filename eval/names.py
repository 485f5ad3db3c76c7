"""Reads eval/names.yaml and scores resolutions of its cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.reading import BadSet, entries_of

EXPECTED = ("resolved", "ambiguous", "notfound")


@dataclass(frozen=True, slots=True, kw_only=True)
class NameCase:
    """A piece of a text that was taken for a name, and what has to come of it.

    cards: for "resolved" the one card; for "ambiguous" examples of what is to be offered. mention: False where the
    span is no card mention, and must never become one. accept_offer: offering the card first is right as well.
    """

    id: str
    text: str
    span: str
    expect: str
    cards: tuple[str, ...]
    mention: bool = True
    accept_offer: bool = False
    language: str = "en"
    note: str = ""

    @property
    def bracketed(self) -> bool:
        """Whether the text has the span in [[brackets]]."""
        return f"[[{self.span.casefold()}]]" in self.text.casefold()


@dataclass(frozen=True, slots=True)
class NameResult:
    """What a case came to: outcome is one of EXPECTED; cards the one card taken, or the offer in order."""

    case: NameCase
    outcome: str
    cards: tuple[str, ...] = ()

    @property
    def is_wrong_card(self) -> bool:
        """Whether a card was taken that is not the one meant."""
        return self.outcome == "resolved" and not (self.case.expect == "resolved" and self.cards == self.case.cards)

    @property
    def is_right(self) -> bool:
        """Whether the outcome is the expected one, or an accepted offer."""
        if self.case.accept_offer and self.outcome == "ambiguous":
            return self.cards[:1] == self.case.cards[:1]
        return self.outcome == self.case.expect and not self.is_wrong_card


@dataclass(frozen=True, slots=True)
class NameScore:
    """The figures of a run."""

    n: int
    right: int
    wrong_card: int
    misses: tuple[str, ...]

    @property
    def share(self) -> float:
        """Right ones as a part of all, in [0, 1]."""
        return self.right / self.n if self.n else 0.0

    def passes(self, gate: float) -> bool:
        """Whether at least *gate* are right and no wrong card was taken."""
        return self.share >= gate and self.wrong_card == 0


def score(results: Sequence[NameResult]) -> NameScore:
    """The figures of *results*."""
    right = [result for result in results if result.is_right]
    wrong = sum(result.is_wrong_card for result in results)
    return NameScore(len(results), len(right), wrong, tuple(r.case.id for r in results if not r.is_right))


def by_note(results: Sequence[NameResult]) -> dict[str, tuple[int, int]]:
    """(right, all) by the note of the case, the largest group first."""
    total = Counter(result.case.note for result in results)
    right = Counter(result.case.note for result in results if result.is_right)
    return {note: (right[note], n) for note, n in total.most_common()}


def read_names(file: Path) -> tuple[NameCase, ...]:
    """Every case of *file*, in its order. Raises BadSet."""
    return tuple(_case(where, entry) for where, entry in entries_of(file, "cases", "case"))


def _case(where: str, entry: dict[str, Any]) -> NameCase:
    if entry.get("expect") not in EXPECTED:
        raise BadSet(f"{where}: 'expect' must be one of {', '.join(EXPECTED)}")
    if entry["expect"] == "resolved" and not entry.get("cards"):
        raise BadSet(f"{where}: 'resolved' needs the card in 'cards'")
    if absent := [key for key in ("id", "text", "span") if not str(entry.get(key) or "")]:
        raise BadSet(f"{where} has no {' and no '.join(absent)}")
    return NameCase(
        id=str(entry["id"]),
        text=str(entry["text"]),
        span=str(entry["span"]),
        expect=str(entry["expect"]),
        cards=tuple(map(str, entry.get("cards") or ())),
        mention=bool(entry.get("mention", True)),
        accept_offer=bool(entry.get("accept_offer", False)),
        language=str(entry.get("lang", "en")),
        note=str(entry.get("note", "")),
    )
