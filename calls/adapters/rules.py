"""Rows of the rules app as the judge's values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from judge.values import GlossaryEntry, Leaf, RuleChunk, RuleId
from rules import models


def rule_chunks(edition: int, rules: Collection[RuleId]) -> dict[RuleId, RuleChunk]:
    """The chunks of *rules* (rule level) in that edition; a number without a rule is absent. Three queries."""
    if not rules:
        return {}
    rows = list(models.Rule.objects.of(edition).rules().numbered(rules))
    sections = models.Section.objects.filter(edition_id=edition, number__in={row.section for row in rows})
    titles = {section.number: section.title for section in sections}
    leaves: defaultdict[int | None, list[Leaf]] = defaultdict(list)
    subrules = models.Rule.objects.of(edition).filter(parent__in=rows).order_by("position")
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


def glossary_entries(terms: Iterable[models.GlossaryTerm]) -> tuple[GlossaryEntry, ...]:
    """*terms* as values, in their order."""
    return tuple(GlossaryEntry(term.term, term.text) for term in terms)
