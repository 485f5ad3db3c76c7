"""The curation app's SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

from cards.querysets import FoldedNameQuerySet

if TYPE_CHECKING:
    from curation.models import AskedPhrase, CardAlias


class CardAliasQuerySet(FoldedNameQuerySet["CardAlias"]):
    """Nicknames."""

    def live(self) -> Self:
        """Those not retired."""
        return self.filter(retired_at__isnull=True)


class AskedPhraseQuerySet(models.QuerySet["AskedPhrase"]):
    """How players ask."""

    def without_vector(self) -> Self:
        """Those that wait to be embedded, in the order they were loaded."""
        return self.filter(vector__isnull=True).order_by("pk")
