"""Why no model answered, in words for the asker, and when to come back where that is known."""

from __future__ import annotations

from math import ceil
from typing import assert_never

from judge.errors import ProviderError, Trouble

UNREACHABLE = "The language model could not be reached."
SLOW = "The language model took too long to answer."
OVERLOADED = "The language model is overloaded right now."
MISCONFIGURED = "The language model would not take the request: the operator has to see to its set-up."
CAP_REACHED = "The spending limit of this judge is reached."
REJECTED = "The language model's answer did not pass the check of its quotes."
BROKE = "Something went wrong while the language model was asked; it has been logged as incident {incident}."

_SOON = " It may answer again in a few minutes."


def told(error: ProviderError) -> str:
    """*error* in words for the asker."""
    back = _back(error.retry_after)
    match error.trouble:
        case Trouble.OWN_CAP:
            return f"{CAP_REACHED}{back}"
        case Trouble.MISCONFIGURED:
            return MISCONFIGURED
        case Trouble.BUSY:
            return f"{OVERLOADED}{back or _SOON}"
        case Trouble.SLOW:
            return f"{SLOW}{back or _SOON}"
        case Trouble.UNREACHABLE:
            return f"{UNREACHABLE}{back or _SOON}"
    assert_never(error.trouble)


def _back(seconds: float | None) -> str:
    """When it may answer again, never sooner than it will; "" where nobody knows."""
    if seconds is None:
        return ""
    for unit, length, below in (("second", 1, 120), ("minute", 60, 7_200), ("hour", 3_600, 172_800)):
        if seconds < below:
            return f" It may answer again in {_counted(max(1, ceil(seconds / length)), unit)}."
    return f" It may answer again in {_counted(ceil(seconds / 86_400), 'day')}."


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
