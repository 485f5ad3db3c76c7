"""What a run tells while it is under way, in the order it happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judge.replies import Reply
from judge.values import CardSpan, Context, Resolved


@dataclass(frozen=True, slots=True)
class Extracting:
    """The question is being read."""


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
    """An answer is being made. attempt: 1, or 2 when the first draft did not pass the check."""

    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Validating:
    """The quotes of the draft are being checked."""

    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Done:
    """The run is over. reply: as Judge.answer() gives it."""

    reply: Reply


Stage = Extracting | CardsFound | RulesRead | Judging | Validating | Done
OnStage = Callable[[Stage], None]
