"""Waits for a provider in a way that ends: at the answer, at the timeout, or when the asker goes away."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import Callable, Coroutine
from typing import Any

from judge.cancelling import Cancellation, Cancelled
from llm.errors import TooSlow


def wait_for[T](call: Callable[[], Coroutine[Any, Any, T]], timeout: float, cancel: Cancellation | None) -> T:
    """What *call* gives within *timeout* seconds. Raises Cancelled or TooSlow once its connection is closed.

    The SDKs' async clients are used behind this, as cancelling a task is the one sure way to close a connection
    somebody waits on; the judge itself stays synchronous. Not to be called from a thread that runs an event loop.
    """
    return asyncio.run(_waited(call, timeout, cancel or Cancellation()))


def load(sdk: str) -> None:
    """Imports *sdk* before the clock of a request runs: the first import takes seconds, which are not the provider's.

    One that is not there is for the backend to tell, in its own words.
    """
    with contextlib.suppress(ImportError):
        importlib.import_module(sdk)


async def _waited[T](call: Callable[[], Coroutine[Any, Any, T]], timeout: float, cancel: Cancellation) -> T:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(call())

    def stop() -> None:
        with contextlib.suppress(RuntimeError):  # the answer came in this very moment, and the loop is closed
            loop.call_soon_threadsafe(task.cancel)

    with cancel.calling(stop):
        try:
            return await asyncio.wait_for(task, timeout)
        except asyncio.CancelledError:
            if cancel.is_cancelled:
                raise Cancelled from None
            raise
        except TimeoutError:
            raise TooSlow(f"no answer within {timeout:g} seconds") from None
