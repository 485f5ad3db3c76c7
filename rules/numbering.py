"""How rule numbers follow each other: letters skip l and o, and aa follows z (CR 704.5aa)."""

from __future__ import annotations

import re
from string import ascii_lowercase

_SINGLE = [letter for letter in ascii_lowercase if letter not in "lo"]
# Ordered as the document uses them: a ... z, aa ... az, ba ... zz.
LETTERS: tuple[str, ...] = (*_SINGLE, *(first + second for first in _SINGLE for second in _SINGLE))
_PLACE = {letters: place for place, letters in enumerate(LETTERS)}
_PARTS = re.compile(r"(\d+)\.(\d+)([a-z]*)")


def letters_between(first: str, last: str) -> tuple[str, ...]:
    """The letters from *first* to *last*, both included; just *first* when they do not make a range."""
    start, end = _PLACE.get(first), _PLACE.get(last)
    if start is None or end is None or end < start:
        return (first,)
    return LETTERS[start : end + 1]


def successors(number: str) -> frozenset[str]:
    """The rule numbers that may stand right after *number* within its section.

    *number*: a rule, a subrule, or a bare section ("702"), which only its first rule may follow.
    """
    match = _PARTS.fullmatch(number)
    if match is None:
        return frozenset({f"{number}.1"})
    section, rule, letters = match.groups()
    next_rule = f"{section}.{int(rule) + 1}"
    place = -1 if not letters else _PLACE.get(letters, len(LETTERS))
    if place + 1 >= len(LETTERS):
        return frozenset({next_rule})
    return frozenset({next_rule, f"{section}.{rule}{LETTERS[place + 1]}"})
