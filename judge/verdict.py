"""The verdict and the only way to one: validate().

RawVerdict is what a model (or the extractive answer) sent back; Verdict has had every citation found in its
context. The store and every renderer take Verdict, so an unchecked answer cannot be shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from datetime import date
from typing import final

from judge.characters import without_controls
from judge.citing import checked, is_stub
from judge.errors import VerdictRejected
from judge.marks import marked_numbers, renumber, uncited_rules
from judge.raw import RawCitation, RawVerdict
from judge.rejections import BadCitation, Empty, Malformed, Oversized, Rejection, UncitedRules
from judge.values import CardId, Citation, Confidence, Context, RuleCitation, Source

__all__ = [
    "MAX_ANSWER",
    "MIN_ANSWER",
    "BadCitation",
    "CardRef",
    "Empty",
    "Malformed",
    "Oversized",
    "Rejection",
    "UncitedRules",
    "Verdict",
    "validate",
]

MIN_ANSWER = 40  # characters; DESIGN 4.6
MAX_ANSWER = 4_000

_ANSWERED = frozenset({Source.CR, Source.COMMANDER})


@dataclass(frozen=True, slots=True)
class CardRef:
    """A card a verdict is about."""

    id: CardId
    name: str


@final
class _Seal:
    """What only validate() holds."""


_SEAL = _Seal()


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A verdict whose every citation was found in its context. Made by validate().

    answer: Markdown-free prose; `[n]` points at citations[n - 1], one number a mark.
    """

    answer: str
    confidence: Confidence
    citations: tuple[Citation, ...]
    source: Source
    edition: date
    cards: tuple[CardRef, ...]
    seal: InitVar[_Seal]

    def __post_init__(self, seal: _Seal) -> None:
        if seal is not _SEAL:
            raise TypeError("Verdict is made by validate()")


def validate(raw: RawVerdict, context: Context, source: Source) -> Verdict:
    """The verdict in *raw*, every citation found in *context*; source, edition and cards stamped by us.

    Raises VerdictRejected with the first Rejection, in the order of DESIGN 4.6. Not checked: whether the answer
    follows from what it quotes. *source* must be one that is answered (ValueError otherwise).
    """
    if source not in _ANSWERED:
        raise ValueError(f"questions of source {source} are declined, not answered")
    answer, cited = _without_stubs(without_controls(raw.answer).strip(), raw.citations)
    _check_size(answer, cited)
    answer, citations = _merged(answer, [checked(number, one, context) for number, one in cited.items()])
    _check_rule_numbers(answer, citations, context)
    return Verdict(
        answer=answer,
        confidence=raw.confidence,
        citations=citations,
        source=source,
        edition=context.edition,
        cards=tuple(CardRef(card.id, card.name) for card in context.cards),
        seal=_SEAL,
    )


def _without_stubs(answer: str, citations: Sequence[RawCitation]) -> tuple[str, dict[int, RawCitation]]:
    """The answer with its marks counting what is left, and what is left by number.

    Raises VerdictRejected for a mark that points at nothing; a mark of a stub goes with the stub.
    """
    for number in marked_numbers(answer):
        if not 1 <= number <= len(citations):
            reason = f"there is no citation {number}; there are {len(citations)}, counted from 1"
            raise VerdictRejected(BadCitation(number, "a mark in the answer", f"[{number}]", reason))
    kept = [number for number, citation in enumerate(citations, 1) if not is_stub(citation)]
    new: dict[int, int | None] = dict.fromkeys(range(1, len(citations) + 1))
    new |= {old: now for now, old in enumerate(kept, 1)}
    return renumber(answer, new), {now: citations[number - 1] for now, number in enumerate(kept, 1)}


def _check_size(answer: str, cited: dict[int, RawCitation]) -> None:
    if len(answer) < MIN_ANSWER:
        raise VerdictRejected(Empty(f"the answer has {len(answer)} characters; at least {MIN_ANSWER} are needed"))
    if len(answer) > MAX_ANSWER:
        raise VerdictRejected(Oversized(len(answer)))
    if not cited:
        raise VerdictRejected(Empty("the answer cites nothing"))


def _merged(answer: str, citations: Sequence[Citation]) -> tuple[str, tuple[Citation, ...]]:
    """Answer and citations with each citation once; marks of a repeated one point at the first."""
    once = tuple(dict.fromkeys(citations))
    if len(once) == len(citations):
        return answer, once
    places = {citation: now for now, citation in enumerate(once, 1)}
    return renumber(answer, {old: places[citation] for old, citation in enumerate(citations, 1)}), once


def _check_rule_numbers(answer: str, citations: Sequence[Citation], context: Context) -> None:
    """Raises VerdictRejected for rules named and not cited.

    That a number is no rule's may be said without a quote, and what is nearest to it.
    """
    absent = {rule for each in context.absent for rule in (each.number, *each.nearest)}
    rules = [citation.id for citation in citations if isinstance(citation, RuleCitation)]
    named = uncited_rules(answer, rules, [citation.quote for citation in citations])
    if uncited := tuple(rule for rule in named if rule not in absent):
        raise VerdictRejected(UncitedRules(uncited))
