"""What is said to a model and what comes back, in no provider's words. A backend turns these into its wire format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from judge.cancelling import Cancellation


class Effort(StrEnum):
    """How hard a model should think; a backend without such a dial leaves it out."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Stop(StrEnum):
    """Why a model stopped."""

    END = "end"
    TOOL = "tool"  # it waits for the results of its tool calls
    LENGTH = "length"  # cut off: max_tokens or the context window
    REFUSAL = "refusal"  # it, or its provider's filter, would not answer


@dataclass(frozen=True, slots=True)
class SystemBlock:
    """A piece of the system prompt. cached: the same in every question, worth a provider's prompt cache."""

    text: str
    cached: bool = False


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A piece of a user turn. cached: everything up to and with this block comes again in the next request."""

    text: str
    cached: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the tool call *call_id* gave."""

    call_id: str
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class UserTurn:
    """What the program says: results of the tools asked for first, then text."""

    blocks: tuple[TextBlock, ...] = ()
    results: tuple[ToolResult, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """A model's own turn, replayed to it byte for byte as its backend stored it (thinking and signatures included).

    backend: the kind that made *blob*; no other may replay it. blob: JSON values in that backend's wire format.
    """

    backend: str
    blob: Any


Turn = UserTurn | ModelTurn


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool the model may call. schema: JSON schema of its arguments, every object closed."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """The JSON schema a reply's text must fit (judge.raw.schema_of)."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. The model belongs to the backend, so the same request goes to any of them.

    tools empty: none may be called; a turn before this one may still hold calls of them, so *tool_history* keeps
    the definitions that providers want to see again. max_tokens bounds thinking and text together. timeout: seconds
    in all. cancel: closes the connection when the asker goes away.
    """

    system: tuple[SystemBlock, ...]
    turns: tuple[Turn, ...]
    output: OutputSchema | None = None
    tools: tuple[Tool, ...] = ()
    tool_history: tuple[Tool, ...] = ()
    effort: Effort = Effort.MEDIUM
    max_tokens: int = 4_096
    timeout: float = 120.0
    cancel: Cancellation | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model's wish to call *name*. arguments: as decoded from JSON; None where they could not be."""

    id: str
    name: str
    arguments: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that were billed. input leaves out what the cache gave or took; output holds thinking."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_written: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What came back. model: as the provider names what answered."""

    text: str
    stop: Stop
    usage: Usage
    turn: ModelTurn
    tool_calls: tuple[ToolCall, ...] = ()
    model: str = ""
