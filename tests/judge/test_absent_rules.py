"""Numbers that no rule has."""

from __future__ import annotations

import pytest

from judge.absent_rules import absent_rules, numbers_in
from judge.values import AbsentRule, Leaf, RuleChunk, RuleId


def chunk(number: str, letters: str = "") -> RuleChunk:
    return RuleChunk(
        RuleId(number), "Invented", "", "x", tuple(Leaf(RuleId(number + letter), "x") for letter in letters)
    )


CHUNKS = {
    one.id: one for one in (chunk("100.1"), chunk("702.2"), chunk("702.9", "ab"), chunk("702.19"), chunk("904.1"))
}


@pytest.mark.parametrize(
    ("number", "nearest"),
    [
        ("702.9z", ("702.9", "702.9b")),
        ("100.1a", ("100.1",)),
        ("702.999", ("702.19",)),
        ("702.10", ("702.9", "702.19")),
        ("702.10b", ("702.9", "702.19")),
        ("950.1", ("904.1",)),
        ("100.0", ("100.1",)),
    ],
)
def test_a_missing_number_has_neighbours(number: str, nearest: tuple[str, ...]) -> None:
    expected = AbsentRule(RuleId(number), tuple(map(RuleId, nearest)))
    assert absent_rules([RuleId(number)], CHUNKS) == (expected,)


def test_numbers_that_rules_have_are_not_missing() -> None:
    assert absent_rules(numbers_in("do 702.9, 702.9B and 100.1 agree?"), CHUNKS) == ()


def test_without_rules_nothing_is_near() -> None:
    assert absent_rules([RuleId("702.9")], {}) == (AbsentRule(RuleId("702.9"), ()),)


def test_numbers_are_read_once_and_prices_are_none() -> None:
    assert numbers_in("702.9b, 702.9B. and 1.5 or 10.25 of 702.9") == ("702.9b", "702.9")
