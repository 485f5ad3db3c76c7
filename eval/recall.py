"""How much of what decides a question was found: recall of decisive rules, by kind of question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from eval.gold import GoldQuestion
from judge.values import RuleId, covers


@dataclass(frozen=True, slots=True)
class Outcome:
    """What retrieval made of one question: the whole fused list and the part that was shown, both in rank order."""

    question: GoldQuestion
    retrieved: tuple[RuleId, ...]
    shown: tuple[RuleId, ...]


@dataclass(frozen=True, slots=True)
class Recall:
    """Fractions of decisive rules in [0, 1], averaged over *n* questions; 0.0 when there are none."""

    n: int
    retrieved: float
    shown: float


# A question that is not in English counts under its number of cards as well.
KINDS: Mapping[str, Callable[[GoldQuestion], bool]] = {
    "no_card": lambda question: not question.cards,
    "one_card": lambda question: len(question.cards) == 1,
    "cards_2plus": lambda question: len(question.cards) > 1,
    "not_english": lambda question: question.language != "en",
}


def fraction_found(expected: Sequence[Sequence[RuleId]], rules: Iterable[RuleId]) -> float:
    """The part of *expected* that *rules* cover, in [0, 1].

    An entry counts when any one of its alternatives is covered; a subrule and its rule cover each other. *expected*
    may not be empty.
    """
    listed = tuple(rules)
    hits = sum(any(covers(wanted, rule) for wanted in entry for rule in listed) for entry in expected)
    return hits / len(expected)


def scored(outcomes: Iterable[Outcome]) -> Recall:
    """The recall over those *outcomes* that have rules to find."""
    counted = [each for each in outcomes if each.question.expected]
    if not counted:
        return Recall(0, 0.0, 0.0)
    retrieved = sum(fraction_found(each.question.expected, each.retrieved) for each in counted)
    shown = sum(fraction_found(each.question.expected, each.shown) for each in counted)
    return Recall(len(counted), retrieved / len(counted), shown / len(counted))


def by_kind(outcomes: Sequence[Outcome]) -> dict[str, Recall]:
    """The recall of every kind of KINDS, in that order."""
    return {kind: scored(each for each in outcomes if of_kind(each.question)) for kind, of_kind in KINDS.items()}


def place_of(expected: Sequence[RuleId], rules: Sequence[RuleId]) -> int | None:
    """The rank, from 1, of the first of *rules* that covers one of *expected*; None when none does."""
    for rank, rule in enumerate(rules, start=1):
        if any(covers(wanted, rule) for wanted in expected):
            return rank
    return None
