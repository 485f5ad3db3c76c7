"""What is looked up in an edition at every question, read once a process: an edition never changes once loaded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from judge.folding import fold_name
from judge.values import RuleId
from rules.models import GlossaryTerm, Rule

_EDITIONS = 2  # kept: the current one, and the one before while some thread still reads it
_LONGEST = 5  # words of a glossary term that are looked for


@lru_cache(maxsize=_EDITIONS)
def headings_of(edition: int) -> Mapping[str, RuleId]:
    """The rule under every heading of 701 and 702, by the heading in lower case."""
    return Rule.objects.headings(edition)


@lru_cache(maxsize=_EDITIONS)
def references_of(edition: int) -> Mapping[RuleId, Sequence[RuleId]]:
    """The rules that each rule or its subrules name, all at rule level."""
    named: defaultdict[RuleId, list[RuleId]] = defaultdict(list)
    for source, target in Rule.objects.references(edition):
        named[source].append(target)
    return dict(named)


@lru_cache(maxsize=_EDITIONS)
def _glossary(edition: int) -> Mapping[str, Sequence[GlossaryTerm]]:
    """The entries that are not obsolete by each of their folded forms."""
    by_form: defaultdict[str, list[GlossaryTerm]] = defaultdict(list)
    for term in GlossaryTerm.objects.of(edition).filter(is_obsolete=False):
        for form in term.forms:
            by_form[form].append(term)
    return dict(by_form)


def terms_named(edition: int, text: str, limit: int) -> list[GlossaryTerm]:
    """Entries one of whose forms stands in *text* as whole words, the longest terms first, at most *limit*.

    Folded on both sides; a plural counts ("counters" names "counter"). Obsolete entries are left out.
    """
    by_form = _glossary(edition)
    words = fold_name(text).split()
    phrases = {" ".join(words[start : start + size]) for size in range(1, _LONGEST + 1) for start in range(len(words))}
    phrases |= {phrase.removesuffix("s") for phrase in phrases}
    found = {term.pk: term for phrase in phrases for term in by_form.get(phrase, ())}
    ordered = sorted(found.values(), key=lambda term: (-len(term.folded.split()), -len(term.folded), term.folded))
    return ordered[:limit]
