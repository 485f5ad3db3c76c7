"""Neutral requests of every shape the judge makes, to send to each backend."""

from __future__ import annotations

from typing import Any

from llm.backends import PERMIT_KEY, Permit
from llm.messages import (
    Effort,
    ModelTurn,
    OutputSchema,
    Request,
    SystemBlock,
    TextBlock,
    Tool,
    ToolResult,
    UserTurn,
)

PERMIT = Permit(1_000, PERMIT_KEY)
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
TOOL = Tool(
    "lookup_rules",
    "Reads rules.",
    {
        "type": "object",
        "properties": {"ids": {"type": "array", "items": {"type": "string"}}},
        "required": ["ids"],
        "additionalProperties": False,
    },
)
SYSTEM = (SystemBlock("You are a judge.", cached=True),)
MATERIAL = UserTurn((TextBlock("700.1. Newts glow.", cached=True), TextBlock("Does a newt glow?")))

# What each backend's model said when it called the tool, as the backend replays it.
CALLED: dict[str, Any] = {
    "anthropic": [
        {"type": "thinking", "thinking": "", "signature": "c2ln"},
        {"type": "tool_use", "id": "t1", "name": "lookup_rules", "input": {"ids": ["700.2"]}},
    ],
    "openai": {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "t1", "type": "function", "function": {"name": "lookup_rules", "arguments": '{"ids": ["700.2"]}'}}
        ],
    },
}


def plain() -> Request:
    return Request(system=SYSTEM, turns=(MATERIAL,), max_tokens=500, timeout=60.0)


def fresh() -> Request:
    return Request(
        system=SYSTEM,
        turns=(MATERIAL,),
        output=OutputSchema("verdict", SCHEMA),
        tools=(TOOL,),
        effort=Effort.HIGH,
        max_tokens=9_000,
        timeout=60.0,
    )


def after_lookup(kind: str) -> Request:
    result = UserTurn((TextBlock("Now answer."),), (ToolResult("t1", "700.2. Newts rest."),))
    return Request(
        system=SYSTEM,
        turns=(MATERIAL, ModelTurn(kind, CALLED[kind]), result),
        output=OutputSchema("verdict", SCHEMA),
        tool_history=(TOOL,),
        max_tokens=9_000,
        timeout=60.0,
    )
