"""Exact nearest rules by cosine, over the edition's vectors kept in this process (D73)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import connection

from judge.values import RuleId, Space, Vector
from rules.bm25 import best_places
from rules.models import RuleVector
from rules.querysets import TextHit


@dataclass(frozen=True, slots=True)
class _Matrix:
    """The vectors of one edition, a row each, rules before subrules."""

    stamp: tuple[object, ...]  # what they were read at; another stamp means they have changed
    numbers: tuple[RuleId, ...]
    leaves_from: int  # the first row that is a subrule
    rows: Any  # float32, (passages, width)


@dataclass(slots=True)
class VectorIndex:
    """Searches the vectors of one edition; reads them again when they have changed. Safe between threads."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _matrix: _Matrix | None = None

    def has(self, edition: int, space: Space) -> bool:
        """Whether any vector of *space* is stored for the edition: False while there is none or another space's.

        Reads the vectors again when they have changed; one query to see that they have not.
        """
        return self._current(edition, space) is not None

    def nearest(
        self, edition: int, space: Space, queries: Sequence[Vector], limit: int, *, rules: bool = True
    ) -> list[list[TextHit]]:
        """For every query its nearest rules (if *rules*) and its nearest subrules, *limit* of each, by cosine.

        As has() read them last. Nothing where it is False.
        """
        matrix = self._matrix
        if matrix is None or matrix.stamp[:2] != (edition, space):
            matrix = self._current(edition, space)
        if matrix is None or not matrix.numbers or not queries:
            return [[] for _ in queries]
        asked = np.array(queries, dtype=np.float32)
        sides = [(0, matrix.leaves_from)] if rules else []
        found: list[list[TextHit]] = [[] for _ in queries]
        for start, stop in (*sides, (matrix.leaves_from, len(matrix.numbers))):
            for hits, scores in zip(found, asked @ matrix.rows[start:stop].T, strict=True):
                hits += _best(scores, matrix, start, limit)
        return found

    def _current(self, edition: int, space: Space) -> _Matrix | None:
        with connection.cursor() as cursor:
            cursor.execute(_STATE)
            *stored, revision = cursor.fetchone() or (None, None, None, None)
        if stored != [space.provider, space.model, space.width]:
            return None
        stamp = (edition, space, revision)
        with self._lock:
            if self._matrix is None or self._matrix.stamp != stamp:
                self._matrix = _read(edition, stamp)
            return self._matrix if self._matrix.numbers else None


_STATE = """
SELECT provider, model, width, (SELECT revision FROM rules_indexrevision WHERE name = 'rules_rulevector')
FROM rules_embeddingspace
"""


def _read(edition: int, stamp: tuple[object, ...]) -> _Matrix:
    stored = RuleVector.objects.filter(edition_id=edition).order_by("is_leaf", "rule__position")
    rows = list(stored.values_list("rule__number", "is_leaf", "embedding"))
    return _Matrix(
        stamp=stamp,
        numbers=tuple(RuleId(number) for number, _, _ in rows),
        leaves_from=sum(not is_leaf for _, is_leaf, _ in rows),
        rows=np.array([embedding for _, _, embedding in rows], dtype=np.float32),
    )


def _best(scores: Any, matrix: _Matrix, start: int, limit: int) -> list[TextHit]:
    """The best *limit* of *scores*, of the rows from *start* on, best first; equal scores in the order of the CR."""
    is_leaf = start >= matrix.leaves_from
    places = best_places(scores, limit)
    pairs = zip(places.tolist(), scores[places].tolist(), strict=True)
    return [TextHit(matrix.numbers[start + at], is_leaf, score) for at, score in pairs]
