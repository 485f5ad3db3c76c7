"""How ranked lists of rules become the one list an answer reads: fusion, budget, trace.

A leg is one way of finding rules ("BM25 of the question", "keywords of the cards"). Legs score in units that
cannot be compared, so only their ranks are fused: reciprocal rank fusion with a weight a leg.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import nsmallest
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Protocol

from judge.values import Budget, Leaf, LegRank, RankedRule, RuleChunk, RuleId, parent_of, rule_order

# Reciprocal rank fusion adds weight / (K + rank). The usual 60 was made for lists of thousands; with legs of a few
# dozen rules a smaller K lets a leg's first places count (D70).
FUSION_K = 15
FUSED_LIMIT = 100  # rules kept of the fused list: what "retrieved" means
# A rule can have 10,000 characters, and a dozen long ones would fill the budget. So a long rule shows its best
# subrules only: at least so many characters of each, more for the first of the list while there is room (D71).
SHORT_RULE = 700  # characters
LONG_RULE = 4_000  # characters
_NO_SCORES: Mapping[RuleId, float] = MappingProxyType({})


class Hit(Protocol):
    """What any search gives: a rule or subrule, and its score in the search's own unit (larger is better)."""

    @property
    def id(self) -> RuleId:
        """The rule or subrule."""
        ...

    @property
    def score(self) -> float:
        """How well it answers."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """One hit of a leg: a rule or subrule, and its score in the leg's own unit (larger is better)."""

    id: RuleId
    score: float


