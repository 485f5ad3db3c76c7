"""Why a raw verdict was not let through. str() of each tells a model, or the log, what to mend."""

from __future__ import annotations

from dataclasses import dataclass

from judge.values import RuleId


@dataclass(frozen=True, slots=True)
class BadCitation:
    """Citation *number* (from 1) names nothing in the context, or its quote does not stand there."""

    number: int
    where: str  # the source searched, in words: "rule 702.19b"
    quote: str
    reason: str

    def __str__(self) -> str:
        return f"citation {self.number} ({self.where}): {self.reason}"


@dataclass(frozen=True, slots=True)
class Malformed:
    """The reply could not be read as a verdict."""

    reason: str

    def __str__(self) -> str:
        return f"the reply could not be read: {self.reason}"


@dataclass(frozen=True, slots=True)
class Empty:
    """The answer says too little, or cites nothing."""

    reason: str

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True)
class UncitedRules:
    """The prose names rules that no citation covers."""

    rules: tuple[RuleId, ...]

    def __str__(self) -> str:
        return f"the answer names rules that no citation covers: {', '.join(self.rules)}"


@dataclass(frozen=True, slots=True)
class Oversized:
    """The answer is longer than may be shown."""

    characters: int

    def __str__(self) -> str:
        return f"the answer has {self.characters:,} characters, more than may be shown"


Rejection = BadCitation | Malformed | Empty | UncitedRules | Oversized
