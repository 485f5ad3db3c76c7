"""Misspellings by one slip of the finger."""

from __future__ import annotations

import pytest

from judge.slips import is_one_letter_off, is_slip, is_swap


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("mire", "mrie", True), ("mire", "mire", False), ("mire", "emri", False), ("mire", "mires", False)],
)
def test_a_swap_is_of_neighbours(one: str, other: str, expected: bool) -> None:
    assert is_swap(one, other) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("mire", "mide", True),
        ("mire", "mir", True),
        ("mire", "mirre", True),
        ("mire", "mire", False),
        ("mire", "made", False),
        ("mire", "mi", False),
        ("mire 2", "mire 3", False),
        ("mire titan", "miretitan", False),
    ],
)
def test_one_letter_off_is_a_letter(one: str, other: str, expected: bool) -> None:
    assert is_one_letter_off(one, other) is expected
    assert is_one_letter_off(other, one) is expected


def test_only_long_names_of_several_words_forgive_a_letter() -> None:
    assert is_slip("mirelight wardan", "mirelight warden")
    assert not is_slip("mirelighd", "mirelight")
    assert not is_slip("bog hag", "bog hat")
