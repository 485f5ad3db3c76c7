"""A reply as the one object every door shows: POST /api/judge, `ask --json` and the page (docs/API.md, D80).

Rendering only: nothing here decides, and nothing here reads a database.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NotRequired, TypedDict, assert_never

from calls.addresses import card_url, glossary_url, rule_url, ruling_anchor
from judge.passages import stems
from judge.rendering import card_data
from judge.replies import (
    AmbiguousCards,
    Answered,
    Busy,
    CardsNotFound,
    Extractive,
    Failed,
    OutOfScope,
    RateLimited,
    Reply,
)
from judge.values import (
    Card,
    CardDataCitation,
    Citation,
    Context,
    CorpusState,
    GlossaryCitation,
    OracleTextCitation,
    PriorCallCitation,
    Resolved,
    RuleChunk,
    RuleCitation,
    Ruling,
    RulingCitation,
    Rung,
    Source,
    parent_of,
)

SAMPLE_NOTICE = "Sample data: these cards and rules are invented to try the program with. They are not Magic's."

_SAME_SUBJECT = 4  # informative words that a ruling and a rule on the same thing share
_MOST_REWORDED = 3
_POSSESSIVE = re.compile(r"['’ʼ`´]s?$", re.IGNORECASE)


class CardLink(TypedDict):
    """A card and its page. span: the asker's words that name it, where they do."""

    name: str
    url: str
    span: NotRequired[str]
    type_line: NotRequired[str]


class CitationObject(TypedDict):
    """A checked quote. text: the passage it stands in, word for word. url: "" where there is no page.

    caution: why a ruling may no longer hold, where that is known.
    """

    kind: str
    label: str
    quote: str
    url: str
    text: str
    caution: NotRequired[str]


class NoteObject(TypedDict):
    """What the curators say about a card that breaks intuition. It is theirs, and no quote."""

    card: str
    text: str


class SpanObject(TypedDict):
    """Words of the question, and the cards they could mean, best first."""

    span: str
    candidates: list[CardLink]


class DoubtObject(TypedDict):
    """A sentence of the answer that its quotes do not back. support: "weak", or "uncited" where it points at none."""

    text: str
    support: str


class Pointer(TypedDict):
    """A document that answers what the judge does not."""

    label: str
    url: str


class ReplyObject(TypedDict):
    """One reply; docs/API.md says which keys come with which kind."""

    kind: str
    edition: str | None
    notices: list[str]
    answer: NotRequired[str]
    confidence: NotRequired[str]
    reason: NotRequired[str]
    cards: NotRequired[list[CardLink]]
    citations: NotRequired[list[CitationObject]]
    doubtful: NotRequired[list[DoubtObject]]
    notes: NotRequired[list[NoteObject]]
    read: NotRequired[dict[str, int]]
    not_found: NotRequired[list[str]]
    remarks: NotRequired[list[str]]
    call: NotRequired[int | None]
    spans: NotRequired[list[SpanObject]]
    source: NotRequired[str]
    pointers: NotRequired[list[Pointer]]
    retry_after: NotRequired[int]
    message: NotRequired[str]


_TOURNAMENT_POINTERS: list[Pointer] = [
    {
        "label": "Magic Tournament Rules and Infraction Procedure Guide",
        "url": "https://wpn.wizards.com/en/rules-documents",
    }
]
_TOURNAMENT = (
    "This is a question of tournament policy. This judge reads the Comprehensive Rules only: please ask the "
    "judge at your event, or look in the tournament documents."
)
_OUT_OF_SCOPE = (
    "This does not look like a question about the rules of Magic, and that is all this judge knows. "
    "Naming a card, or what happens in the game, helps."
)


