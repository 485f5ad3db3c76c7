"""How much each word of a question says, measured on the context it is asked of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from judge.passages import passages_of, stems
from judge.values import Context, Extraction, Question

CONCEPT = 1.5  # a concept is already in the rules' own words
ASKED = 1.0
KEYWORD = 0.5  # of a card in the question: likely, not certainly, what it is about


@dataclass(frozen=True, slots=True)
class Weights:
    """The worth of each informative word: its rarity in the context times how sure it is to be asked about."""

    by_stem: Mapping[str, float]
    asked: frozenset[str] = frozenset()  # the words of the question itself, in English where it is translated

    @classmethod
    def of(cls, question: Question, extraction: Extraction, context: Context) -> Self:
        """Weights of the words of question, concepts and keywords; the words of card names weigh nothing."""
        asked = stems(question.text) | stems(extraction.question_en)
        names = frozenset(stem for span in extraction.spans for stem in stems(span.text))
        sureness = dict.fromkeys(
            (stem for card in context.cards for word in card.keywords for stem in stems(word)), KEYWORD
        )
        sureness |= dict.fromkeys(asked - names, ASKED)
        sureness |= dict.fromkeys((stem for concept in extraction.concepts for stem in stems(concept)), CONCEPT)
        rarity = _rarity(context)
        by_stem = {stem: sure * rarity[stem] for stem, sure in sureness.items() if stem in rarity}
        return cls(by_stem, stems(extraction.question_en or question.text) - names)

    def of_words(self, words: Iterable[str]) -> float:
        """The summed weight of the stems *words*."""
        return sum(self.by_stem.get(word, 0.0) for word in words)

    def shared(self, words: Iterable[str]) -> int:
        """How many of the stems *words* weigh anything."""
        return sum(word in self.by_stem for word in words)


def _rarity(context: Context) -> Mapping[str, float]:
    """ln(1 + passages / passages with the word), over every passage of *context*."""
    texts = [
        *(rule.text for rule in context.rules),
        *(ruling.text for ruling in context.rulings),
        *(entry.text for entry in context.glossary),
        *(face.oracle_text for card in context.cards for face in card.faces),
    ]
    counted = [passage.stems for text in texts for passage in passages_of(text, 1)]
    frequency = Counter(stem for one in counted for stem in one)
    return {stem: math.log(1 + len(counted) / count) for stem, count in frequency.items()}
