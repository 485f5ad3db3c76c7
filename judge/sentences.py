"""An answer cut into its sentences, `[n]` marks kept with the sentence they stand behind."""

from __future__ import annotations

import re

# An end: a stop with its closing marks and citation marks, then white space and something a sentence begins with; a
# full stop of Chinese or Japanese, with its marks, wherever it stands; a line break.
_ENDS = re.compile(
    r"(?<=[.!?])[\"”’)]*(?:\s*\[\d+\])*[\"”’)]*\s+(?=[\"“‘(\[{]?[^\W\d_a-zß-öø-ÿ]|\d|\{)"
    r"|(?<=[。！？])[」』）]*(?:\s*\[\d+\])*\s*"
    r"|\n+"
)
_ABBREVIATIONS = re.compile(
    r"\b(?:e\.g|i\.e|vs|etc|z\.B|d\.h|p\.ex|cf|bzw|Mr|Mrs|Ms|Dr|St|approx)\.\s*$", re.IGNORECASE
)
_NUMBER_SIGN = re.compile(r"\b(?:no|nr)\.\s*$", re.IGNORECASE)  # "no. 3" goes on; "No. 3 damage" is taken for it too


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of *text*, in order; no character but white space is lost.

    "702.19b" and "e.g." end no sentence by themselves; a line break ends one.
    """
    parts: list[str] = []
    start = 0
    for match in _ENDS.finditer(text):
        if _goes_on(text[start : match.start()], text[match.end() : match.end() + 1]):
            continue
        parts.append(text[start : match.end()])
        start = match.end()
    parts.append(text[start:])
    return tuple(stripped for part in parts if (stripped := part.strip()))


def _goes_on(before: str, after: str) -> bool:
    """Whether the stop at the end of *before* belongs to a short form, so that the sentence goes on with *after*."""
    if _ABBREVIATIONS.search(before):
        return True
    return after.isdigit() and len(before) > len("No. ") and _NUMBER_SIGN.search(before) is not None
