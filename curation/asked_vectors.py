"""Gives the phrases of how players ask their vectors: in batches, resumable, as rules.embedding does for rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import batched

from curation.models import AskedPhrase, AskedVector
from judge.ports import Embedder
from judge.values import Space, Vector
from rules.embedding import BATCH, CACHED_BATCH, EmbedReport, Progress, alone, claim_space, storing
from rules.vector_cache import NO_VECTORS, key_of


def embed_asked(
    embedder: Embedder,
    progress: Progress = lambda _done, _total: None,
    shipped: Mapping[bytes, Vector] = NO_VECTORS,
) -> EmbedReport:
    """Embeds the phrases that have no vector yet, with *shipped* vectors where they fit.

    Raises AlreadyEmbedding, SpaceMismatch.
    """
    with alone():
        claim_space(embedder.space)
        known: list[tuple[str, Vector]] = []
        unknown: list[str] = []
        for text in dict.fromkeys(AskedPhrase.objects.without_vector().values_list("text", flat=True)):
            vector = shipped.get(key_of(embedder.space, text))
            if vector is None:
                unknown.append(text)
            else:
                known.append((text, vector))
        total = AskedPhrase.objects.count()
        progress(AskedVector.objects.count(), total)
        for pairs in batched(known, CACHED_BATCH):
            _store(embedder.space, dict(pairs))
            progress(AskedVector.objects.count(), total)
        for texts in batched(unknown, BATCH):
            _store(embedder.space, dict(zip(texts, embedder.documents(texts), strict=True)))
            progress(AskedVector.objects.count(), total)
        return EmbedReport(0, len(known), len(unknown))


def asked_vectors(space: Space) -> Iterator[tuple[bytes, Vector]]:
    """Cache key and vector of every embedded phrase. Raises SpaceMismatch."""
    claim_space(space)
    for text, embedding in AskedVector.objects.values_list("phrase__text", "embedding"):
        yield key_of(space, text), tuple(map(float, embedding))


def _store(space: Space, vectors: Mapping[str, Vector]) -> None:
    """Commits *vectors*, by text, each for every phrase of that text. Raises SpaceMismatch."""
    with storing(space):
        waiting = AskedPhrase.objects.without_vector().filter(text__in=vectors).values_list("pk", "text")
        AskedVector.objects.bulk_create(
            [AskedVector(phrase_id=phrase, embedding=list(vectors[text])) for phrase, text in waiting],
            ignore_conflicts=True,  # a phrase deleted and loaded again meanwhile
        )
