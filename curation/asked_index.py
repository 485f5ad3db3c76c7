"""Searches how players ask, by words and by meaning, kept in this process: a question is most like another question.

All phrases of one rule or subrule are one document of BM25; by vector a number is as near as its nearest phrase (D76).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import connection

from curation.models import AskedPhrase, AskedVector
from judge.values import RuleId, Space, Vector, parent_of, rule_order
from rules.bm25 import Bm25, best_places
from rules.embedding import belongs
from rules.lexemes import lexemes_of
from rules.models import EmbeddingSpace
from rules.querysets import TextHit

_NEAREST_PHRASES = 400  # phrases that are looked at for the nearest numbers: a number has hardly ever more than ten


@dataclass(frozen=True, slots=True)
class _Phrases:
    """The phrases as they were at *stamp*. Numbers stand in the order of the CR."""

    stamp: tuple[object, ...]
    numbers: tuple[RuleId, ...]
    is_leaf: tuple[bool, ...]
    text: Bm25  # a document a number
    owners: Any  # int32: for each vector the place of its number
    vectors: Any  # float32, (vectors, width)
    space: EmbeddingSpace | None

    def hit(self, place: int, score: float) -> TextHit:
        """The number at *place*, found with *score*."""
        return TextHit(self.numbers[place], self.is_leaf[place], score)


@dataclass(slots=True)
class AskedIndex:
    """The phrases of this process; refresh() follows what a load, a curator or an embedding run has changed."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _phrases: _Phrases | None = None

    def refresh(self) -> None:
        """Reads the phrases again when they have changed: one query to see that they have not."""
        stamp = _stamp()
        with self._lock:
            if self._phrases is None or self._phrases.stamp != stamp:
                self._phrases = _read(stamp)

    def search(self, queries: Sequence[Mapping[str, int]], limit: int) -> list[list[TextHit]]:
        """For every query (rules.lexemes) the *limit* numbers whose phrases share its words best, best first."""
        phrases = self._read_phrases()
        return [[phrases.hit(*found) for found in phrases.text.best(query, limit)] for query in queries]

    def nearest(self, space: Space, queries: Sequence[Vector], limit: int) -> list[list[TextHit]]:
        """For every query the *limit* numbers with the nearest phrases; score is the cosine.

        Nothing while no phrase has a vector of *space*.
        """
        phrases = self._read_phrases()
        if phrases.space is None or not belongs(phrases.space, space) or not len(phrases.owners) or not queries:
            return [[] for _ in queries]
        scores = np.array(queries, dtype=np.float32) @ phrases.vectors.T
        return [_nearest(row, phrases, limit) for row in scores]

    def _read_phrases(self) -> _Phrases:
        if self._phrases is None:
            self.refresh()
        assert self._phrases is not None  # refresh() has just read them
        return self._phrases


def _nearest(scores: Any, phrases: _Phrases, limit: int) -> list[TextHit]:
    best: dict[int, float] = {}
    places = best_places(scores, _NEAREST_PHRASES)
    for owner, score in zip(phrases.owners[places].tolist(), scores[places].tolist(), strict=True):
        best.setdefault(owner, score)
        if len(best) == limit:
            break
    return [phrases.hit(place, score) for place, score in best.items()]


def _stamp() -> tuple[object, ...]:
    """What tells one state of the phrases and their vectors from another (D85)."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT (SELECT revision FROM rules_indexrevision WHERE name = 'curation_askedphrase'),
                      (SELECT revision FROM rules_indexrevision WHERE name = 'curation_askedvector'),
                      (SELECT provider || '/' || model || '/' || width FROM rules_embeddingspace)"""
        )
        return tuple(cursor.fetchone() or ())


def _read(stamp: tuple[object, ...]) -> _Phrases:
    rows = list(AskedPhrase.objects.order_by("pk").values_list("number", "text"))
    numbers = tuple(sorted({RuleId(number) for number, _ in rows}, key=rule_order))
    places = {number: place for place, number in enumerate(numbers)}
    counted: dict[tuple[str, int], int] = {}
    for (number, _), lexemes in zip(rows, lexemes_of([text for _, text in rows]), strict=True):
        for lexeme, frequency in lexemes.items():
            key = lexeme, places[RuleId(number)]
            counted[key] = counted.get(key, 0) + frequency
    vectors = list(AskedVector.objects.order_by("phrase").values_list("phrase__number", "embedding"))
    known = [(places[RuleId(number)], embedding) for number, embedding in vectors if number in places]
    return _Phrases(
        stamp=stamp,
        numbers=numbers,
        is_leaf=tuple(parent_of(number) != number for number in numbers),
        text=Bm25.of(((lexeme, place, times) for (lexeme, place), times in counted.items()), len(numbers)),
        owners=np.array([place for place, _ in known], dtype=np.int32),
        vectors=np.array([embedding for _, embedding in known], dtype=np.float32),
        space=EmbeddingSpace.objects.filter(id=1).first(),
    )
