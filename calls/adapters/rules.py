"""Rows of the rules app as the judge's values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache

from judge.values import RULE_ID_IN_PROSE, GlossaryEntry, Leaf, RuleChunk, RuleId, parent_of
from rules import models


@lru_cache(maxsize=2)  # the current edition, and the one before while some thread still reads it
def rule_chunks(edition: int) -> Mapping[RuleId, RuleChunk]:
    """Every rule of that edition with its subrules, a megabyte; read once, as an edition never changes once loaded."""
    rows = list(models.Rule.objects.of(edition).rules())
    sections = models.Section.objects.filter(edition_id=edition)
    titles = {section.number: section.title for section in sections}
    leaves: defaultdict[int | None, list[Leaf]] = defaultdict(list)
    subrules = models.Rule.objects.of(edition).filter(parent__isnull=False).order_by("position")
    for parent, number, body in subrules.values_list("parent_id", "number", "body"):
        leaves[parent].append(Leaf(RuleId(number), body))
    return {
        RuleId(row.number): RuleChunk(
            id=RuleId(row.number),
            section_title=titles.get(row.section, ""),
            heading=row.heading,
            text=row.body,
            leaves=tuple(leaves[row.pk]),
        )
        for row in rows
    }


@lru_cache(maxsize=2)
def reworded_since(edition: int, editions: int) -> Mapping[RuleId, date]:  # noqa: ARG001  # a key of the cache
    """Since when each rule and subrule of that edition is worded as it is, where an older loaded edition words it else.

    The numbers of other rules inside a text are left out of the comparison, as renumbering says nothing new. Rules
    that stand so in the oldest loaded edition are absent: nothing is known of before. editions: how many are loaded,
    so that one more is seen.
    """
    first: dict[str, date] = {}
    for body, effective in models.Rule.objects.first_dates():
        own = _without_numbers(body)
        first[own] = min(first.get(own, effective), effective)
    oldest = min(first.values(), default=None)
    rows = models.Rule.objects.of(edition).values_list("number", "body")
    since = {RuleId(number): first.get(_without_numbers(body)) for number, body in rows}
    return {rule: day for rule, day in since.items() if day is not None and day != oldest}


def _without_numbers(body: str) -> str:
    return RULE_ID_IN_PROSE.sub("#", body)


class CurrentRules:
    """The RuleLookup of judge.ports over the current edition."""

    def lookup(self, rules: Sequence[RuleId]) -> tuple[RuleChunk, ...]:
        """The whole rule of each of *rules* that exists, each once, in the order asked for."""
        edition = models.Edition.objects.current()
        if edition is None:
            return ()
        chunks = rule_chunks(edition.pk)
        found = (chunks.get(parent) for parent in dict.fromkeys(map(parent_of, rules)))
        return tuple(chunk for chunk in found if chunk is not None)


def glossary_entries(terms: Iterable[models.GlossaryTerm]) -> tuple[GlossaryEntry, ...]:
    """*terms* as values, in their order."""
    return tuple(GlossaryEntry(term.term, term.text) for term in terms)
