"""A quote in the text it stands in, cut to what a reader wants to see around it."""

from __future__ import annotations

from dataclasses import dataclass

AROUND = 240  # characters shown before and after the quote
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Passage:
    """before + quote + after is a piece of the source, marked with an ellipsis where more follows."""

    before: str
    quote: str
    after: str


def passage(quote: str, text: str) -> Passage:
    """*quote* in *text*: the lines it stands in, long ones cut between words; alone where it does not stand there."""
    start = text.find(quote)
    if start < 0:
        return Passage("", quote, "")
    end = start + len(quote)
    before = text[text.rfind("\n", 0, start) + 1 : start]
    line_end = text.find("\n", end)
    after = text[end : line_end if line_end >= 0 else len(text)]
    return Passage(_tail(before), quote, _head(after))


def _tail(text: str) -> str:
    if len(text) <= AROUND:
        return text
    cut = text[-AROUND:]
    return f"{_CUT} {cut.partition(' ')[2]}"


def _head(text: str) -> str:
    if len(text) <= AROUND:
        return text
    return f"{text[:AROUND].rpartition(' ')[0]} {_CUT}"
