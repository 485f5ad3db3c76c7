"""The forms in which a span is looked up: as it stands, as it is said, without endings, without printing words."""

from __future__ import annotations

import re
from functools import lru_cache

from judge.folding import fold_name

# Words that say which printing is meant, or whose card it is, and never which card.
PRINTING_WORDS = frozenset(
    """
    foil nonfoil foiled etched textless borderless showcase retro promo prerelease altered alter signed proxy proxied
    playset misprint nm lp mp hp graded mint played alpha beta unlimited revised fnm judge japanese german french
    italian spanish korean chinese russian portuguese english old new original modern extended full art frame border
    bordered my your his her their our the a an opps opponents
    """.split()  # noqa: SIM905  # read as prose
)
_CONNECTIVES = frozenset({"and", "to", "or", "n"})  # how split cards are read aloud: "start to finish"
_POSSESSIVE = re.compile(r"(?:['’‘`´ʼ]s|(?<=s)['’‘`´ʼ])$", re.IGNORECASE)
_POSSESSIVES = re.compile(r"['’]s?(?=\s|,|$)", re.IGNORECASE)  # anywhere in a name
_INFLECTIONS = ("s", "es", "ed", "ing")  # "three bolts", "he bolted it"
_SHORTEST_STEM = 3  # letters a word keeps when an inflection is taken off


def itself(text: str) -> tuple[str, ...]:
    """The folded text alone."""
    return (fold_name(text),)


def spoken_forms(text: str) -> tuple[str, ...]:
    """The folded name, then as it is said: with or without "the", without the "and" or "to" between two halves."""
    folded = fold_name(text)
    forms = [folded]
    words = folded.split()
    forms.append(" ".join(words[1:]) if words[:1] == ["the"] else f"the {folded}")
    if len(words) > 2:
        forms.append(" ".join([words[0], *(word for word in words[1:-1] if word not in _CONNECTIVES), words[-1]]))
    return tuple(dict.fromkeys(form for form in forms if form))


@lru_cache(maxsize=8192)
def stripped_forms(text: str) -> tuple[str, ...]:
    """The folded text without a possessive, without a plural or verb ending, and written as one word."""
    folded = fold_name(text)
    forms = [fold_name(_POSSESSIVE.sub("", text.strip())), folded.replace(" ", "")]
    forms += [_without_ending(folded, ending) for ending in _INFLECTIONS]
    forms += [form.removeprefix("the ") for form in (folded, *forms)]
    return tuple(dict.fromkeys(form for form in forms if form and form != folded))


def _without_ending(folded: str, ending: str) -> str:
    stem = folded.removesuffix(ending)
    return stem if stem != folded and len(stem.split(" ")[-1]) >= _SHORTEST_STEM else ""


def without_printing_words(text: str) -> tuple[str, ...]:
    """What follows the printing words at the front ("foil bob" -> "bob"), as it stands and stripped; () when none."""
    words = fold_name(text).split()
    rest = list(words)
    while len(rest) > 1 and rest[0] in PRINTING_WORDS:
        rest.pop(0)
    if len(rest) == len(words):
        return ()
    folded = " ".join(rest)
    return tuple(dict.fromkeys((folded, *stripped_forms(folded))))


def without_possessives(name: str) -> str:
    """*name* folded without its possessives, as people type it: "sensei divining top"."""
    return fold_name(_POSSESSIVES.sub("", name))


def has_words(name: str, words: str) -> bool:
    """Whether the folded *name* has the folded *words* in it, as whole words in this order."""
    return f" {words} " in f" {name} "
