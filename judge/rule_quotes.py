"""Which rules and subrules to quote without a model: what retrieval found first, then the words shared.

A unit is a subrule, or what a rule says itself. Three things speak for it, each as a fraction of the context's
best: what retrieval found for its rule, for itself, and the rarity of the words it shares with the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from judge.absent_rules import numbers_in
from judge.passages import Passage, passages_of, stems
from judge.values import RULE_ID_IN_PROSE, AbsentRule, RuleChunk, RuleId, parent_of
from judge.weights import Weights

MAX_RULES = 6
MIN_RULES = 3  # wanted, down to LOW_FLOOR; a single rule seldom decides
RULES_READ = 25  # all that a context shows by default
OF_ONE_RULE = 3  # units of one rule; one that shares no word with the question stands alone
RULE_SHARE = 1.0  # what the three count for in a unit's worth, and the other constants: fitted; D45
UNIT_SHARE = 1.0
WORD_SHARE = 0.4
RANK_LOSS = 0.1  # a rule's evidence falls as 1 / (1 + RANK_LOSS * rank)
OWN_LINE = 0.3  # of its rule's evidence, for what a rule with subrules says itself; a rule without counts whole
SECOND = 0.9  # of its worth, for every earlier unit of one rule
FLOOR = 0.65  # of the best unit's worth; below it a unit is padding
LOW_FLOOR = 0.3
DEFINED_FLOOR = 0.7  # where a definition is the answer, little else is
EXAMPLE_WORTH = 0.5  # of its words; an example illustrates, the sentence above it decides
LATER_WORTH = 0.7  # a rule says first what it rules
LEANING_WORTH = 0.8  # half a thought; the same piece begun a sentence earlier or later is better
FORMULA_WORTH = 0.05  # of a line that every keyword has, such as "is a static ability"
DEFINITIONS = 2  # units that say what an asked keyword is, before all others

# Words of the lines that every keyword has; what is left of such a line is the keyword's own name.
_FORMULAS = stems(
    "static triggered activated evasion keyword ability ability's multiple instances redundant separately triggers "
    "independently spell object creature permanent player has information"
)
_PLAIN = stems("ability keyword spell object creature permanent player")
_STOCK = re.compile(
    r"For (?:more |further )?information\b|See (?:also )?(?:rule|section)\b|Multiple instances of [^.]+ are redundant"
)
# What is asked about a thing besides its name.
ASKING = stems("ability keyword mechanic explain define definition exactly magic mtg interact interaction combine")


@dataclass(frozen=True, slots=True)
class RulePassage:
    """A passage of rule or subrule *rule*.

    worth: comparable within one answer only. shares: it has words of the question. defines: it says what a keyword
    is, and the question asks just that.
    """

    rule: RuleId
    passage: Passage
    worth: float
    shares: bool
    defines: bool = False


def rules_asked_for(
    question: str, chunks: Sequence[RuleChunk], absent: Sequence[AbsentRule] = ()
) -> tuple[tuple[RulePassage, ...], bool]:
    """What the rules that *question* names by number say, in its order, and whether it asks for nothing else.

    A number that is among *absent* gives what is nearest to it, one that is not among *chunks* nothing.
    """
    texts = {leaf.id: leaf.text for chunk in chunks for leaf in chunk.leaves}
    texts |= {chunk.id: chunk.text for chunk in chunks}
    nearest = {each.number: each.nearest for each in absent}
    numbers = dict.fromkeys(rule for number in numbers_in(question) for rule in nearest.get(number, (number,)))
    near = frozenset(rule for each in absent for rule in each.nearest)
    found = tuple(
        RulePassage(rule, passage, 1.0, shares=True)
        for rule in numbers
        if rule in texts
        for passage in _beginning(texts[rule], 1 if rule in near else 1 + OF_ONE_RULE)
    )
    return found, stems(RULE_ID_IN_PROSE.sub(" ", question)) <= ASKING


def _beginning(text: str, lines: int) -> list[Passage]:
    """What the first *lines* of *text* that hold a sentence say, of each its beginning; a heading holds none."""
    return [passage for line in text.split("\n") for passage in passages_of(line)[:1]][:lines]


@dataclass(frozen=True, slots=True)
class _Unit:
    """What may be quoted of one subrule, or of what a rule says itself.

    rank: of its rule, from 0. score: what retrieval found for the subrule; None where it is known of the rule only.
    """

    rule: RuleId
    passage: Passage
    chunk: RuleChunk
    rank: int
    score: float | None


def rule_passages(chunks: Sequence[RuleChunk], weights: Weights, *, with_cards: bool = False) -> list[RulePassage]:
    """What to quote of *chunks* (best first, as in a context): definitions asked for, then the best units.

    with_cards: the question names cards too, so what one keyword is does not answer it.
    """
    units = _units(chunks[:RULES_READ], weights)
    first = _definitions(chunks[:RULES_READ], units, weights)
    defined = {parent_of(one.rule) for one in first}
    if len(defined) == 1 and not with_cards:  # "What is trample?" asks for nothing that only has trample
        units = [unit for unit in units if parent_of(unit.rule) in defined]
    return [*first, *_best(units, first)]


def _definitions(chunks: Sequence[RuleChunk], units: Sequence[RulePassage], weights: Weights) -> list[RulePassage]:
    """What says what the keywords are, when the question asks about nothing but keywords; else nothing.

    "What is reach?", "reach" and "How does reach work with flying?" name nothing but headings.
    """
    asked = weights.asked - ASKING
    titles = {chunk.id: title for chunk in chunks if (title := _title(chunk)) and title <= asked}
    if not asked or asked - frozenset().union(*titles.values()):
        return []
    found: list[RulePassage] = []
    for rule, title in titles.items():
        own = [one for one in units if parent_of(one.rule) == rule and not _is_formula(one.passage, title, weights)]
        found += [replace(one, defines=True) for one in own[:DEFINITIONS]]
    return found[:MAX_RULES]


def _best(units: Sequence[RulePassage], taken: Sequence[RulePassage]) -> list[RulePassage]:
    """The best of *units* beside *taken*, best first, at most OF_ONE_RULE of a rule and MAX_RULES with *taken*."""
    quoted = {one.rule for one in taken}
    left = [unit for unit in units if unit.rule not in quoted]
    best = max((unit.worth for unit in units), default=0.0)
    most = MAX_RULES if any(unit.shares for unit in units) else MIN_RULES  # no word shared: retrieval's order decides
    chosen: list[RulePassage] = []
    while left and len(taken) + len(chosen) < most:
        worth, at = max((_worth_beside(unit, (*taken, *chosen)), -at) for at, unit in enumerate(left))
        floor = DEFINED_FLOOR if taken else FLOOR if len(chosen) >= MIN_RULES else LOW_FLOOR
        if worth <= 0 or worth < best * floor:
            break
        chosen.append(left.pop(-at))
    return chosen


def _worth_beside(unit: RulePassage, chosen: Sequence[RulePassage]) -> float:
    """What *unit* is worth where *chosen* are quoted already: less for each of its own rule, at last nothing."""
    same = sum(parent_of(one.rule) == parent_of(unit.rule) for one in chosen)
    return unit.worth * SECOND**same if same < (OF_ONE_RULE if unit.shares else 1) else 0.0


def _units(chunks: Sequence[RuleChunk], weights: Weights) -> list[RulePassage]:
    """Every unit of *chunks* at its worth, in their order."""
    found = [
        _Unit(rule, passage, chunk, rank, score)
        for rank, chunk in enumerate(chunks)
        for rule, score, text in _texts(chunk)
        if (passage := _main_passage(text, weights)) is not None
    ]
    shared = [_shared(unit.passage, unit.chunk, weights) for unit in found]
    most_shared = max(shared, default=0.0)
    best_score = max((leaf.score for chunk in chunks for leaf in chunk.leaves), default=0.0)
    return [
        RulePassage(unit.rule, unit.passage, _unit_worth(unit, words, most_shared, best_score, weights), words > 0)
        for unit, words in zip(found, shared, strict=True)
    ]


def _unit_worth(unit: _Unit, words: float, most_shared: float, best_score: float, weights: Weights) -> float:
    """The sum of what speaks for *unit*; 0 for one that nothing found and that shares no word where others do."""
    if words == 0 < most_shared and not unit.chunk.score and not unit.score:
        return 0.0
    trust = 1 / (1 + RANK_LOSS * unit.rank)
    if unit.score is not None and best_score:
        own = unit.score / best_score
    else:
        own = trust * (OWN_LINE if unit.score is None and unit.chunk.leaves else 1.0)
    worth = RULE_SHARE * trust + UNIT_SHARE * own + WORD_SHARE * (words / most_shared if most_shared else 0.0)
    return worth * (FORMULA_WORTH if _is_formula(unit.passage, stems(unit.chunk.heading), weights) else 1.0)


def _texts(chunk: RuleChunk) -> Iterator[tuple[RuleId, float | None, str]]:
    """The number, score (see _Unit) and text of each unit of *chunk*, in their order."""
    yield chunk.id, None, _own_lines(chunk)
    for leaf in chunk.leaves:
        yield leaf.id, leaf.score, leaf.text


def _own_lines(chunk: RuleChunk) -> str:
    """What of *chunk* belongs to none of its subrules."""
    if not chunk.leaves:
        return chunk.text
    taken = {line for leaf in chunk.leaves for line in leaf.text.split("\n")}
    return "\n".join(
        line
        for line in chunk.text.split("\n")
        if not any(line == own or line.endswith(own) for own in taken if own.strip())
    )


def _main_passage(text: str, weights: Weights) -> Passage | None:
    """The passage of *text* to quote: its beginning, unless a later one shares clearly more."""
    found = passages_of(text)
    later = dict.fromkeys(found[1:], LATER_WORTH)
    return max(found, key=lambda passage: later.get(passage, 1.0) * _worth(passage, weights), default=None)


def _worth(passage: Passage, weights: Weights) -> float:
    worth = weights.of_words(passage.stems)
    return worth * (EXAMPLE_WORTH if passage.is_example else 1) * (LEANING_WORTH if passage.leans else 1)


def _shared(passage: Passage, chunk: RuleChunk, weights: Weights) -> float:
    """The rarity of what *passage*, with its rule's heading, shares with the question."""
    return _worth(replace(passage, stems=passage.stems | stems(chunk.heading)), weights)


def _is_formula(passage: Passage, heading: frozenset[str], weights: Weights) -> bool:
    """Whether *passage* says only what every keyword's rule says, and the question does not ask just that."""
    told = passage.stems - heading
    stock = _STOCK.match(passage.text) is not None
    return not told & weights.asked - _PLAIN and (stock or not told - _FORMULAS)


def _title(chunk: RuleChunk) -> frozenset[str]:
    """The informative words of what *chunk* is called; the first rule of a section is called like it."""
    return stems(chunk.heading or (chunk.section_title if chunk.id.endswith(".1") else ""))
