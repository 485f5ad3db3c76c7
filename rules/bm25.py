"""BM25 over a fixed set of documents, in numpy: postings read once, any number of queries answered in milliseconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

# How fast repeats stop counting, and how much long documents pay for their length (D72).
K1 = 1.2
B = 0.75
# A lexeme that stands in more than this part of the documents ("card", "player") tells none of them apart; leaving
# it out halves the work. It counts again where a query has hardly anything rarer.
COMMON = 0.25
_ALWAYS = 3  # lexemes, the rarest of a query, that count however common they are
_QUERY_LEXEMES = 24  # the rarest of a query that are looked up; a ruling or an Oracle text can have a hundred
_REPEATS = 3  # how often a lexeme counts at most within a query


@dataclass(frozen=True, slots=True)
class Bm25:
    """An inverted index. Documents are known by their place, 0 to `documents` - 1. Immutable: safe between threads."""

    documents: int
    _places: Mapping[str, tuple[int, int]]  # lexeme: where its postings begin and end
    _rarity: Mapping[str, float]  # lexeme: idf
    _documents_of: Any  # int32, the document of each posting
    _parts: Any  # float64, what each posting adds to its document's score, for a lexeme asked once

    @classmethod
    def of(cls, postings: Iterable[tuple[str, int, int]], documents: int) -> Bm25:
        """The index of *postings*: lexeme, document, frequency; a lexeme and document once."""
        rows = sorted(postings)
        found = np.array([document for _, document, _ in rows], dtype=np.int32)
        frequency = np.array([frequency for _, _, frequency in rows], dtype=np.float64)
        length = np.bincount(found, weights=frequency, minlength=documents) if rows else np.zeros(documents)
        mean = max(float(length.mean()) if documents else 0.0, 1.0)
        places = _places([lexeme for lexeme, _, _ in rows])
        rarity = {
            lexeme: float(np.log(1 + (documents - (stop - start) + 0.5) / (stop - start + 0.5)))
            for lexeme, (start, stop) in places.items()
        }
        idf = np.repeat(list(rarity.values()), [stop - start for start, stop in places.values()])
        norm = K1 * (1 - B + B * length[found] / mean)
        return cls(documents, places, rarity, found, idf * frequency * (K1 + 1) / (frequency + norm))

    def best(self, query: Mapping[str, int], limit: int) -> list[tuple[int, float]]:
        """The *limit* documents that answer *query* (lexeme to frequency) best, with scores, best first.

        Equal scores in the order of the documents; a document that shares no lexeme is not among them.
        """
        asked = self._asked(query)
        if not asked:
            return []
        slices = [slice(*self._places[lexeme]) for lexeme in asked]
        weights = np.repeat(
            [min(query[lexeme], _REPEATS) for lexeme in asked], [each.stop - each.start for each in slices]
        )
        found = np.concatenate([self._documents_of[each] for each in slices])
        parts = np.concatenate([self._parts[each] for each in slices])
        scores = np.bincount(found, weights=parts * weights, minlength=self.documents)
        places = best_places(scores, limit)
        pairs = zip(places.tolist(), scores[places].tolist(), strict=True)
        return [(at, score) for at, score in pairs if score > 0]

    def _asked(self, query: Mapping[str, int]) -> list[str]:
        """The lexemes of *query* that are looked up: the rarest, without the common ones unless there are no others."""
        known = sorted((lexeme for lexeme in query if lexeme in self._rarity), key=self._order)
        return [
            lexeme
            for place, lexeme in enumerate(known[:_QUERY_LEXEMES])
            if place < _ALWAYS or self._share(lexeme) <= COMMON
        ]

    def _order(self, lexeme: str) -> tuple[float, str]:
        return -self._rarity[lexeme], lexeme

    def _share(self, lexeme: str) -> float:
        start, stop = self._places[lexeme]
        return (stop - start) / self.documents


def best_places(scores: Any, limit: int) -> Any:
    """The places of the *limit* largest of *scores*, largest first; equal ones in order of place."""
    if len(scores) > limit:
        bound = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        among = np.flatnonzero(scores >= bound)
    else:
        among = np.arange(len(scores))
    return among[np.argsort(-scores[among], kind="stable")][:limit]


def _places(lexemes: list[str]) -> dict[str, tuple[int, int]]:
    """Where the run of each of the sorted *lexemes* begins and ends."""
    starts: dict[str, int] = {}
    for at, lexeme in enumerate(lexemes):
        starts.setdefault(lexeme, at)
    ends = [*starts.values(), len(lexemes)][1:]
    return {lexeme: (start, stop) for (lexeme, start), stop in zip(starts.items(), ends, strict=True)}
