"""How usual a word is, from the frequency lists of pyspellchecker, loaded once a process and language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache

from judge.folding import fold_name
from judge.vocabulary import Phrases, phrases
from rules.models import GlossaryTerm, Rule

_LOWER_WORD = re.compile(r"\b[a-z][a-z’']+")
TELLING = 0.05  # of all rules; a word that more of them use tells none apart
_LANGUAGES = frozenset({"en", "fr", "de", "es", "it", "pt", "ru"})


def per_million(word: str, language: str) -> float:
    """Occurrences of folded *word* in a million words of *language*; 0 for a word, or a language, not in the lists."""
    known, total = _frequencies(language)
    return known.get(word, 0) * 1_000_000 / total


@cache
def _frequencies(language: str) -> tuple[Mapping[str, int], int]:
    """Counts by folded word, and their sum. Takes a few tenths of a second the first time."""
    if language not in _LANGUAGES:
        return {}, 1
    from spellchecker import SpellChecker

    counts: dict[str, int] = {}
    for word, count in SpellChecker(language=language).word_frequency.dictionary.items():
        folded = word if word.isascii() and word.isalpha() else fold_name(word)
        counts[folded] = counts.get(folded, 0) + count
    return counts, sum(counts.values())


@cache
def rules_terms(edition: int) -> frozenset[str]:
    """The folded keywords and glossary terms of the edition with that id, and the forms its glossary lists."""
    rows = GlossaryTerm.objects.of(edition).filter(is_obsolete=False).values_list("folded", "forms")
    headings = Rule.objects.headings(edition)
    return frozenset(form for folded, forms in rows for form in (folded, *forms)) | frozenset(map(fold_name, headings))


@cache
def long_terms(edition: int) -> Phrases:
    """The rules_terms of several words, to be found in folded text: no word of "city's blessing" is a card's name."""
    return phrases(term for term in rules_terms(edition) if " " in term)


@cache
def telling_terms(edition: int) -> frozenset[str]:
    """The terms of rules_terms that tell one question from another.

    Of several words, or one word that few rules use: "creature" or "if" as a query of its own would find
    everything.
    """
    spread: Counter[str] = Counter()
    bodies = Rule.objects.of(edition).rules().values_list("body", flat=True)
    for body in bodies:
        spread.update(set(fold_name(body).split()))
    most = TELLING * len(bodies)
    return frozenset(term for term in rules_terms(edition) if " " in term or 0 < spread[term] <= most)


@cache
def rules_words(edition: int) -> frozenset[str]:
    """Every folded word the rules of that edition use in lower case."""
    words: set[str] = set()
    for body in Rule.objects.of(edition).rules().values_list("body", flat=True):
        words.update(_LOWER_WORD.findall(body))
    return frozenset(map(fold_name, words))
