"""What to search the rules for: the queries made of a question, its extraction and its cards, and which rulings matter.

Pure text work; the legs that run these queries stand in calls/adapters.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from judge.card_kinds import sentences, with_kinds
from judge.folding import fold_name
from judge.values import Extraction, Question, Resolved, RuleId, Ruling

RULINGS_ASKED = 2  # rulings of a card that become queries: the most relevant say in plain words what a rule says
_QUERY_CHARACTERS = 600  # of one query; what is behind adds cost and no meaning
_WORD = re.compile(r"[a-z]{3,}")


class Asked(StrEnum):
    """Where a query comes from; each has its own weight in every leg."""

    QUESTION = "question"  # as it was asked
    HISTORY = "history"  # with what a follow-up refers to
    ENGLISH = "english"  # the extraction's rewording
    TYPED = "typed"  # the rewording with each card named by its kind
    SENTENCE = "sentence"  # a sentence of that
    CONCEPT = "concept"  # one of the extraction's phrases in rules words
    ORACLE = "oracle"  # a card's Oracle text
    RULING = "ruling"  # a card's ruling


@dataclass(frozen=True, slots=True)
class Query:
    """One text to search for. name: "concept 2", unique within a question."""

    asked: Asked
    name: str
    text: str


def queries_of(
    question: Question, extraction: Extraction, resolved: Sequence[Resolved], rulings: Sequence[Sequence[Ruling]]
) -> tuple[Query, ...]:
    """Everything to search for, each text once. rulings: of each card resolved, the most relevant first."""
    made: list[tuple[Asked, str]] = [(Asked.QUESTION, question.text)]
    if question.history:
        made.append((Asked.HISTORY, f"{question.history[-1].question}\n{question.text}"))
    made.append((Asked.ENGLISH, extraction.question_en))
    typed = with_kinds(extraction.question_en, resolved)
    if typed != " ".join(extraction.question_en.split()):
        made.append((Asked.TYPED, typed))
    made += [(Asked.CONCEPT, concept) for concept in extraction.concepts]
    made += [(Asked.ORACLE, each.card.oracle_text) for each in resolved]
    made += [(Asked.RULING, ruling.text) for of_card in rulings for ruling in of_card[:RULINGS_ASKED]]
    made += [(Asked.SENTENCE, sentence) for sentence in sentences(typed)]
    counted: Counter[Asked] = Counter()
    queries: dict[str, Query] = {}
    for asked, text in made:
        cut = text.strip()[:_QUERY_CHARACTERS]
        if cut and cut not in queries:
            counted[asked] += 1
            queries[cut] = Query(asked, f"{asked} {counted[asked]}", cut)
    return tuple(queries.values())


def plain_words(question: Question, extraction: Extraction) -> str:
    """The words the asker and the extraction use: the question, its rewording and the concepts, a line each."""
    return "\n".join((question.text, extraction.question_en, *extraction.concepts))


def by_relevance(rulings: Sequence[Ruling], text: str) -> tuple[Ruling, ...]:
    """*rulings* of one card, those that share the rarest words with *text* first; ties keep their order.

    Rarity is counted among these rulings: the card's own name is in all of them and tells nothing.
    """
    words = [Counter(_stems(ruling.text)) for ruling in rulings]
    spread = Counter(word for each in words for word in each)
    asked = set(_stems(text))

    def relevance(at: int) -> float:
        shared = asked & words[at].keys()
        total = sum(math.log(1 + len(rulings) / spread[word]) for word in shared)
        return total / math.sqrt(10 + words[at].total())

    return tuple(rulings[at] for at in sorted(range(len(rulings)), key=lambda at: -relevance(at)))


def headings_in(text: str, headings: Mapping[str, RuleId]) -> tuple[RuleId, ...]:
    """The rules whose heading stands in *text* as words, in the order they are named first.

    headings: lower case, "first strike". An inflected last word counts: "sacrificed" names Sacrifice.
    """
    words = fold_name(text).split()
    named: dict[RuleId, int] = {}
    by_stem = _stemmed(tuple(headings.items()))
    longest = max(map(len, by_stem), default=0)
    stems = [_stem(word) for word in words]
    start = 0
    while start < len(stems):
        sizes = (size for size in range(longest, 0, -1) if tuple(stems[start : start + size]) in by_stem)
        size = next(sizes, 0)
        if size:
            named.setdefault(by_stem[tuple(stems[start : start + size])], start)
        start += size or 1
    return tuple(named)


@lru_cache(maxsize=4)
def _stemmed(headings: tuple[tuple[str, RuleId], ...]) -> Mapping[tuple[str, ...], RuleId]:
    """*headings* by their stems; the same few hundred are asked for in every text."""
    return {tuple(map(_stem, fold_name(heading).split())): rule for heading, rule in headings}


def keyword_rules(keywords: Iterable[str], headings: Mapping[str, RuleId]) -> tuple[RuleId, ...]:
    """The rules of a card's *keywords*, in their order; an ability word has none."""
    return tuple(dict.fromkeys(headings[each.lower()] for each in keywords if each.lower() in headings))


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text.lower())]


def _stem(word: str) -> str:
    """*word* without the endings of English inflection, so that "dies", "died" and "die" meet. Crude on purpose."""
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
