"""Asks a provider again when asking again may help, within the time a question has."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

from judge.cancelling import Cancellation
from judge.errors import ProviderError

ATTEMPTS = 3
FIRST_PAUSE = 0.5  # seconds; doubled each time, and up to as much again by chance
LONGEST_PAUSE = 8.0  # seconds, where the provider does not say how long


def with_retries[T](
    call: Callable[[float], T],
    *,
    seconds: float,
    clock: Callable[[], float],
    cancel: Cancellation | None = None,
    pause: Callable[[float, Cancellation | None], None] | None = None,
) -> T:
    """What *call* gives, asked at most ATTEMPTS times within *seconds*; it is told the seconds that are left.

    Only what is retryable is tried again, after the pause the provider asked for, and never when that pause would
    end beyond the time: then the provider's error comes out at once, so the asker is not kept for nothing.
    clock: seconds, monotonic. Raises what *call* raised last, or Cancelled.
    """
    wait = pause or rest
    until = clock() + seconds
    for attempt in range(ATTEMPTS):
        if cancel is not None:
            cancel.check()
        try:
            return call(max(0.1, until - clock()))
        except ProviderError as error:
            again = _pause_after(error, attempt)
            if not error.retryable or attempt + 1 == ATTEMPTS or clock() + again >= until:
                raise
            wait(again, cancel)
    raise AssertionError("unreachable")


def _pause_after(error: ProviderError, attempt: int) -> float:
    if error.retry_after is not None:
        return error.retry_after
    longest: float = min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt)
    return longest * (1 + random.random()) / 2  # noqa: S311  # spreads callers out; nothing secret


def rest(seconds: float, cancel: Cancellation | None) -> None:
    """Waits *seconds*. Raises Cancelled as soon as the asker goes away."""
    woken = threading.Event()
    if cancel is None:
        woken.wait(seconds)
        return
    with cancel.calling(woken.set):
        woken.wait(seconds)
    cancel.check()
