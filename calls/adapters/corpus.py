"""What data is loaded, read in a few small queries."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime

from cards.models import BulkFile, Card, Ruling
from curation.models import AskedPhrase, AskedVector
from judge.values import CorpusState
from rules.models import Edition, GlossaryTerm, Rule, RuleVector

_NAMES = ("default_cards", "all_cards")  # the bulk files that bring printed names; either will do
_CHANGED = re.compile(r"changed (\d{1,19})$")  # nanoseconds since 1970, as sources.folder writes a revision


class PostgresCorpus:
    """The Corpus of judge.ports: seven queries, a few milliseconds over the full data."""

    def __init__(self, *, embeds: bool) -> None:
        """*embeds*: whether there is an embedder; without one nothing waits to be embedded."""
        self._embeds = embeds

    def state(self) -> CorpusState:
        """The state right now. Passages are the rules and subrules of the current edition and the ways to ask."""
        edition = Edition.objects.filter(is_current=True).first()
        cards = Card.objects.count()
        return CorpusState(
            edition=edition.effective if edition else None,
            sample=edition is not None and edition.is_sample,
            cards=cards,
            embedded=RuleVector.objects.filter(edition=edition).count() + AskedVector.objects.count() if edition else 0,
            to_embed=_passages(edition) if edition and self._embeds else 0,
            loading=_missing(edition, cards),
        )


def _passages(edition: Edition) -> int:
    """How many texts ought to have a vector."""
    return Rule.objects.filter(edition=edition).count() + AskedPhrase.objects.count()


def _missing(edition: Edition | None, cards: int) -> tuple[str, ...]:
    """What an answer would want and is not here yet, in words; the sample corpus wants nothing more."""
    if edition is None:
        return ("the rules", "the cards") if not cards else ("the rules",)
    if not cards:
        return ("the cards",)
    if edition.is_sample or BulkFile.objects.filter(kind__in=_NAMES).exists():
        return ()
    return ("older printed names and names in other languages",)


def row_counts() -> dict[str, int]:
    """How many rows of each kind are loaded; rules, subrules and glossary of the current edition."""
    rules = Rule.objects.filter(edition__is_current=True)
    return {
        "cards": Card.objects.count(),
        "rulings": Ruling.objects.count(),
        "rules": rules.filter(parent__isnull=True).count(),
        "subrules": rules.filter(parent__isnull=False).count(),
        "glossary": GlossaryTerm.objects.filter(edition__is_current=True).count(),
    }


def bulk_files() -> list[dict[str, str | int]]:
    """Each bulk file that was loaded: kind, rows, loaded_at, and updated_at: Scryfall's word, or the file's time."""
    return [
        {
            "kind": file.kind,
            "updated_at": _updated_at(file.updated_at),
            "loaded_at": file.loaded_at.isoformat(timespec="seconds"),
            "rows": file.rows,
        }
        for file in BulkFile.objects.order_by("kind")
    ]


def _updated_at(revision: str) -> str:
    """The time in a file's *revision*: Scryfall's updated_at, or when a file in a folder changed; "" without one."""
    if parse_datetime(revision):
        return revision
    changed = _CHANGED.search(revision)
    if changed is None:
        return ""
    return datetime.fromtimestamp(int(changed[1]) / 1e9, UTC).isoformat(timespec="seconds")
