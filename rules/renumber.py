"""Which rules moved between two editions: the same text under another number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from rules.references import mask_numbers


def masked_texts(lines: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Number to the line's own text (examples included, subrules not), rule numbers masked."""
    return {number: mask_numbers(text) for number, text in lines}


def renumberings(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Old number to new, for texts that occur once on each side and stand under another number now.

    old, new: what masked_texts gives. A rule that kept its number is not in the result.
    """
    now = _unique(new)
    moved = ((number, now.get(text)) for text, number in _unique(old).items())
    return {before: after for before, after in moved if after is not None and after != before}


def _unique(lines: Mapping[str, str]) -> dict[str, str]:
    """Text to number, for texts that occur once."""
    often = Counter(lines.values())
    return {text: number for number, text in lines.items() if often[text] == 1}
