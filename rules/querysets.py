"""The rules app's SQL, one leg or look-up a method."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Min, Q

from judge.values import RuleId

if TYPE_CHECKING:
    from rules.models import Edition, GlossaryTerm, Rule


@dataclass(frozen=True, slots=True)
class TextHit:
    """A rule or subrule that a search found, and its score in the search's own unit, larger is better."""

    id: RuleId
    is_leaf: bool
    score: float


class EditionQuerySet(models.QuerySet["Edition"]):
    """Editions."""

    def current(self) -> Edition | None:
        """The current edition, None while no rules are loaded."""
        return self.filter(is_current=True).first()


class RuleQuerySet(models.QuerySet["Rule"]):
    """Rules and subrules."""

    def of(self, edition: int) -> Self:
        """Those of the edition with that id."""
        return self.filter(edition_id=edition)

    def rules(self) -> Self:
        """Rules without their subrules: the units that are searched and shown."""
        return self.filter(parent__isnull=True)

    def numbered(self, numbers: Iterable[str]) -> Self:
        """Rules and subrules with one of *numbers*."""
        return self.filter(number__in=list(numbers))

    def in_sections(self, sections: Iterable[str]) -> Self:
        """The rules that *sections* stand for: "603" for its rules, "113.3" for that one rule, "6" for 600 to 699."""
        wanted = Q(pk__in=[])
        for section in sections:
            if len(section) == 1:
                wanted |= Q(section__startswith=section)
            else:
                wanted |= Q(number=section) if "." in section else Q(section=section)
        return self.rules().filter(wanted)

    def headed(self, headings: Iterable[str]) -> Self:
        """Rules under one of *headings* ("Trample"), whatever the case."""
        wanted = Q(pk__in=[])
        for heading in headings:
            wanted |= Q(heading__iexact=heading)
        return self.rules().filter(wanted)

    def first_dates(self) -> list[tuple[str, date]]:
        """(text, effective date of the first edition that has it) of every rule and subrule of the loaded editions."""
        rows = self.filter(edition__status="loaded", edition__is_sample=False).order_by()
        return list(rows.values("body").annotate(first=Min("edition__effective")).values_list("body", "first"))

    def headings(self, edition: int) -> dict[str, RuleId]:
        """The rule under every heading of 701 and 702, by the heading in lower case."""
        rows = self.of(edition).rules().filter(section__in=("701", "702")).exclude(heading="")
        return {heading.lower(): RuleId(number) for heading, number in rows.values_list("heading", "number")}

    def references(self, edition: int) -> list[tuple[RuleId, RuleId]]:
        """(source, target) of every cross-reference of the edition, both at rule level, each once, in its order."""
        from rules.models import RuleReference

        rows = (
            RuleReference.objects.filter(source__edition_id=edition)
            .order_by("source__position", "target__position")
            .values_list("source__number", "source__parent__number", "target__number", "target__parent__number")
        )
        pairs = ((RuleId(parent or number), RuleId(above or target)) for number, parent, target, above in rows)
        return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))


class GlossaryTermQuerySet(models.QuerySet["GlossaryTerm"]):
    """Glossary entries."""

    def in_edition(self, edition: Edition) -> Self:
        """The entries of *edition*, in order of the document."""
        return self.filter(edition=edition).order_by("position")

    def named(self, folded: Iterable[str]) -> Self:
        """Entries whose term, or one of the forms it lists, is one of *folded* (judge.folding.fold_name)."""
        names = list(folded)
        return self.filter(models.Q(folded__in=names) | models.Q(forms__overlap=names))

    def of(self, edition: int) -> Self:
        """Those of the edition with that id."""
        return self.filter(edition_id=edition)
