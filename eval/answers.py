"""Scores which of the decisive rules an answer quotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval.gold import GoldQuestion
from judge.values import Context, RuleCitation, RuleId, parent_of


@dataclass(frozen=True, slots=True)
class Quoted:
    """One question, the rule quotes of its answer (none where there was no answer), and what the answer could read."""

    question: GoldQuestion
    quotes: tuple[RuleCitation, ...]
    context: Context

    @property
    def missed(self) -> tuple[tuple[RuleId, ...], ...]:
        """The expected entries of which no alternative is quoted."""
        leaves = _leaf_texts(self.context)
        return tuple(
            entry
            for entry in self.question.expected
            if not any(_quotes(cited, rule, leaves) for rule in entry for cited in self.quotes)
        )


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """quoted: the fraction of all decisive rules, in [0, 1]. none: questions of which no decisive rule is quoted.

    quotes: rule quotes an answer, on average.
    """

    n: int
    decisive: int
    quoted: float
    none: int
    quotes: float


def score(answers: Sequence[Quoted]) -> AnswerScore:
    """The figures of *answers*, every one with rules to quote; all 0 without answers."""
    decisive = sum(len(each.question.expected) for each in answers)
    missed = sum(len(each.missed) for each in answers)
    return AnswerScore(
        n=len(answers),
        decisive=decisive,
        quoted=(decisive - missed) / decisive if decisive else 0.0,
        none=sum(len(each.missed) == len(each.question.expected) for each in answers),
        quotes=sum(len(each.quotes) for each in answers) / len(answers) if answers else 0.0,
    )


def _leaf_texts(context: Context) -> Mapping[RuleId, str]:
    return {leaf.id: " ".join(leaf.text.split()) for chunk in context.rules for leaf in chunk.leaves}


def _quotes(cited: RuleCitation, wanted: RuleId, leaves: Mapping[RuleId, str]) -> bool:
    """Whether *cited* quotes *wanted*: its own number, a subrule of a wanted rule, or the rule with the leaf's words.

    Stricter than judge.values.covers(): a quote from another part of its rule is not a quote of the subrule.
    """
    if cited.id == wanted or parent_of(cited.id) == wanted:
        return True
    text = leaves.get(wanted)
    return cited.id == parent_of(wanted) and text is not None and " ".join(cited.quote.split()) in text
