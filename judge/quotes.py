"""Where a quote stands in its source.

The source is folded one character to one, so offsets in the folded text hold in the source; the quote is
turned into a pattern over that folded text, which may spell one sign in several ways ("..." and "…"). Only
punctuation and white space are forgiven (D40): no word may be added, dropped, changed, moved or cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

_QUOTE_MARKS = "'\"‘’‚‛“”„‟«»‹›′″`´ʼ"
_DASHES = "-‐\u2011‒–—―\u2212﹘﹣－"
_HYPHENS = "-‐\u2011"
_APOSTROPHES = "'’ʼ"
_SIGNS = "+" + _DASHES
_SPACES = "\t\n\r\x0b\x0c\x85\u00a0\u1680\u202f\u205f\u3000\u2028\u2029" + "".join(map(chr, range(0x2000, 0x200B)))

# Single and double marks are one class: inside JSON a model writes 'Equip' to spare itself the escape.
_FOLD = str.maketrans(dict.fromkeys(_QUOTE_MARKS, "'") | dict.fromkeys(_DASHES, "-") | dict.fromkeys(_SPACES, " "))

# Signs that one hand writes in one character and another in several. First alternative that fits wins.
_TOKEN = re.compile(r" +-+ +|-{2,3}| +|\.{3}|…|>=|≥|<=|≤|.", re.DOTALL)
_SPELLINGS = {
    "...": r"(?:\.\.\.|…)",
    "…": r"(?:\.\.\.|…)",
    ">=": "(?:>=|≥)",
    "≥": "(?:>=|≥)",
    "<=": "(?:<=|≤)",
    "≤": "(?:<=|≤)",
}


class Span(NamedTuple):
    """Half-open character offsets in the source: text[start:end]."""

    start: int
    end: int


def fold_punctuation(text: str) -> str:
    """*text* with every quotation mark, dash and white space in its plain form; as long as *text*, same offsets."""
    return text.translate(_FOLD)


def locate(quote: str, text: str) -> Span | None:
    """Where *quote* stands in *text*, or None; places that spell every sign the same way come first.

    Folds typographic punctuation one character to one, so offsets in the folded text hold in *text*
    (models retype the CR's ’ and — as ASCII). Case and word order must match, and the quote may not begin or
    end inside a word: "can" does not stand in "can't", nor "land" in "nonland". White space matches white
    space, line breaks included (D40).
    """
    folded_quote, folded_text = fold_punctuation(quote).strip(" "), fold_punctuation(text)
    if not folded_quote:
        return None
    places = chain(_as_written(folded_quote, folded_text), _otherwise_spelled(folded_quote, folded_text))
    return next((span for span in places if _stands_alone(span, text)), None)


def quoted(span: Span, text: str) -> str:
    """The source's own characters at *span*."""
    return text[span.start : span.end]


def _as_written(quote: str, text: str) -> Iterator[Span]:
    """Every place of the folded *quote* in the folded *text*, sign for sign; most quotes end here."""
    at = text.find(quote)
    while at >= 0:
        yield Span(at, at + len(quote))
        at = text.find(quote, at + 1)


def _otherwise_spelled(quote: str, text: str) -> Iterator[Span]:
    """Every place where one sign may stand in several characters, or white space run on."""
    pattern = re.compile("".join(_spelled(token) for token in _TOKEN.findall(quote)))
    found = pattern.search(text)
    while found is not None:
        yield Span(*found.span())
        found = pattern.search(text, found.start() + 1)


def _spelled(token: str) -> str:
    """The pattern for one token of a folded quote."""
    if token in _SPELLINGS:
        return _SPELLINGS[token]
    if token.startswith(" "):
        return " *- *" if "-" in token else " +"
    if token.startswith("--"):
        return f"(?:{token}|-)"
    return re.escape(token)


def _stands_alone(span: Span, text: str) -> bool:
    """Whether *span* begins and ends between words, with no sign cut off its first number."""
    return not (
        _joins_words(text, span.start)
        or _joins_words(text, span.end)
        or (text[span.start].isdigit() and _ends_in_sign(text[max(span.start - 2, 0) : span.start]))
    )


def _joins_words(text: str, cut: int) -> bool:
    """Whether the two sides of *cut* are one word: "fly|ing", "can|'t", "non-|Human"."""
    before, after = text[max(cut - 2, 0) : cut], text[cut : cut + 2]
    if not before or not after:
        return False
    joiners = _HYPHENS + _APOSTROPHES
    if before[-1].isalnum() and after[0].isalnum():
        return True
    if before[-1].isalnum() and after[0] in joiners:
        return len(after) == 2 and after[1].isalnum()
    return len(before) == 2 and before[1] in joiners and before[0].isalnum() and after[0].isalnum()


def _ends_in_sign(before: str) -> bool:
    """Whether the one or two characters before a number end in its plus or minus, as in "gets -1/-1"."""
    return before[-1:] != "" and before[-1] in _SIGNS and not before[:-1].isalnum()
