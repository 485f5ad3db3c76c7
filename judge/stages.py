"""What a run tells while it is under way, in the order it happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judge.values import CardSpan, Context, Resolved


@dataclass(frozen=True, slots=True)
class CardsFound:
    """The cards the question names. not_found: suspected names that are no card's."""

    resolved: tuple[Resolved, ...]
    not_found: tuple[CardSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class RulesRead:
    """The material an answer may quote. legs_missing: searches that could not run."""

    context: Context
    legs_missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judging:
    """An answer is being made and checked."""


Stage = CardsFound | RulesRead | Judging
OnStage = Callable[[Stage], None]
