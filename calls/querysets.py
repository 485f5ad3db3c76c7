"""The calls app's SQL."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self
from uuid import UUID

from django.db import models
from django.db.models.functions import Coalesce
from pgvector.django import CosineDistance

from judge.values import Vector

if TYPE_CHECKING:
    from calls.models import Call

_AGENT = "agent"  # the door whose answers were written by whoever called


class CallQuerySet(models.QuerySet["Call"]):
    """Stored calls."""

    def examples(self, category: str, cards: Iterable[UUID]) -> Self:
        """The calls that may be shown to another asker: of *category*, about one of *cards*, rated well, not retired.

        Answers by an agent or without a model never serve. The index on `cards` holds just these rows.
        """
        return self.filter(
            is_usable=True,
            retired_at__isnull=True,
            cards__overlap=list(cards),
            category=category,
            kind=self.model.Kind.ANSWER,
        ).exclude(door=_AGENT)

    def nearest(self, vector: Vector | None) -> Self:
        """Nearest question first by cosine distance; calls without a vector, and all without *vector*, by score."""
        if vector is None:
            return self.order_by("-score", "-pk")
        distance = CosineDistance("vector__embedding", list(vector))
        return self.order_by(Coalesce(distance, 2.0), "-score", "-pk")
