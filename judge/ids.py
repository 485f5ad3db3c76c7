"""Ids and rule numbers, each with one way in."""

from __future__ import annotations

import re
from typing import NewType
from uuid import UUID

from judge.errors import InvalidRuleId

CardId = NewType("CardId", UUID)  # Scryfall oracle_id
RuleId = NewType("RuleId", str)  # "702.19" rule, "702.19b" subrule; make with parse_rule_id
RulingKey = NewType("RulingKey", str)  # hash of date and text, so a re-import is the same ruling
CallId = NewType("CallId", int)
CategoryKey = NewType("CategoryKey", str)  # a key of data/categories.yaml

# Subrule letters skip l and o, and aa follows z (CR 704.5aa); the number after the dot has up to three digits.
_RULE_ID = re.compile(r"([1-9]\d\d)\.(\d{1,3})([a-z]{1,2})?")
RULE_ID_IN_PROSE = re.compile(r"(?<![\d.])[1-9]\d\d\.\d{1,3}(?:[a-z]{1,2})?(?![a-z\d])")


def parse_rule_id(text: str) -> RuleId:
    """The rule id that *text* writes; a trailing period and case are forgiven. Raises InvalidRuleId."""
    cleaned = text.strip().rstrip(".").lower()
    if not _RULE_ID.fullmatch(cleaned):
        raise InvalidRuleId(text)
    return RuleId(cleaned)


def parent_of(rule: RuleId) -> RuleId:
    """The rule a subrule belongs to; a rule is its own parent."""
    return RuleId(rule.rstrip("abcdefghijklmnopqrstuvwxyz"))


def section_of(rule: RuleId) -> str:
    """The three-digit section of *rule*: "702" for "702.19b"."""
    return rule[:3]


def covers(one: RuleId, other: RuleId) -> bool:
    """Whether the two are the same rule, or one is the other's parent (a leaf and its parent cover each other)."""
    return one == other or parent_of(one) == other or parent_of(other) == one


def rule_order(rule: RuleId) -> tuple[int, int, int, str]:
    """Sort key in the order of the document: 702.9 before 702.19, 704.5z before 704.5aa."""
    match = _RULE_ID.fullmatch(rule)
    if match is None:
        raise InvalidRuleId(rule)
    section, number, letters = match.groups()
    return int(section), int(number), len(letters or ""), letters or ""
