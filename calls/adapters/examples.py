"""Earlier calls that may stand beside the rules as examples, and the vectors that order them (DESIGN 4.4)."""

from __future__ import annotations

from collections.abc import Sequence

from calls.models import Call, CallVector
from judge.errors import ProviderError
from judge.ports import Embedder
from judge.values import CallId, Card, Extraction, PriorCall, Space
from rules.embedding import SpaceMismatch, belongs, storing
from rules.models import EmbeddingSpace


def prior_calls(
    extraction: Extraction, cards: Sequence[Card], embedder: Embedder | None, limit: int
) -> tuple[PriorCall, ...]:
    """At most *limit* calls of the question's category that share a card with it, the nearest question first.

    One indexed query where there are none, which is the rule; the question is embedded only to order several.
    """
    if not cards:
        return ()
    found = Call.objects.examples(extraction.primary, [card.id for card in cards])
    if not found.exists():
        return ()
    rows = found.nearest(_vector(embedder, extraction.question_en))[:limit]
    return tuple(
        PriorCall(CallId(pk), question, answer, score, edition)
        for pk, question, answer, score, edition in rows.values_list("pk", "question", "answer", "score", "edition")
    )


def remember(call: int, question_en: str, embedder: Embedder) -> None:
    """Keeps the vector of *call*'s question; not while the vectors stored are of another space."""
    if not _is_stored(embedder.space):
        return
    try:
        vector = list(embedder.query(question_en))
        with storing(embedder.space):
            CallVector.objects.update_or_create(call_id=call, defaults={"embedding": vector})
    except (SpaceMismatch, ProviderError):
        return  # the operator is switching embedders, or the service fails; such calls are ordered by score


def _vector(embedder: Embedder | None, question_en: str) -> tuple[float, ...] | None:
    if embedder is None or not _is_stored(embedder.space):
        return None
    try:
        return tuple(embedder.query(question_en))
    except ProviderError:
        return None


def _is_stored(space: Space) -> bool:
    stored = EmbeddingSpace.objects.first()
    return stored is not None and belongs(stored, space)
