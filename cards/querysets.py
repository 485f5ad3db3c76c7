"""The cards app's SQL, one rung or look-up a method. Queries arrive folded (judge.folding.fold_name)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Self
from uuid import UUID

from django.contrib.postgres.search import TrigramSimilarity
from django.db import models
from django.db.models import Count, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce, Replace

if TYPE_CHECKING:
    from cards.models import Card, CardFace, PrintedName, Ruling


def squeezed() -> Replace:
    """The folded name with its spaces taken out; the expression that the squeezed indexes are built on."""
    return Replace(F("folded"), Value(" "), Value(""))


class FoldedNameQuerySet[Row: models.Model](models.QuerySet[Row]):
    """Rows with a `folded` column."""

    def folded_as(self, names: Collection[str]) -> Self:
        """Those called exactly one of *names*."""
        return self.filter(folded__in=names)

    def squeezed_as(self, names: Collection[str]) -> Self:
        """Those called one of *names* once spaces are disregarded, in whatever place; annotated `squeezed`."""
        return self.annotate(squeezed=squeezed()).filter(squeezed__in=[name.replace(" ", "") for name in names])

    def beginning_with(self, words: Collection[str]) -> Self:
        """Those whose name begins with one of *words* and goes on."""
        return self.filter(reduce(or_, (Q(folded__startswith=f"{start} ") for start in words), Q(pk__in=[])))

    def similar_to(self, name: str, at_most: int) -> Self:
        """Those spelled like *name*, nearest first, annotated `score` (pg_trgm similarity in [0, 1]).

        How near a row has to be is the session's pg_trgm.similarity_threshold, so that the GIN index is used.
        """
        near = self.filter(folded__trigram_similar=name)
        return near.annotate(score=TrigramSimilarity("folded", name)).order_by("-score", "folded")[:at_most]

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

    def with_text(self, word: str) -> Self:
        """Those whose Oracle text has *word* in it, case and all: names of tokens and places stand there."""
        return self.filter(oracle_text__contains=word)

    def most_asked_first(self, at_most: int) -> Self:
        """The first *at_most*, cards with many rulings first: those are the ones people ask about."""
        from cards.models import Ruling  # the models module imports this one

        asked = Ruling.objects.filter(card=OuterRef("card_id")).order_by().values("card").annotate(n=Count("pk"))
        ranked = self.annotate(rulings=Coalesce(Subquery(asked.values("n")), 0))
        return ranked.order_by("card__is_funny", "-rulings", "folded")[:at_most]


class PrintedNameQuerySet(FoldedNameQuerySet["PrintedName"]):
    """Printed names."""


class RulingQuerySet(models.QuerySet["Ruling"]):
    """Rulings."""

    def of_cards(self, ids: Iterable[UUID]) -> Self:
        """The rulings of these cards, newest first."""
        return self.filter(card__in=list(ids)).order_by("-published_at", "id")
