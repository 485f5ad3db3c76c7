"""Rows of the rules app as the judge's values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from judge.values import GlossaryEntry, Leaf, RuleChunk, RuleId, parent_of
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
