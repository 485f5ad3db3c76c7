"""The verdict and the only way to one: validate().

RawVerdict is what a model (or the extractive answer) sent back; Verdict has had every citation found in its
context. The store and every renderer take Verdict, so an unchecked answer cannot be shown.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from datetime import date
from typing import final

from judge.values import CardId, Citation, Confidence, RuleId, Source


@dataclass(frozen=True, slots=True)
class CardRef:
    """A card a verdict is about."""

    id: CardId
    name: str


@final
class _Seal:
    """What only validate() holds."""


_SEAL = _Seal()


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A verdict whose every citation was found in its context. Made by validate()."""

    answer: str
    confidence: Confidence
    citations: tuple[Citation, ...]
    source: Source
    edition: date
    cards: tuple[CardRef, ...]
    seal: InitVar[_Seal]

    def __post_init__(self, seal: _Seal) -> None:
        if seal is not _SEAL:
            raise TypeError("Verdict is made by validate()")


@dataclass(frozen=True, slots=True)
class BadCitation:
    """Citation *number* (from 1) names nothing in the context, or its quote does not stand there."""

    number: int
    where: str  # the source searched, in words: "rule 702.19b"
    quote: str
    reason: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """The reply could not be read as a verdict."""

    reason: str


@dataclass(frozen=True, slots=True)
class Empty:
    """The answer says too little, or cites nothing."""

    reason: str


@dataclass(frozen=True, slots=True)
class UncitedRules:
    """The prose names rules that no citation covers."""

    rules: tuple[RuleId, ...]


@dataclass(frozen=True, slots=True)
class Oversized:
    """The answer is longer than may be shown."""

    characters: int


Rejection = BadCitation | Malformed | Empty | UncitedRules | Oversized
