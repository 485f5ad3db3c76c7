"""Scores what was read out of the questions of a question set: cards, source, language, and the reply it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eval.gold import GoldQuestion
from judge.values import Source

_SOURCES = {
    "commander": Source.COMMANDER,
    "tournament": Source.TOURNAMENT,
    "offtopic": Source.OUT_OF_SCOPE,
}
_DECLINED = frozenset({Source.TOURNAMENT, Source.OUT_OF_SCOPE})


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read out of one question. asks: a name stayed ambiguous. misses: a name surely meant has no card."""

    question: GoldQuestion
    cards: frozenset[str]
    asks: bool
    misses: bool
    source: Source
    language: str

    @property
    def expected_source(self) -> Source:
        """The source its kind tells; questions with unknown names are about the rules."""
        return _SOURCES.get(self.question.kind, Source.CR)

    @property
    def reply(self) -> str:
        """The kind of question this would be answered as."""
        if self.source in _DECLINED:
            return "declined"
        if self.asks:
            return "ambiguous"
        return "notfound" if self.misses else "answered"

    @property
    def expected_reply(self) -> str:
        """The kind of reply the question is to end in."""
        if self.expected_source in _DECLINED:
            return "declined"
        return self.question.kind if self.question.kind in ("ambiguous", "notfound") else "answered"

    @property
    def wrong(self) -> frozenset[str]:
        """Cards taken that the question does not name."""
        return self.cards - frozenset(self.question.cards)

    @property
    def missed(self) -> frozenset[str]:
        """Cards the question names that were not taken."""
        return frozenset(self.question.cards) - self.cards

    @property
    def problems(self) -> tuple[str, ...]:
        """What is not as it should be, in words."""
        found = []
        if self.wrong:
            found.append(f"wrong cards {', '.join(sorted(self.wrong))}")
        if self.missed:
            found.append(f"missed cards {', '.join(sorted(self.missed))}")
        if self.source is not self.expected_source:
            found.append(f"source {self.source} instead of {self.expected_source}")
        if self.language != self.question.language:
            found.append(f"language {self.language} instead of {self.question.language}")
        if self.reply != self.expected_reply:
            found.append(f"{self.reply} instead of {self.expected_reply}")
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Figures of a run, parts in [0, 1]; wrong counts cards."""

    n: int
    precision: float
    recall: float
    wrong: int
    source: float
    language: float
    replies: float


def score(readings: Sequence[Reading]) -> Score:
    """The figures of *readings*: cards over all questions together, the rest a question each."""
    taken = sum(len(each.cards) for each in readings)
    named = sum(len(each.question.cards) for each in readings)
    wrong = sum(len(each.wrong) for each in readings)
    n = len(readings)
    return Score(
        n=n,
        precision=(taken - wrong) / taken if taken else 1.0,
        recall=(taken - wrong) / named if named else 1.0,
        wrong=wrong,
        source=sum(each.source is each.expected_source for each in readings) / n if n else 0.0,
        language=sum(each.language == each.question.language for each in readings) / n if n else 0.0,
        replies=sum(each.reply == each.expected_reply for each in readings) / n if n else 0.0,
    )
