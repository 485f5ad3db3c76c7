"""The cards app's SQL, one rung or look-up a method. Queries arrive folded (judge.folding.fold_name)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Self
from uuid import UUID

from django.db import models
from django.db.models import Count, F, Q, Value
from django.db.models.functions import Replace

if TYPE_CHECKING:
    from cards.models import Card, CardFace, PrintedName, Ruling


def squeezed() -> Replace:
    """The folded name with its spaces taken out; the expression that the squeezed indexes are built on."""
    return Replace(F("folded"), Value(" "), Value(""))


class FoldedNameQuerySet[Row: models.Model](models.QuerySet[Row]):
    """Rows with a `folded` column."""

    def with_words(self, words: str) -> Self:
        """Those with *words* as whole words in their name, but not as the whole name."""
        return self.filter(
            Q(folded__startswith=f"{words} ") | Q(folded__endswith=f" {words}") | Q(folded__contains=f" {words} ")
        )


class CardQuerySet(FoldedNameQuerySet["Card"]):
    """Cards."""

    def of_ids(self, ids: Iterable[UUID]) -> Self:
        """The cards of these oracle_ids with their faces, in two queries however many there are."""
        return self.filter(oracle_id__in=list(ids)).prefetch_related("faces")


class CardFaceQuerySet(FoldedNameQuerySet["CardFace"]):
    """Faces. A single-faced card has one, so every name but "Front // Back" stands here."""

    def words_written(self, words: Collection[str]) -> set[str]:
        """Those of *words* that stand in an Oracle text, case and all: names of tokens and places. One query."""
        if not words:
            return set()
        wanted = sorted(set(words))
        faces = {f"word_{at}": Count("pk", filter=Q(oracle_text__contains=word)) for at, word in enumerate(wanted)}
        counted = self.order_by().aggregate(**faces)
        return {word for at, word in enumerate(wanted) if counted[f"word_{at}"]}


class PrintedNameQuerySet(FoldedNameQuerySet["PrintedName"]):
    """Printed names."""


class RulingQuerySet(models.QuerySet["Ruling"]):
    """Rulings."""

    def of_cards(self, ids: Iterable[UUID]) -> Self:
        """The rulings of these cards, newest first."""
        return self.filter(card__in=list(ids)).order_by("-published_at", "id")
