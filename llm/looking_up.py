"""The one tool a model is offered: rules by number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from judge.errors import InvalidRuleId
from judge.ports import RuleLookup
from judge.values import RuleChunk, RuleId, parent_of, parse_rule_id
from llm.material import rules_section, safe
from llm.messages import Tool, ToolCall, ToolResult
from llm.prompting import prompt

LOOKUP = "lookup_rules"
MAX_IDS = 10  # rules of one round, over all its calls
MAX_CHARACTERS = 20_000  # of them together; the material has 30,000 (DESIGN 4.3)
_WRITTEN = 20  # characters of an id that are told back
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"ids": {"type": "array", "items": {"type": "string"}}},
    "required": ["ids"],
    "additionalProperties": False,
}


def lookup_tool() -> Tool:
    """The tool as a model is told of it."""
    return Tool(LOOKUP, prompt("lookup_tool"), _SCHEMA)


@dataclass(frozen=True, slots=True)
class LookedUp:
    """found: rules that were not shown whole before, each once. results: one a call, in order."""

    found: tuple[RuleChunk, ...]
    results: tuple[ToolResult, ...]


def look_up(calls: Sequence[ToolCall], rules: RuleLookup, shown: Sequence[RuleChunk]) -> LookedUp:
    """What *calls* ask for, read from *rules* within the bounds; a rule of *shown* that is whole is not shown again."""
    wanted = [rule for call in calls for _, rule in _ids(call) if rule is not None]
    parents = tuple(dict.fromkeys(map(parent_of, wanted)))
    whole = {chunk.id for chunk in shown if not chunk.abridged}
    asked = [rule for rule in parents if rule not in whole][:MAX_IDS]
    found = _within(rules.lookup(asked) if asked else ())
    told: set[RuleId] = set()
    results = tuple(_result(call, found, whole, told) for call in calls)
    return LookedUp(found, results)


def called(call: ToolCall) -> str:
    """*call* as the operator reads it."""
    return f"{call.name}({', '.join(written for written, _ in _ids(call))})"


def _ids(call: ToolCall) -> Iterator[tuple[str, RuleId | None]]:
    """Every id *call* asks for, as it was written, with the rule it means; None for what is no rule number."""
    given = (call.arguments or {}).get("ids") if call.name == LOOKUP else None
    for written in dict.fromkeys(str(each) for each in given) if isinstance(given, list) else ():
        try:
            yield written[:_WRITTEN], parse_rule_id(written)
        except InvalidRuleId:
            yield written[:_WRITTEN], None


def _within(chunks: Sequence[RuleChunk]) -> tuple[RuleChunk, ...]:
    """The first of *chunks* that fit MAX_CHARACTERS together."""
    kept: list[RuleChunk] = []
    room = MAX_CHARACTERS
    for chunk in chunks:
        if len(chunk.text) <= room:
            kept.append(chunk)
            room -= len(chunk.text)
    return tuple(kept)


def _result(call: ToolCall, found: Sequence[RuleChunk], whole: set[RuleId], told: set[RuleId]) -> ToolResult:
    """What *call* asked for and no result before it has *told*, and a line for everything it does not get."""
    if call.name != LOOKUP:
        return ToolResult(call.id, f"There is no tool called {safe(call.name[:40])}.", failed=True)
    ids = tuple(_ids(call))
    if not ids:
        return ToolResult(call.id, 'Nothing was read: give "ids", a list of rule numbers.', failed=True)
    by_id = {chunk.id: chunk for chunk in found}
    new = [by_id[rule] for rule in dict.fromkeys(_parents(ids)) if rule in by_id and rule not in told]
    told.update(chunk.id for chunk in new)
    return ToolResult(call.id, "\n\n".join([*([rules_section(new)] if new else []), *_not_shown(ids, told, whole)]))


def _parents(ids: Sequence[tuple[str, RuleId | None]]) -> Iterator[RuleId]:
    return (parent_of(rule) for _, rule in ids if rule is not None)


def _not_shown(ids: Sequence[tuple[str, RuleId | None]], told: set[RuleId], whole: set[RuleId]) -> Iterator[str]:
    before = [written for written, rule in ids if rule is not None and parent_of(rule) in whole]
    absent = [written for written, rule in ids if rule is None or not ({parent_of(rule)} & (told | whole))]
    if before:
        yield f"In the material already: {', '.join(map(safe, before))}."
    if absent:
        yield (
            f"Not shown: {', '.join(map(safe, absent))}. No rule of this edition has such a number, or one look-up "
            f"cannot show so much (at most {MAX_IDS} rules)."
        )
