"""What a scripted provider does with one request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One answer. kind: reply | status | broken | stalled | garbage. delay: seconds before the first byte.

    calls: each a name and its arguments; a str is sent as it is, JSON or not. ended: the provider's own word for
    why the model stopped, instead of *stop*. refusal: OpenAI's field of that name.
    """

    kind: str = "reply"
    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any] | str], ...] = ()
    stop: str = "end"  # end | tool | length | refusal
    ended: str = ""
    refusal: str = ""
    status: int = 200
    code: str = ""  # of an error, beside its message
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    delay: float = 0.0
    width: int = 0
    tokens: tuple[int, int] = (1_000, 100)  # input and output, as billed


def said(text: str, tokens: tuple[int, int] = (1_000, 100)) -> Step:
    """The model says *text*."""
    return Step(text=text, tokens=tokens)


def called(*calls: tuple[str, Mapping[str, Any] | str], text: str = "") -> Step:
    """The model calls tools, each a name and its arguments."""
    return Step(text=text, calls=calls, stop="tool")


def refused(text: str = "") -> Step:
    """The model will not answer."""
    return Step(text=text, stop="refusal")


def cut_off(text: str) -> Step:
    """The model ran into max_tokens after *text*."""
    return Step(text=text, stop="length")


def status(code: int, message: str = "no", headers: Mapping[str, str] | None = None) -> Step:
    """An HTTP error in the provider's shape."""
    return Step(kind="status", status=code, message=message, headers=headers or {})


def broken() -> Step:
    """The connection breaks in the middle of the answer."""
    return Step(kind="broken", text="half an answ")


def stalled(seconds: float = 30.0) -> Step:
    """Half an answer, then silence for *seconds* with the connection open."""
    return Step(kind="stalled", text="half an answ", delay=seconds)


def garbage() -> Step:
    """A 200 whose body is in nobody's format."""
    return Step(kind="garbage")


def slow(seconds: float, step: Step) -> Step:
    """*step*, after *seconds* of silence."""
    return replace(step, delay=seconds)


def silent(seconds: float = 30.0) -> Step:
    """Nothing at all for *seconds*."""
    return slow(seconds, said("too late"))


def vectors(width: int) -> Step:
    """One vector of *width* floats a text, told apart by their first float."""
    return Step(width=width)