@dataclass(frozen=True, slots=True)
class Leg:
    """One ranked list, best first, and how much it counts."""

    name: str
    weight: float
    found: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One rule of the fused list before the budget: which legs found it, and its leaves that they found."""

    id: RuleId
    score: float
    legs: tuple[LegRank, ...]


def folded(found: Iterable[Hit]) -> tuple[Found, ...]:
    """*found* with every subrule counted for its rule, a rule once, at its best score, best first.

    Equal scores in the order they were found.
    """
    best: dict[RuleId, float] = {}
    for hit in found:
        rule = _parent(hit.id)
        if rule not in best or hit.score > best[rule]:
            best[rule] = hit.score
    return tuple(Found(rule, score) for rule, score in sorted(best.items(), key=itemgetter(1), reverse=True))


def interleaved(lists: Sequence[Sequence[Found]], limit: int) -> tuple[Found, ...]:
    """The firsts of every list, then the seconds, and so on, each rule once, at most *limit*.

    So no list, however long, pushes another out: a category that maps section 702 brings its best few rules, not
    two hundred keywords.
    """
    taken: dict[RuleId, Found] = {}
    for place in range(max((len(hits) for hits in lists), default=0)):
        for hits in lists:
            if place < len(hits) and len(taken) < limit:
                taken.setdefault(hits[place].id, hits[place])
    return tuple(taken.values())


def fuse(
    legs: Sequence[Leg], limit: int = FUSED_LIMIT, before: Mapping[RuleId, float] = _NO_SCORES, counted: int = 0
) -> tuple[Candidate, ...]:
    """The rules of all *legs* in one list, best first, at most *limit*; equal scores in the order of the CR.

    before: what the first *counted* of *legs* add up to (summed), where that is known already.
    """
    scores = summed(legs[counted:], before)
    ordered = nsmallest(limit, scores.items(), key=lambda item: _order(*item))
    ranks: dict[RuleId, list[LegRank]] = {rule: [] for rule, _ in ordered}
    for leg in legs:
        for rank, hit in enumerate(leg.found, start=1):
            if hit.id in ranks:
                ranks[hit.id].append(LegRank(leg.name, rank, hit.score))
    return tuple(Candidate(rule, score, tuple(ranks[rule])) for rule, score in ordered)


def best_first(scores: Mapping[RuleId, float]) -> list[tuple[RuleId, float]]:
    """*scores* as a list, best first; equal scores in the order of the CR."""
    return sorted(scores.items(), key=lambda item: _order(*item))


def summed(legs: Iterable[Leg], before: Mapping[RuleId, float] = _NO_SCORES) -> dict[RuleId, float]:
    """The fused score of everything *legs* found, added to what was found *before*, in no order."""
    scores = dict(before)
    known = scores.get
    for leg in legs:
        weight = leg.weight
        for rank, hit in enumerate(leg.found, start=FUSION_K + 1):
            rule = hit.id
            scores[rule] = known(rule, 0.0) + weight / rank
    return scores


def within_budget(
    candidates: Sequence[Candidate],
    chunks: Mapping[RuleId, RuleChunk],
    budget: Budget,
    subrules: Mapping[RuleId, float] = _NO_SCORES,
    asked: Collection[RuleId] = (),
) -> tuple[RuleChunk, ...]:
    """The first of *candidates* that fit *budget*, in rank order, long rules cut to their best subrules.

    subrules: how well each subrule answers, larger is better. Every rule first gets SHORT_RULE characters, so that
    the list is as long as the budget lets it be; what is left then goes to the rules at its head (D71). A rule that
    does not fit is passed over and the next ones are tried. A candidate without a chunk is no rule of this edition.
    asked: subrules asked for by number, which their rule never loses.
    """
    shown: list[RuleChunk] = []
    left = budget.characters
    for candidate in candidates:
        if len(shown) == budget.chunks:
            break
        if candidate.id in chunks:
            chunk = trimmed(chunks[candidate.id], subrules, SHORT_RULE, asked)
            if len(chunk.text) <= left:
                shown.append(chunk)
                left -= len(chunk.text)
    for at, chunk in enumerate(shown):
        longer = trimmed(chunks[chunk.id], subrules, min(LONG_RULE, len(chunk.text) + left), asked)
        if len(chunk.text) < len(longer.text) <= len(chunk.text) + left:
            shown[at] = longer
            left -= len(longer.text) - len(chunk.text)
    scores = {candidate.id: candidate.score for candidate in candidates}
    return tuple(_scored(chunk, scores[chunk.id], subrules) for chunk in shown)


def _scored(chunk: RuleChunk, score: float, subrules: Mapping[RuleId, float]) -> RuleChunk:
    """*chunk* with what retrieval found for it and for each of its leaves."""
    leaves = tuple(replace(leaf, score=subrules.get(leaf.id, 0.0)) for leaf in chunk.leaves)
    return replace(chunk, score=score, leaves=leaves)


def trimmed(
    chunk: RuleChunk, subrules: Mapping[RuleId, float], limit: int, asked: Collection[RuleId] = ()
) -> RuleChunk:
    """*chunk* itself when it has at most *limit* characters, else its own line and the best of its subrules.

    Kept are the first subrule, which says what the rule is about, and the best by *subrules* as long as they fit,
    the best one always, and all of *asked*; they stay in the order of the CR. An ellipsis stands for what is left
    out, so that no quote can run across the gap.
    """
    if len(chunk.text) <= limit or len(chunk.leaves) < 2:
        return chunk
    own = chunk.text.removesuffix("".join(f"\n{leaf.id} {leaf.text}" for leaf in chunk.leaves))
    first, *others = chunk.leaves
    others.sort(key=lambda leaf: -subrules.get(leaf.id, 0.0))
    if subrules.get(others[0].id, 0.0) <= subrules.get(first.id, 0.0):
        wanted = [first, *others]
    else:
        wanted = [others[0], first, *others[1:]]
    kept = {leaf.id for leaf in chunk.leaves if leaf.id in asked}
    left = limit - len(own) - sum(len(leaf.text) for leaf in chunk.leaves if leaf.id in kept)
    for leaf in wanted:
        if leaf.id not in kept and (not kept or len(leaf.text) <= left):
            kept.add(leaf.id)
            left -= len(leaf.text)
    return replace(
        chunk,
        abridged=len(kept) < len(chunk.leaves),
        text="\n".join((own, *_lines(chunk.leaves, kept))),
        leaves=tuple(leaf for leaf in chunk.leaves if leaf.id in kept),
    )


def _lines(leaves: Sequence[Leaf], kept: Collection[RuleId]) -> Iterator[str]:
    """The *kept* leaves, a line each, and one ellipsis for each run of others."""
    for is_kept, run in groupby(leaves, key=lambda leaf: leaf.id in kept):
        yield from (f"{leaf.id} {leaf.text}" for leaf in run) if is_kept else ("…",)


def ranking(candidates: Sequence[Candidate], shown: Iterable[RuleChunk]) -> tuple[RankedRule, ...]:
    """*candidates* as the trace keeps them, each marked shown or cut."""
    ids = {chunk.id for chunk in shown}
    return tuple(RankedRule(each.id, each.score, each.legs, each.id in ids) for each in candidates)


def shortened(text: str, limit: int) -> str:
    """The first *limit* characters of *text*, cut at a word and marked with an ellipsis when it is longer."""
    if len(text) <= limit:
        return text
    kept = text[: limit - 1]
    if not any(char.isspace() for char in text[limit - 2 : limit]):
        kept = kept.rsplit(maxsplit=1)[0]
    return kept.rstrip() + "…"


def _order(rule: RuleId, score: float) -> tuple[float, tuple[int, int, int, str]]:
    return -score, _place(rule)


# Every leg asks for the place and the parent of the same few thousand rules.
_place = lru_cache(maxsize=8192)(rule_order)
_parent = lru_cache(maxsize=8192)(parent_of)
