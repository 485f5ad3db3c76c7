"""Rule numbers that no rule has, and what stands nearest to where it would be."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping

from judge.errors import InvalidRuleId
from judge.values import (
    RULE_ID_IN_PROSE,
    AbsentRule,
    RuleChunk,
    RuleId,
    parent_of,
    parse_rule_id,
    rule_order,
    section_of,
)


def numbers_in(text: str) -> tuple[RuleId, ...]:
    """The rule numbers *text* writes, in order, each once, whether or not a rule has them."""
    found: dict[RuleId, None] = {}
    for match in RULE_ID_IN_PROSE.finditer(text):
        try:
            found[parse_rule_id(match.group())] = None
        except InvalidRuleId:
            continue
    return tuple(found)


def absent_rules(numbers: Iterable[RuleId], chunks: Mapping[RuleId, RuleChunk]) -> tuple[AbsentRule, ...]:
    """Those of *numbers* that none of *chunks*, all rules of an edition, has, each with what is nearest.

    Near a missing subrule are its rule and that rule's last subrule; near a missing rule the one before it in the
    document, and the one after it where that is of the same section. Nothing is near where there are no rules.
    """
    leaves = {leaf.id for chunk in chunks.values() for leaf in chunk.leaves}
    missing = [number for number in numbers if number not in chunks and number not in leaves]
    if not missing:
        return ()
    ordered = sorted(chunks, key=rule_order)
    return tuple(AbsentRule(number, _nearest(number, ordered, chunks)) for number in missing)


def _nearest(number: RuleId, ordered: list[RuleId], chunks: Mapping[RuleId, RuleChunk]) -> tuple[RuleId, ...]:
    parent = chunks.get(parent_of(number))
    if parent is not None:
        return (parent.id, *(leaf.id for leaf in parent.leaves[-1:]))
    at = bisect_left(ordered, rule_order(number), key=rule_order)
    after = [rule for rule in ordered[at : at + 1] if section_of(rule) == section_of(number) or at == 0]
    return (*ordered[max(at - 1, 0) : at], *after)
