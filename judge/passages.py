"""Texts cut into quotable passages, and words reduced to what two texts can share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from judge.marks import MIN_QUOTED_WORDS, marked_numbers
from judge.quotes import Span

LONGEST = 600  # characters; nearly every subrule is shorter, and half of one seldom decides
SHORTEST = MIN_QUOTED_WORDS  # words; less is a heading, or a bare "See rule 100.1"

_EXAMPLE = "Example:"
# Of a rule, or of one sense in the glossary.
_NUMBER = re.compile(r"^(?:[1-9]\d\d\.\d{1,3}[a-z]{0,2}\.?|[1-9]\.)\s+")
# A sentence ends in a full stop and its closing marks before a capital; "e.g. a" and "702.19b" hold none.
_SENTENCE_END = re.compile(r"(?<=[.!?])[”\"’')\]]*\s+(?=[“\"‘'(\[{]*[A-Z0-9{])")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|Mr|Mrs|Ms|Dr|St|No|cf)\.)$")
_ENCLOSED = re.compile(r"“[^“”]*”|\"[^\"]*\"|\([^()]*\)")
_LEANING = re.compile(
    r"(?:This|That|These|Those|Such|Its?|They|Their|Otherwise|However|Then|If (?:it|they|so|not)|"
    r"In (?:this|that|these|those) cases?)\b"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

_STOP_WORDS = """
a an and any are as at be been being but by can could did do does doing for from had has have having he her him his how
i if in into is it its itself just me my no not of off on or our out own she should so some such than that the their
them then there these they this those to too under until up was we were what when where which while who whom whose why
will with would you your one two also about after again all am because before both each few more most only other over
same very still let lets say says get gets got happen happens happened card cards rule rules question work works mean
means use uses
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
_DEATHS = frozenset({"die", "dies", "died", "dying", "death", "deaths"})  # too short and odd for the endings
_ENDINGS = ("ings", "ing", "ies", "ied", "ed", "es", "s", "ly")


@dataclass(frozen=True, slots=True)
class Passage:
    """A quotable piece of one line: whole sentences, verbatim. stems: its informative words.

    leans: it begins with a word such as "This", and what that points at stands before the piece.
    """

    text: str
    stems: frozenset[str]
    is_example: bool
    leans: bool = False


@lru_cache(maxsize=4_096)
def passages_of(text: str, shortest: int = SHORTEST) -> tuple[Passage, ...]:
    """The passages of *text* in order: each line whole, or as runs of whole sentences where it is long.

    A leading number, of a rule or a sense, is no part of a passage. Lines of fewer than *shortest* words (headings)
    give none, nor do pieces that hold something like a `[1]` of their own: quoted in an answer it would read as a mark.
    """
    found: list[Passage] = []
    for line in text.split("\n"):
        body = _NUMBER.sub("", line.strip(), count=1)
        for piece in _pieces(body):
            if len(piece.split()) >= shortest and not marked_numbers(piece):
                leans = not body.startswith(piece) and _LEANING.match(piece) is not None
                found.append(Passage(piece, stems(piece), body.startswith(_EXAMPLE), leans))
    return tuple(found)


@lru_cache(maxsize=4_096)
def stems(text: str) -> frozenset[str]:
    """The informative words of *text*, folded and without their English ending."""
    words = (match.group().casefold().replace("’", "'").removesuffix("'s") for match in _WORD.finditer(text))
    return frozenset(_stem(word) for word in words if word not in STOP_WORDS and len(word) > 1)


def sentences(line: str) -> tuple[Span, ...]:
    """Where each sentence of one *line* stands, in order; together they hold everything but the gaps."""
    found: list[Span] = []
    start = 0
    inside = _enclosed(line)
    for match in _SENTENCE_END.finditer(line):
        end = match.start() + len(match.group().rstrip())
        if not _ABBREVIATED.search(line, max(match.start() - 5, 0), match.start()) and not any(
            span.start < end < span.end for span in inside
        ):
            found.append(Span(start, end))
            start = match.end()
    return tuple(span for span in [*found, Span(start, len(line))] if span.start < span.end)


def _enclosed(line: str) -> tuple[Span, ...]:
    """Where text stands in quotation marks or brackets; a mark that is never closed encloses nothing."""
    return tuple(Span(*match.span()) for match in _ENCLOSED.finditer(line))


def _pieces(line: str) -> tuple[str, ...]:
    """*line*, or for a long one every run of whole sentences that fits; a sentence too long for that stays whole.

    Of an example only the run that begins it, so that it can be told from a rule.
    """
    if len(line) <= LONGEST:
        return (line,)
    spans = sentences(line)
    pieces: list[str] = []
    for first, span in enumerate(spans):
        end = span.end
        for later in islice(spans, first + 1, None):
            if later.end - span.start > LONGEST:
                break
            end = later.end
        pieces.append(line[span.start : end])
        if line.startswith(_EXAMPLE):
            break
    return tuple(pieces)


def _stem(word: str) -> str:
    """*word* without a plural, past or -ing ending: "triggers", "triggered" and "triggering" are one."""
    if word in _DEATHS:
        return "die"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            bare = word[: -len(ending)]
            if ending in ("ies", "ied"):
                return bare + "y"
            return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "ls" else _without_e(bare)
    return _without_e(word)


def _without_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