def reply_object(reply: Reply, state: CorpusState) -> ReplyObject:
    """*reply* on the ground of *state*, ready for JSON."""
    match reply:
        case Answered():
            doubtful: list[DoubtObject] = [
                {"text": claim.text, "support": claim.support.value} for claim in reply.doubtful
            ]
            return _answer("answer", reply, state) | {"doubtful": doubtful}
        case Extractive():
            return _answer("extractive", reply, state) | {"reason": reply.reason}
        case AmbiguousCards():
            spans = [_span(one.span.text, one.candidates) for one in reply.spans]
            return _base("ambiguous", state) | {"spans": spans, "message": "Which card do you mean?"}
        case CardsNotFound():
            return _not_found(reply, state)
        case OutOfScope():
            return _out_of_scope(reply, state)
        case Busy():
            message = f"Every judge is at work on another question. Please ask again in {spoken(reply.retry_after)}."
            return _base("busy", state) | {"retry_after": reply.retry_after, "message": message}
        case RateLimited():
            message = f"That was a lot of questions. There is a new one for you in {spoken(reply.retry_after)}."
            return _base("rate_limited", state) | {"retry_after": reply.retry_after, "message": message}
        case Failed():
            return _base("error", state) | {"message": reply.reason}
    assert_never(reply)


def notices(state: CorpusState) -> list[str]:
    """What an asker must know about the ground an answer stands on, most important first."""
    lines = [SAMPLE_NOTICE] if state.sample else []
    if state.loading:
        lines.append(f"Not loaded yet: {', '.join(state.loading)}. Until then some names may not be found.")
    if line := embedding_line(state):
        lines.append(line)
    return lines


def embedding_line(state: CorpusState) -> str:
    """How far embedding is, or "" when it is done or there is nothing to embed."""
    if state.embedded >= state.to_embed:
        return ""
    percent = int(100 * state.embedded / state.to_embed)
    return f"Vector search joins when embedding is done ({percent}%). Until then the other searches answer."


