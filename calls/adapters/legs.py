"""The legs of retrieval: each finds rules in its own way, and weighs what it was measured to be worth.

Two rounds. The first searches text and vectors with every query. Its fused list then ranks what the second round
picks by section or by cross-reference, so that a whole section never comes in by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from judge.queries import Asked, Query
from judge.retrieval import Found, Leg, folded, interleaved, summed
from judge.values import RuleId, parent_of, rule_order, section_of
from rules.querysets import TextHit


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each leg is worth in the fusion.

    Fitted by coordinate descent on eval/gold.yaml (recorded and local extraction) and eval/gold_fresh.yaml; D74 has the
    cross-validated figures. A change is judged by `manage.py evaluate recall` over both files.
    """

    # Queries, by where their text comes from; each counts in the six search legs below; 0 is not asked.
    question: float = 1.0
    history: float = 1.0
    english: float = 1.0
    typed: float = 0.0
    sentence: float = 0.3
    concept: float = 1.2
    oracle: float = 0.75
    ruling: float = 0.5
    # Search legs: over whole rules, and over subrules folded into their rules.
    text: float = 1.0
    text_of_subrules: float = 0.35
    vector: float = 0.0
    vector_of_subrules: float = 1.0
    asked_text: float = 1.0  # how players ask (D76), rules and subrules in one list
    asked_vector: float = 2.0
    # Legs that need no search.
    keywords_asked: float = 1.0  # keywords that the question or a concept names
    keywords_of_cards: float = 2.0  # keywords the cards have
    keywords_in_text: float = 0.3  # keywords that stand in the Oracle texts
    numbers_asked: float = 4.0  # rule numbers in the question
    numbers_in_rulings: float = 0.5
    glossary: float = 2.0  # rule numbers in the glossary entries of the question's terms
    notes: float = 3.0  # rules that a curator's note on a card names
    # Legs that pick from what the others found.
    references: float = 1.5
    category: float = 0.5
    guessed_sections: float = 5.0
    glossary_sections: float = 0.5

    def of_query(self, asked: Asked) -> float:
        """The weight of queries of that origin."""
        return float(getattr(self, asked.value))

    def of_phrases(self, kind: Kind) -> float:
        """What a search of that kind is worth where rules and subrules are not told apart; 1 for one of rules text."""
        return {Kind.ASKED_TEXT: self.asked_text, Kind.ASKED_VECTOR: self.asked_vector}.get(kind, 1.0)


WEIGHTS = Weights()

type Ranked = Sequence[tuple[RuleId, float]]
"""The first round fused: rule and score, best first, without a limit."""

HITS_PER_QUERY = 60  # rules, and as many subrules, that a query brings into the fusion
SOURCES_OF_REFERENCES = 10  # first-round rules whose cross-references are followed
SECTION_HITS = 40  # rules that the categories, or the guessed sections, bring together


class Kind(StrEnum):
    """What was searched, and how."""

    TEXT = "text"
    VECTOR = "vector"
    ASKED_TEXT = "asked text"
    ASKED_VECTOR = "asked vector"


@dataclass(frozen=True, slots=True)
class Hits:
    """What one kind of search found for one query; rules and subrules are each best first."""

    query: Query
    kind: Kind
    found: Sequence[TextHit]


def search_legs(searches: Iterable[Hits], weights: Weights = WEIGHTS) -> tuple[Leg, ...]:
    """Two legs a search of rules text (whole rules, and subrules counted for their rules), one a search of phrases."""
    legs: list[Leg] = []
    for hits in searches:
        weight = weights.of_query(hits.query.asked)
        if hits.kind in (Kind.ASKED_TEXT, Kind.ASKED_VECTOR):
            leg = f"{hits.kind}: {hits.query.name}"
            legs.append(Leg(leg, weight * weights.of_phrases(hits.kind), folded(hits.found)))
            continue
        whole, parts = (
            (weights.text, weights.text_of_subrules)
            if hits.kind is Kind.TEXT
            else (weights.vector, weights.vector_of_subrules)
        )
        rules = [hit for hit in hits.found if not hit.is_leaf]
        leaves = [hit for hit in hits.found if hit.is_leaf]
        legs.append(Leg(f"{hits.kind}: {hits.query.name}", weight * whole, tuple(rules)))
        legs.append(Leg(f"{hits.kind} of subrules: {hits.query.name}", weight * parts, folded(leaves)))
    return tuple(leg for leg in legs if leg.found and leg.weight)


def subrule_scores(searches: Iterable[Hits], weights: Weights = WEIGHTS) -> dict[RuleId, float]:
    """How well each subrule answers: the same fusion over subrules alone. Decides what a long rule shows."""
    legs: list[Leg] = []
    for hits in searches:
        leaves = tuple(hit for hit in hits.found if hit.is_leaf)
        weight = weights.of_query(hits.query.asked) * weights.of_phrases(hits.kind)
        legs.append(Leg(hits.query.name, weight, leaves))
    return summed(legs)


def listed_leg(name: str, weight: float, rules: Iterable[RuleId]) -> Leg:
    """A leg of *rules* in the order given, each once, subrules counted for their rules."""
    once = dict.fromkeys(parent_of(rule) for rule in rules)
    return Leg(name, weight, tuple(Found(rule, 1.0 / rank) for rank, rule in enumerate(once, start=1)))


def section_leg(name: str, weight: float, sections: Iterable[str], ranked: Ranked) -> Leg:
    """The best of *ranked* in each of *sections*, the firsts of all sections before their seconds.

    sections: "702", a rule "113.3", or "7" for all of 700 to 799. A single rule counts even where nothing else
    found it.
    """
    lists: dict[str, list[Found]] = {section: [] for section in sections if "." not in section}
    if lists:
        for rule, score in ranked:
            for section in (rule[0], section_of(rule)):
                best = lists.get(section)
                if best is not None and len(best) < SECTION_HITS:
                    best.append(Found(rule, score))
    scores = dict(ranked)
    named = [parent_of(RuleId(section)) for section in sections if "." in section]
    singles = sorted(
        {Found(rule, scores.get(rule, 0.0)) for rule in named}, key=lambda hit: (-hit.score, rule_order(hit.id))
    )
    return Leg(name, weight, interleaved([*lists.values(), singles], SECTION_HITS))


def reference_leg(weight: float, pairs: Sequence[tuple[RuleId, RuleId]], ranked: Ranked) -> Leg:
    """The rules that the best of *ranked* name (pairs of source and target), those named by the better ones first."""
    scores: defaultdict[RuleId, float] = defaultdict(float)
    ranks = {rule: rank for rank, (rule, _) in enumerate(ranked, start=1)}
    for source, target in pairs:
        scores[target] += 1.0 / (5 + ranks[source])
    found = sorted(
        (Found(rule, score) for rule, score in scores.items()), key=lambda hit: (-hit.score, rule_order(hit.id))
    )
    return Leg("cross-references", weight, tuple(found))
