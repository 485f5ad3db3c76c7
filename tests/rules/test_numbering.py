from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.values import RuleId, rule_order
from rules.numbering import LETTERS, letters_between, successors


@pytest.mark.parametrize(
    ("number", "after"),
    [
        ("702", {"702.1"}),
        ("702.9", {"702.10", "702.9a"}),
        ("702.99", {"702.100", "702.99a"}),
        ("702.9k", {"702.10", "702.9m"}),
        ("702.9n", {"702.10", "702.9p"}),
        ("704.5z", {"704.6", "704.5aa"}),
        ("704.5aa", {"704.6", "704.5ab"}),
        ("704.5zz", {"704.6"}),
        ("704.5l", {"704.6"}),  # no letter of the rules: what may follow is not known
    ],
)
def test_what_may_follow_a_number(number: str, after: set[str]) -> None:
    assert successors(number) == after


@given(st.sampled_from(LETTERS[:-1]))
def test_the_next_letters_come_later_in_the_document(letters: str) -> None:
    first, second = RuleId(f"100.1{letters}"), RuleId(f"100.1{LETTERS[LETTERS.index(letters) + 1]}")
    assert rule_order(first) < rule_order(second)
    assert second in successors(first)


@pytest.mark.parametrize(
    ("first", "last", "letters"),
    [("k", "n", "kmn"), ("a", "a", "a"), ("d", "b", "d"), ("l", "n", "l")],
)
def test_letters_of_a_range(first: str, last: str, letters: str) -> None:
    assert letters_between(first, last) == tuple(letters)


def test_range_past_z() -> None:
    assert letters_between("y", "ab") == ("y", "z", "aa", "ab")
