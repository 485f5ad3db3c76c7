"""A question with each card named by what kind of card it is: what the rules, and other askers, call it.

"Can Murk Newt block Giant Wurm?" is the same question as "can creature block creature?" to every rule there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from judge.folding import fold_name
from judge.values import Card, Resolved

# Subtypes before card types: an Aura is asked about as an aura.
_SUBTYPES = ("equipment", "aura", "vehicle", "saga")
_TYPES = (
    ("creature", "creature"),
    ("planeswalker", "planeswalker"),
    ("battle", "battle"),
    ("land", "land"),
    ("instant", "instant spell"),
    ("sorcery", "sorcery spell"),
)
_PLAIN_TYPES = ("artifact", "enchantment")
_LEADING = re.compile(r"^[^\w\[\]]+")
_TRAILING = re.compile(r"[^\w\[\]]+$")
_SENTENCE_END = re.compile(r"(?<=[.?!;:])\s+|\n+")
_SENTENCE_WORDS = 4  # a shorter one says too little to search for


def kind_of(card: Card) -> str:
    """What players call a card like *card*, by its front face: "legendary creature", "instant spell", "aura"."""
    types, _, subtypes = card.faces[0].type_line.lower().partition("—")
    words, subwords = types.split(), subtypes.split()
    for printed, spoken in _TYPES:
        if printed in words:
            return f"legendary {spoken}" if "legendary" in words else spoken
    for subtype in _SUBTYPES:
        if subtype in subwords:
            return subtype
    return next((plain for plain in _PLAIN_TYPES if plain in words), "card")


def with_kinds(text: str, resolved: Iterable[Resolved]) -> str:
    """*text*, words apart by one space, with each card's span, name or face name replaced by kind_of() it.

    Case, accents and punctuation are folded, and a possessive or plural counts ("Newts", "Newt's"); longer names go
    first. Punctuation around a name stays, brackets go.
    """
    words = text.split()
    folded = [_singular(word) for word in words]
    names = {name: kind_of(each.card) for each in resolved for name in _names(each)}
    for name in sorted(names, key=lambda name: (-len(name), name)):
        _replace(words, folded, name, names[name])
    return " ".join(words)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of *text* with at least four words, when there are at least two of them; else none."""
    found = tuple(
        sentence
        for part in _SENTENCE_END.split(text)
        if (sentence := part.strip()) and len(sentence.split()) >= _SENTENCE_WORDS
    )
    return found if len(found) > 1 else ()


def _names(resolved: Resolved) -> set[tuple[str, ...]]:
    """What *resolved* may be called in the text, as folded singular words."""
    written = (resolved.span.text, resolved.card.name, *(face.name for face in resolved.card.faces))
    return {tuple(map(_singular, name.split())) for name in written} - {()}


def _replace(words: list[str], folded: list[str], name: Sequence[str], kind: str) -> None:
    """Puts *kind* for each run of *words* that is *name*; folded follows, and what was replaced matches no more."""
    size, at = len(name), 0
    while at + size <= len(words):
        if tuple(folded[at : at + size]) == tuple(name) and any(name):
            before = _LEADING.match(words[at])
            after = _TRAILING.search(words[at + size - 1])
            words[at : at + size] = [f"{before[0] if before else ''}{kind}{after[0] if after else ''}"]
            folded[at : at + size] = ["\0"]
        at += 1


def _singular(word: str) -> str:
    """*word* folded, without a plural or possessive s."""
    return fold_name(word).removesuffix("s")
