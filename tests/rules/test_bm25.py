from __future__ import annotations

import math

import numpy as np
import pytest

from rules.bm25 import Bm25, best_places

# Three documents: 0 "hat hat wall", 1 "hat", 2 "wall glow glow glow". Lengths 3, 1, 4; mean 8/3.
POSTINGS = [("hat", 0, 2), ("wall", 0, 1), ("hat", 1, 1), ("wall", 2, 1), ("glow", 2, 3)]
INDEX = Bm25.of(POSTINGS, 3)


def part(documents_with: int, frequency: int, length: int) -> float:
    """One lexeme's share of a score, from the formula (k1 = 1.2, b = 0.75)."""
    rarity = math.log(1 + (3 - documents_with + 0.5) / (documents_with + 0.5))
    return rarity * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / (8 / 3)))


def test_scores_are_those_of_the_formula_best_first() -> None:
    found = INDEX.best({"hat": 1, "glow": 1}, 5)
    assert [at for at, _ in found] == [2, 1, 0] if part(2, 1, 1) > part(2, 2, 3) else [2, 0, 1]
    assert dict(found) == pytest.approx({0: part(2, 2, 3), 1: part(2, 1, 1), 2: part(1, 3, 4)})


def test_a_word_asked_twice_counts_twice_and_no_more_than_three_times() -> None:
    (_, once), (_, twice) = INDEX.best({"glow": 1}, 1)[0], INDEX.best({"glow": 2}, 1)[0]
    assert twice == pytest.approx(2 * once)
    assert INDEX.best({"glow": 9}, 1) == INDEX.best({"glow": 3}, 1)


def test_what_no_document_has_finds_nothing() -> None:
    assert INDEX.best({"chair": 1}, 5) == []
    assert INDEX.best({}, 5) == []
    assert Bm25.of([], 0).best({"hat": 1}, 5) == []


def test_a_common_word_counts_only_where_there_are_not_three_rarer_ones() -> None:
    common = [("the", each, 1) for each in range(8)]
    index = Bm25.of([*common, ("a", 0, 1), ("b", 1, 1), ("c", 2, 1)], 8)
    assert {at for at, _ in index.best({"the": 1, "a": 1, "b": 1, "c": 1}, 8)} == {0, 1, 2}
    assert len(index.best({"the": 1, "a": 1}, 8)) == 8


def test_only_the_rarest_twenty_four_words_are_looked_up() -> None:
    rare = {f"w{each}": 1 for each in range(24)}
    postings = [(word, 0, 1) for word in rare] + [("zz", 1, 1), ("zz", 0, 1)]
    index = Bm25.of([*postings, *((f"pad{each}", each, 1) for each in range(2, 20))], 20)
    assert [at for at, _ in index.best({**rare, "zz": 1}, 5)] == [0]


def test_equal_scores_stay_in_the_order_of_the_documents() -> None:
    scores = np.array([1.0, 3.0, 2.0, 3.0, 2.0, 2.0])
    assert best_places(scores, 4).tolist() == [1, 3, 2, 4]
    assert best_places(scores, 99).tolist() == [1, 3, 2, 4, 5, 0]
