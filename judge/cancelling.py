"""How an asker who has gone away stops a run: one token a run, cancelled from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from judge.errors import JudgeError


class Cancelled(JudgeError):
    """The asker has gone away; nothing more is to be done, stored or paid."""

    def __init__(self) -> None:
        super().__init__("the question was cancelled")


class Cancellation:
    """A wish to stop, made once and never taken back. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._listeners: list[Callable[[], None]] = []

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._cancelled

    def cancel(self) -> None:
        """Asks to stop: whoever waits on something (a provider) is told at once, in this thread. Twice is once."""
        with self._lock:
            if self._cancelled:
                return
            self._cancelled = True
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def check(self) -> None:
        """Raises Cancelled when somebody asked to stop."""
        if self._cancelled:
            raise Cancelled

    @contextmanager
    def calling(self, listener: Callable[[], None]) -> Iterator[None]:
        """Calls *listener* when the stop comes during the block, at once when it had come before."""
        with self._lock:
            told = self._cancelled
            if not told:
                self._listeners.append(listener)
        if told:
            listener()
        try:
            yield
        finally:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)
