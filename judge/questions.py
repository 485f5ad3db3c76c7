"""Questions as they come in: cleaned, bounded, with the names code can read out of them.

Names are compared as judge.folding folds them, but found in the question's own characters, so that a pin
rewrites exactly what the asker wrote.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from judge.characters import has_words, without_controls
from judge.errors import InvalidQuestion
from judge.folding import fold_name
from judge.quotes import Span
from judge.values import CardSpan, Exchange, Pin, Question

MAX_QUESTION = 2_000  # characters, cleaned
MAX_PINS = 20  # a question naming more cards than this is no question
MAX_NAME = 200  # characters; the longest card name printed has 141

_BRACKETS = re.compile(r"\[\[([^\[\]]*)\]\]")
_POSSESSIVE = re.compile(r"['’ʼ‘`´](?:s|S)?$")
_APOSTROPHES = "'’ʼ‘`´"
# Written without spaces (or, for Hangul, with particles attached): a name there has no word boundaries.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def parse_question(
    text: str,
    *,
    history: Iterable[Exchange] = (),
    private: bool = False,
    door: str = "cli",
    thread: str = "",
) -> Question:
    """The question in *text*: trimmed, composed (NFC), without control characters or lone surrogates.

    Raises InvalidQuestion, worded for the asker, when nothing readable is left or it is too long.
    """
    cleaned = without_controls(text).strip()
    if not cleaned:
        raise InvalidQuestion("The question is empty. Ask about a card or a rule in plain words.")
    if not has_words(cleaned):
        raise InvalidQuestion("The question holds no words. Ask about a card or a rule in plain words.")
    if len(cleaned) > MAX_QUESTION:
        raise InvalidQuestion(
            f"The question has {len(cleaned):,} characters; at most {MAX_QUESTION:,} can be read. "
            "Leave out what does not change the answer."
        )
    return Question(text=cleaned, history=tuple(history), private=private, door=door, thread=thread)


def brackets(question: Question) -> tuple[CardSpan, ...]:
    """The names in [[double brackets]], in order, each once; anything after a "|" (a printing) is left out."""
    found: dict[str, CardSpan] = {}
    for match in _BRACKETS.finditer(question.text):
        name = match.group(1).split("|")[0].strip()
        if folded := fold_name(name):
            found.setdefault(folded, CardSpan(name, exact=True, sure=True))
    return tuple(found.values())


def without_brackets(text: str) -> str:
    """*text* with every [[name]] blanked: what is left for other readers of names ("Bolt" in [[Bolt Bend]] is not)."""
    return _BRACKETS.sub(lambda match: " " * len(match.group()), text)


def drop_invented_spans(spans: Iterable[CardSpan], question: Question) -> tuple[CardSpan, ...]:
    """Those of *spans* that occur in *question*, or in an earlier one of its history, as whole words.

    Case, accents and possessive are folded. Models invent cards; a name the asker never wrote is not the asker's, and
    what an earlier answer named does not count.
    """
    asked = (question.text, *(exchange.question for exchange in question.history))
    return tuple(span for span in spans if any(occurrences(span.text, text) for text in asked))


def apply_pins(text: str, pins: Sequence[Pin]) -> str:
    """*text* with each pinned span written as [[Full Name]]; doing it again changes nothing.

    Spans are found as whole words (case, accents, possessive folded), longest first, and never inside other
    brackets; a bracket that holds just the span is rewritten too. Raises InvalidQuestion naming a pin that
    occurs nowhere, contradicts another or names nothing.
    """
    for pin in sorted(_checked(pins), key=lambda pin: -len(fold_name(pin.span))):
        pinned = f"[[{pin.name}]]"
        places = _pinnable(pin.span, text)
        if not places and pinned not in text:
            raise InvalidQuestion(f"The question does not mention “{pin.span}”, so no card can be picked for it.")
        for start, end in reversed(places):
            text = text[:start] + pinned + text[end:]
    return text


def occurrences(span: str, text: str) -> tuple[Span, ...]:
    """Where *span* stands in *text* as whole words, folded; a possessive after it is not part of it."""
    if exact := _places(fold_name(span), text):
        return exact
    return _places(fold_name(_POSSESSIVE.sub("", span.strip())), text)


def _checked(pins: Sequence[Pin]) -> tuple[Pin, ...]:
    """*pins* with clean names, each span once."""
    if len(pins) > MAX_PINS:
        raise InvalidQuestion(f"At most {MAX_PINS} cards can be picked for one question.")
    picked: dict[str, Pin] = {}
    for pin in pins:
        span, name = (" ".join(without_controls(part).split()) for part in (pin.span, pin.name))
        if not fold_name(span) or not fold_name(name) or len(name) > MAX_NAME or "[[" in name or "]]" in name:
            raise InvalidQuestion(f"The pick “{name[:60]}” for “{span[:60]}” names no card.")
        before = picked.setdefault(fold_name(span), Pin(span, name))
        if before.name != name:
            raise InvalidQuestion(f"“{span}” is picked twice, as “{before.name}” and as “{name}”.")
    return tuple(picked.values())


def _pinnable(span: str, text: str) -> tuple[Span, ...]:
    """The places of *span* outside brackets, and the whole brackets that hold just it."""
    held = [(Span(*match.span()), match.group(1)) for match in _BRACKETS.finditer(text)]
    whole = [place for place, name in held if fold_name(name.split("|")[0]) == fold_name(span)]
    loose = [
        found
        for found in occurrences(span, text)
        if not any(found.start < place.end and place.start < found.end for place, _ in held)
    ]
    return tuple(sorted([*whole, *loose]))


class _Folded(NamedTuple):
    """A text folded like a name; offsets[i] is where in the text the folded character i comes from."""

    text: str
    offsets: tuple[int, ...]


@lru_cache(maxsize=4_096)
def _fold_char(char: str) -> str:
    """What fold_name makes of *char* inside a name: "" when silent, " " for a gap."""
    return fold_name(f"a{char}a")[1:-1]


@lru_cache(maxsize=64)
def _fold_text(text: str) -> _Folded:
    chars: list[str] = []
    offsets: list[int] = []
    for index, char in enumerate(text):
        for folded in _fold_char(char):
            if folded == " " and (not chars or chars[-1] == " "):
                continue
            chars.append(folded)
            offsets.append(index)
    return _Folded("".join(chars), tuple(offsets))


def _places(folded: str, text: str) -> tuple[Span, ...]:
    """Every place of the already *folded* name in *text* that begins and ends between words."""
    if not folded:
        return ()
    haystack = _fold_text(text)
    places: list[Span] = []
    at = haystack.text.find(folded)
    while at >= 0:
        span = Span(haystack.offsets[at], _after(haystack.offsets[at + len(folded) - 1], text))
        if _begins_word(text, span.start) and _ends_word(text, span.end):
            places.append(span)
            at = haystack.text.find(folded, at + len(folded))
        else:
            at = haystack.text.find(folded, at + 1)
    return tuple(places)


def _after(index: int, text: str) -> int:
    """The offset behind the character at *index* and the marks that combine with it."""
    end = index + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end


def _begins_word(text: str, start: int) -> bool:
    """Whether a name may begin at *start*: an elided article may stand before ("l'|éclair"); no name is a "'|s"."""
    before = text[max(start - 2, 0) : start]
    if len(before) == 2 and before[1] in _APOSTROPHES and (before[0].isalnum() or before[0] == "]"):
        return not re.match(r"s(?!\w)", text[start : start + 2], re.IGNORECASE)
    if not before or not before[-1].isalnum():
        return True
    return bool(_UNSPACED.match(text[start]) or _UNSPACED.match(text[start - 1]))


def _ends_word(text: str, end: int) -> bool:
    """Whether a name may end at *end*: a possessive may follow, a contraction ("can|'t") may not."""
    if end >= len(text):
        return True
    if text[end] in _APOSTROPHES:
        rest = text[end + 1 : end + 3]
        if rest == "[[":  # the rest of the word has been pinned; what is left of it is no name
            return False
        return not rest[:1].isalnum() or (rest[0] in "sS" and not rest[1:].isalnum())
    if not text[end].isalnum():
        return True
    return bool(_UNSPACED.match(text[end - 1]) or _UNSPACED.match(text[end]))
