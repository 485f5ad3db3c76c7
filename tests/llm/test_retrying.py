"""When a provider is asked again."""

from __future__ import annotations

import threading

import pytest

from judge.cancelling import Cancellation, Cancelled
from llm.errors import Overloaded, RequestRefused, Unreachable
from llm.retrying import ATTEMPTS, with_retries


class Script:
    """Raises or gives one item a call, on a clock that moves by pauses only."""

    def __init__(self, *items: Exception | str) -> None:
        self.items = list(items)
        self.now = 0.0
        self.pauses: list[float] = []
        self.left: list[float] = []

    def __call__(self, left: float) -> str:
        self.left.append(left)
        item = self.items.pop(0)
        if isinstance(item, Exception):
            raise item
        return item

    def pause(self, seconds: float, _cancel: Cancellation | None) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def run(self, seconds: float = 60.0) -> str:
        return with_retries(self, seconds=seconds, clock=lambda: self.now, pause=self.pause)


def test_a_passing_failure_is_tried_again_with_the_time_that_is_left() -> None:
    script = Script(Unreachable("down"), "yes")

    assert script.run() == "yes"
    assert 0.25 <= script.pauses[0] <= 0.5
    assert script.left == [60.0, 60.0 - script.pauses[0]]


def test_the_providers_own_pause_is_kept() -> None:
    script = Script(Overloaded("full", retry_after=7), "yes")

    assert script.run() == "yes"
    assert script.pauses == [7]


def test_a_pause_beyond_the_time_is_not_begun() -> None:
    script = Script(Overloaded("full", retry_after=61), "yes")

    with pytest.raises(Overloaded):
        script.run()
    assert script.pauses == []


def test_what_cannot_help_is_not_tried_again() -> None:
    script = Script(RequestRefused("no such model"), "yes")

    with pytest.raises(RequestRefused):
        script.run()


def test_it_gives_up_after_some_attempts() -> None:
    script = Script(*[Unreachable("down")] * 9)

    with pytest.raises(Unreachable):
        script.run()
    assert len(script.left) == ATTEMPTS


def test_a_cancelled_pause_ends_at_once() -> None:
    cancel = Cancellation()
    threading.Timer(0.1, cancel.cancel).start()

    def fails(_left: float) -> str:
        raise Overloaded("full", retry_after=30)

    with pytest.raises(Cancelled):
        with_retries(fails, seconds=60, clock=lambda: 0.0, cancel=cancel)
