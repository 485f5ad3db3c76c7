"""Calls kept in Postgres: what was answered, from what, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import timedelta
from hashlib import sha256
from typing import Any, assert_never

from django.db.models.functions import Now

from calls.adapters.examples import remember
from calls.models import Call
from judge.ports import Embedder
from judge.replies import Answered, Extractive
from judge.values import (
    CallId,
    Card,
    CardDataCitation,
    Citation,
    Context,
    Exchange,
    Extraction,
    GlossaryCitation,
    OracleTextCitation,
    PriorCallCitation,
    Question,
    RuleCitation,
    RulingCitation,
    Trace,
)

HISTORY_EXCHANGES = 5  # DESIGN 4.1
HISTORY_AGE = timedelta(hours=2)
_HASH = 16  # hex digits kept; enough to see a change


class PostgresCallStore:
    """The CallStore of judge.ports over the Call table.

    embedder: gives a model's answer the vector it is found by when it serves as an example; None keeps none.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def save(self, question: Question, extraction: Extraction, reply: Answered | Extractive) -> CallId:
        """Stores the call with its context ids and trace, and gives its id."""
        verdict = reply.verdict
        call = Call.objects.create(
            kind=Call.Kind.ANSWER if isinstance(reply, Answered) else Call.Kind.EXTRACTIVE,
            question=question.text,
            answer=verdict.answer,
            confidence=verdict.confidence.value,
            category=extraction.primary,
            source=verdict.source.value,
            answer_language=extraction.answer_language,
            citations=[citation_json(citation) for citation in verdict.citations],
            cards=[card.id for card in verdict.cards],
            context=context_ids(reply.context),
            trace=trace_json(reply.trace) | {"remarks": list(reply.remarks)},
            edition=verdict.edition,
            door=question.door,
            thread=question.thread,
            card_texts=card_texts(reply.context.cards),
            **(_reasoning(reply) if isinstance(reply, Answered) else {}),
        )
        if self._embedder is not None and isinstance(reply, Answered):
            remember(call.pk, extraction.question_en, self._embedder)
        return CallId(call.pk)

    def history(self, thread: str) -> tuple[Exchange, ...]:
        """The last exchanges of *thread*, oldest first: at most five, none older than two hours."""
        if not thread:
            return ()
        recent = Call.objects.filter(thread=thread, asked_at__gte=Now() - HISTORY_AGE).order_by("-asked_at", "-pk")
        rows = list(recent.values_list("question", "answer")[:HISTORY_EXCHANGES])
        return tuple(Exchange(question, answer) for question, answer in reversed(rows))


def _reasoning(reply: Answered) -> dict[str, Any]:
    """The columns only a model's answer has."""
    told = reply.transcript
    return {
        "model": told.model if told else "",
        "claims": [{"text": claim.text, "support": claim.support.value} for claim in reply.claims],
        "transcript": {
            "prompts": {prompt.name: prompt.sha256 for prompt in told.prompts} if told else {},
            "looked_up": list(told.looked_up) if told else [],
            "rounds": len(told.rounds) if told else 0,
        },
    }


def card_texts(cards: Iterable[Card]) -> dict[str, str]:
    """A hash of what each of *cards* said, by oracle id: when it differs, the call was about another text."""
    return {str(card.id): sha256(card_text(card).encode()).hexdigest()[:_HASH] for card in cards}


def card_text(card: Card) -> str:
    """What an answer about *card* rests on: name, cost, type, power and rules text of every face.

    Legality is left out: it changes often and decides few answers; a quote of it is checked for itself.
    """
    return "\n\n".join(
        "\n".join((face.name, face.mana_cost, face.type_line, face.oracle_text, face.power, face.toughness))
        for face in card.faces
    )


def citation_json(citation: Citation) -> dict[str, Any]:
    """*citation* as it is stored: its kind, what it names, its quote."""
    match citation:
        case RuleCitation(id=rule, quote=quote):
            return {"kind": "rule", "id": rule, "quote": quote}
        case RulingCitation(card=card, key=key, quote=quote):
            return {"kind": "ruling", "card": str(card), "key": key, "quote": quote}
        case OracleTextCitation(card=card, face=face, quote=quote):
            return {"kind": "oracle_text", "card": str(card), "face": face, "quote": quote}
        case GlossaryCitation(term=term, quote=quote):
            return {"kind": "glossary", "term": term, "quote": quote}
        case CardDataCitation(card=card, quote=quote):
            return {"kind": "card_data", "card": str(card), "quote": quote}
        case PriorCallCitation(id=call, quote=quote):
            return {"kind": "prior_call", "id": call, "quote": quote}
    assert_never(citation)


def context_ids(context: Context) -> dict[str, Any]:
    """The ids of everything the answer could read, in the order it was shown."""
    return {
        "edition": context.edition.isoformat(),
        "cards": [str(card.id) for card in context.cards],
        "rules": [rule.id for rule in context.rules],
        "rulings": [{"card": str(ruling.card), "key": ruling.key} for ruling in context.rulings],
        "glossary": [entry.term for entry in context.glossary],
        "notes": [str(note.card) for note in context.notes],
        "prior_calls": [prior.id for prior in context.prior_calls],
        "history": len(context.history),
    }


def trace_json(trace: Trace) -> dict[str, Any]:
    """*trace* for the trace column, names as in judge.values."""
    return {
        "ranked": [asdict(rule) for rule in trace.ranked],
        "legs_missing": list(trace.legs_missing),
        "milliseconds": dict(trace.milliseconds),
    }
