"""The similarity of pg_trgm, so that a candidate can be compared in a form the database does not store."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")


def trigrams(text: str) -> frozenset[str]:
    """The trigrams pg_trgm makes of *text*: each lower-case word with two spaces before it and one behind."""
    padded = [f"  {word} " for word in _WORD.findall(text.lower())]
    return frozenset(word[i : i + 3] for word in padded for i in range(len(word) - 2))


def similarity(one: str, other: str) -> float:
    """Shared trigrams as a part of all, in [0, 1]; 0 where one of the two has no word."""
    left, right = trigrams(one), trigrams(other)
    return len(left & right) / len(left | right) if left and right else 0.0
