"""The curation app's SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from cards.querysets import FoldedNameQuerySet

if TYPE_CHECKING:
    from curation.models import CardAlias


class CardAliasQuerySet(FoldedNameQuerySet["CardAlias"]):
    """Nicknames."""

    def live(self) -> Self:
        """Those not retired."""
        return self.filter(retired_at__isnull=True)
