"""BM25 over the rules and subrules of one edition, its postings kept in this process (D3, D72)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from judge.values import RuleId
from rules.bm25 import Bm25
from rules.models import Posting, Rule
from rules.querysets import TextHit


@dataclass(frozen=True, slots=True)
class TextIndex:
    """Searches rules and subrules apart, rarity and lengths taken apart too."""

    numbers: tuple[tuple[RuleId, ...], tuple[RuleId, ...]]  # of rules, of subrules, in the order of the CR
    indexes: tuple[Bm25, Bm25]

    def search(self, queries: Sequence[Mapping[str, int]], limit: int) -> list[list[TextHit]]:
        """For every query (rules.lexemes) its best rules and its best subrules, *limit* of each, best first.

        A query without a lexeme that any rule has finds nothing.
        """
        return [
            [
                TextHit(numbers[place], is_leaf, score)
                for is_leaf, numbers, index in zip((False, True), self.numbers, self.indexes, strict=True)
                for place, score in index.best(query, limit)
            ]
            for query in queries
        ]


@lru_cache(maxsize=2)  # the current edition, and the one before while some thread still reads it
def text_index(edition: int) -> TextIndex:
    """The index of the edition with that id. It is read once: an edition never changes after it is loaded."""
    rules: tuple[list[RuleId], list[RuleId]] = ([], [])
    places: dict[int, int] = {}
    for rule, number, parent in Rule.objects.of(edition).order_by("position").values_list("pk", "number", "parent"):
        side = rules[parent is not None]
        places[rule] = len(side)
        side.append(RuleId(number))
    postings: tuple[list[tuple[str, int, int]], list[tuple[str, int, int]]] = ([], [])
    rows = Posting.objects.filter(edition_id=edition).values_list("lexeme", "rule_id", "is_leaf", "frequency")
    for lexeme, rule, is_leaf, frequency in rows.iterator():
        postings[is_leaf].append((lexeme, places[rule], frequency))
    return TextIndex(
        (tuple(rules[0]), tuple(rules[1])),
        (Bm25.of(postings[0], len(rules[0])), Bm25.of(postings[1], len(rules[1]))),
    )