def spoken(seconds: int) -> str:
    """A wait in words, never shorter than it is: "40 seconds", "3 minutes"."""
    if seconds < 100:
        return "1 second" if seconds == 1 else f"{seconds} seconds"
    minutes = -(-seconds // 60)
    return f"{minutes} minutes" if minutes < 100 else f"{-(-minutes // 60)} hours"


def _base(kind: str, state: CorpusState) -> ReplyObject:
    return {"kind": kind, "edition": state.edition.isoformat() if state.edition else None, "notices": notices(state)}


def _answer(kind: str, reply: Answered | Extractive, state: CorpusState) -> ReplyObject:
    context, verdict = reply.context, reply.verdict
    spans = {resolved.card.id: _called(resolved) for resolved in reversed(reply.resolved)}
    cards: list[CardLink] = []
    for card in verdict.cards:
        link: CardLink = {"name": card.name, "url": card_url(card.name, card.id)}
        if card.id in spans:
            link["span"] = spans[card.id]
        cards.append(link)
    return _base(kind, state) | {
        "edition": verdict.edition.isoformat(),
        "answer": verdict.answer,
        "confidence": verdict.confidence.value,
        "cards": cards,
        "citations": [_cited(citation, verdict.citations, context) for citation in verdict.citations],
        "notes": [{"card": _card(note.card, context).name, "text": note.text} for note in context.notes],
        "read": {
            "rules": len(context.rules),
            "rulings": len(context.rulings),
            "glossary": len(context.glossary),
            "calls": len(context.prior_calls),
        },
        "not_found": [span.text for span in reply.not_found],
        "remarks": list(reply.remarks),
        "call": reply.call,
    }


def _called(resolved: Resolved) -> str:
    """What the asker called the card; "bob's" is "bob" where that is how it was found."""
    text = resolved.span.text
    return _POSSESSIVE.sub("", text) if resolved.matched_via is Rung.ALIAS_STRIPPED else text


def _span(text: str, candidates: Iterable[Card]) -> SpanObject:
    return {
        "span": text,
        "candidates": [
            {
                "name": card.name,
                "url": card_url(card.name, card.id),
                "type_line": " // ".join(face.type_line for face in card.faces if face.type_line),
            }
            for card in candidates
        ],
    }


def _not_found(reply: CardsNotFound, state: CorpusState) -> ReplyObject:
    names = " and ".join(f"“{span.text}”" for span in reply.spans)
    message = f"No card is called {names}. Check the spelling, or write the full name in [[double brackets]]."
    return _base("not_found", state) | {"spans": [_span(span.text, ()) for span in reply.spans], "message": message}


def _out_of_scope(reply: OutOfScope, state: CorpusState) -> ReplyObject:
    tournament = reply.source is Source.TOURNAMENT
    return _base("out_of_scope", state) | {
        "source": reply.source.value,
        "message": _TOURNAMENT if tournament else _OUT_OF_SCOPE,
        "pointers": _TOURNAMENT_POINTERS if tournament else [],
    }


def _cited(citation: Citation, cited: Sequence[Citation], context: Context) -> CitationObject:
    """*citation* ready for JSON, with what speaks against relying on it beside the others *cited*."""
    shown = citation_object(citation, context)
    if caution := _caution(citation, cited, context):
        shown["caution"] = caution
    return shown


def _caution(citation: Citation, cited: Sequence[Citation], context: Context) -> str:
    """Which of the rules *cited* speak of the same as the ruling *citation* and are newer; "" where none is."""
    if not isinstance(citation, RulingCitation):
        return ""
    published = _ruling(citation, context).published_at
    said = stems(citation.quote)
    since = {one.rule: one.since for one in context.reworded if one.since > published}
    later = [
        f"{one.id} ({since[one.id].isoformat()})"
        for one in cited
        if isinstance(one, RuleCitation) and one.id in since and len(said & stems(one.quote)) >= _SAME_SUBJECT
    ]
    if not later:
        return ""
    rules = ", ".join(later[:_MOST_REWORDED])
    return f"Reworded since this ruling: {rules}. Where a ruling and a rule disagree, the rule counts."


def _ruling(citation: RulingCitation, context: Context) -> Ruling:
    return next(one for one in context.rulings if (one.card, one.key) == (citation.card, citation.key))


def citation_object(citation: Citation, context: Context) -> CitationObject:
    """*citation* with its label, its page and the passage of *context* it stands in."""
    kind, label, url, text = _located(citation, context)
    return {"kind": kind, "label": label, "quote": citation.quote, "url": url, "text": text or citation.quote}


def _located(citation: Citation, context: Context) -> tuple[str, str, str, str]:
    """(kind, label, url, passage). A verdict's citations all stand in its context."""
    match citation:
        case RuleCitation():
            chunk = next(rule for rule in context.rules if rule.id == parent_of(citation.id))
            label = f"{citation.id} {chunk.heading or chunk.section_title}".rstrip()
            return "rule", label, rule_url(citation.id, context.edition), _rule_text(citation, chunk)
        case RulingCitation():
            card = _card(citation.card, context)
            ruling = _ruling(citation, context)
            label = f"{card.name}, ruling of {ruling.published_at.isoformat()}"
            return "ruling", label, f"{card_url(card.name, card.id)}#{ruling_anchor(citation.key)}", ruling.text
        case OracleTextCitation():
            card = _card(citation.card, context)
            face = next(face for face in card.faces if face.index == citation.face)
            return "oracle_text", face.name, f"{card_url(card.name, card.id)}#face-{face.index}", face.oracle_text
        case GlossaryCitation():
            entry = next(entry for entry in context.glossary if entry.term == citation.term)
            return "glossary", entry.term, glossary_url(entry.term, context.edition), entry.text
        case CardDataCitation():
            card = _card(citation.card, context)
            return "card_data", card.name, card_url(card.name, card.id), card_data(card)
        case PriorCallCitation():
            prior = next(prior for prior in context.prior_calls if prior.id == citation.id)
            return "prior_call", f"Earlier call: {prior.question}", "", prior.answer
    assert_never(citation)


def _rule_text(citation: RuleCitation, chunk: RuleChunk) -> str:
    """The subrule's own text where it is one, otherwise the whole rule."""
    return next((leaf.text for leaf in chunk.leaves if leaf.id == citation.id), chunk.text)


def _card(wanted: object, context: Context) -> Card:
    return next(card for card in context.cards if card.id == wanted)
