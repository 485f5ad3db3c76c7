"""The Retriever of judge.ports over Postgres and an embedder: runs the legs, fuses them, gathers the context."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import partial

from calls.adapters import legs
from calls.adapters.cards import rulings_by_card
from calls.adapters.examples import prior_calls
from calls.adapters.legs import Kind
from calls.adapters.rules import glossary_entries, reworded_since, rule_chunks
from curation.asked_index import AskedIndex
from curation.models import CardNote, Category
from judge.absent_rules import absent_rules, numbers_in
from judge.errors import ProviderError
from judge.ports import Embedder
from judge.queries import Asked, Query, by_relevance, headings_in, keyword_rules, plain_words, queries_of
from judge.retrieval import Candidate, Leg, best_first, fuse, ranking, shortened, summed, within_budget
from judge.values import (
    AbsentRule,
    Budget,
    Card,
    CardId,
    Context,
    Exchange,
    Extraction,
    Note,
    Question,
    Resolved,
    Retrieved,
    Reworded,
    RuleChunk,
    RuleId,
    Ruling,
    Trace,
    Vector,
)
from rules.lexemes import lexemes_of
from rules.lookups import headings_of, references_of, terms_named
from rules.models import Edition, GlossaryTerm
from rules.querysets import TextHit
from rules.references import find_references
from rules.text_index import text_index
from rules.vector_index import VectorIndex

GLOSSARY_ASKED = 12  # entries for terms in the question and the concepts
GLOSSARY_ON_CARDS = 8  # and in the Oracle texts
GLOSSARY_CHARACTERS = 6_000  # of all entries shown together

type _Pending = Future[Vector] | Callable[[], Vector]
"""A vector that a thread is making, or what makes it here and now."""

_BUDGET = Budget()
_VECTORS = VectorIndex()  # one a process: the edition's vectors are some 5 MB
_ASKED = AskedIndex()  # and those of the ways to ask some 12 MB
_EMBEDDING = ThreadPoolExecutor(1, "embedding")  # one model, which takes one text at a time


@dataclass(slots=True)
class _Clock:
    """Milliseconds spent, by stage."""

    spent: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.spent[name] = self.spent.get(name, 0.0) + 1000 * (time.perf_counter() - begun)


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question with all that is looked up for it before the rules are searched."""

    question: Question
    extraction: Extraction
    resolved: tuple[Resolved, ...]
    rulings: Mapping[CardId, tuple[Ruling, ...]]  # most relevant first
    notes: tuple[Note, ...]
    glossary: tuple[GlossaryTerm, ...]  # named by the question and the concepts
    card_glossary: tuple[GlossaryTerm, ...]  # named by the Oracle texts

    @property
    def cards(self) -> tuple[Card, ...]:
        return tuple(each.card for each in self.resolved)

    @property
    def words(self) -> str:
        return plain_words(self.question, self.extraction)


class PostgresRetriever:
    """Finds what decides a question. Without an embedder, or before its vectors are there, the other legs answer."""

    def __init__(
        self, embedder: Embedder | None, budget: Budget = _BUDGET, weights: legs.Weights = legs.WEIGHTS
    ) -> None:
        self._embedder = embedder
        self._weights = weights
        self._budget = budget

    def retrieve(self, question: Question, extraction: Extraction, resolved: Sequence[Resolved]) -> Retrieved:
        """The context within the budget and how it was ranked; with no rules loaded, one without rules."""
        clock = _Clock()
        cards = tuple(each.card for each in resolved)
        edition = Edition.objects.current()
        if edition is None:
            return Retrieved(Context(edition=date.min, cards=cards), Trace(ranked=(), legs_missing=("rules",)))
        with clock.stage("read"):
            chunks = rule_chunks(edition.pk)
        with clock.stage("look-ups"):
            asked = _look_up(edition.pk, question, extraction, resolved)
            absent = absent_rules(numbers_in(question.text), chunks)
        searches, missing = self._search(edition.pk, asked, clock)
        with clock.stage("rank"):
            candidates = _ranked(edition.pk, asked, searches, self._weights, absent)
        subrules = legs.subrule_scores(searches, self._weights)
        shown = within_budget(candidates, chunks, self._budget, subrules, asked_for(question, absent))
        context = Context(
            edition=edition.effective,
            cards=asked.cards,
            rules=shown,
            rulings=_bounded_rulings(asked, self._budget),
            glossary=glossary_entries(_bounded_terms(asked)),
            notes=asked.notes,
            prior_calls=prior_calls(extraction, asked.cards, self._embedder, self._budget.prior_calls),
            history=_bounded_history(question, self._budget),
            absent=absent,
            reworded=_reworded(edition.pk, shown, asked),
        )
        return Retrieved(
            context,
            Trace(
                ranked=ranking(candidates, shown),
                legs_missing=missing,
                milliseconds=tuple((stage, round(spent, 1)) for stage, spent in clock.spent.items()),
            ),
        )

    def _search(self, edition: int, asked: _Asked, clock: _Clock) -> tuple[list[legs.Hits], tuple[str, ...]]:
        """What text and vector search find for every query, and the names of the legs that could not run."""
        rulings = [asked.rulings.get(card.id, ()) for card in asked.cards]
        made = queries_of(asked.question, asked.extraction, asked.resolved, rulings)
        queries = [query for query in made if self._weights.of_query(query.asked)]
        vectors, missing = self._vectors(edition, [query for query in queries if query.asked is not Asked.RULING])
        with clock.stage("text"):
            lexemes = lexemes_of([query.text for query in queries])
            texts = text_index(edition).search(lexemes, legs.HITS_PER_QUERY)
            _ASKED.refresh()
            phrases = _ASKED.search(lexemes, legs.HITS_PER_QUERY)
        near: list[legs.Hits] = []
        try:
            near = self._nearest(edition, vectors, clock)
        except ProviderError as error:  # a service that fails, or the spend cap: the other legs answer
            missing = (*missing, f"vector: {error}")
        return [*_hits(Kind.TEXT, queries, texts), *_hits(Kind.ASKED_TEXT, queries, phrases), *near], missing

    def _vectors(self, edition: int, queries: Sequence[Query]) -> tuple[list[tuple[Query, _Pending]], tuple[str, ...]]:
        """*queries* with what gives each its vector, or none and why there are none.

        A local model starts on them at once in a thread of its own, so that the other searches run meanwhile; rulings
        are left out, they cost much and bring nothing (D74).
        """
        embedder = self._embedder
        if embedder is None:
            return [], ("vector: no embedder is set up",)
        space = embedder.space
        if not _VECTORS.has(edition, space):
            return [], (f"vector: no vectors of {space.model} yet",)
        if space.provider != "local":  # it counts its money in the database, by this thread's connection
            return [(query, partial(embedder.query, query.text)) for query in queries], ()
        return [(query, _EMBEDDING.submit(embedder.query, query.text)) for query in queries], ()

    def _nearest(self, edition: int, vectors: Sequence[tuple[Query, _Pending]], clock: _Clock) -> list[legs.Hits]:
        """The vector searches, of all queries together that have a vector by then: the next ones are made meanwhile.

        One product over all of them reads the matrix once, which is what it costs.
        """
        if self._embedder is None:
            return []
        space = self._embedder.space
        rules: list[legs.Hits] = []
        phrases: list[legs.Hits] = []
        waiting = deque(vectors)
        while waiting:
            with clock.stage("embed"):
                made = _made_by_now(waiting)
            queries, embedded = [query for query, _ in made], [vector for _, vector in made]
            with clock.stage("vector"):
                near = _VECTORS.nearest(edition, space, embedded, legs.HITS_PER_QUERY, rules=bool(self._weights.vector))
                rules += _hits(Kind.VECTOR, queries, near)
                near = _ASKED.nearest(space, embedded, legs.HITS_PER_QUERY)
                phrases += _hits(Kind.ASKED_VECTOR, queries, near)
        return [*rules, *phrases]


def _made_by_now(waiting: deque[tuple[Query, _Pending]]) -> list[tuple[Query, Vector]]:
    """Takes from *waiting* the next query, and those behind it whose vectors are there too."""
    made: list[tuple[Query, Vector]] = []
    while waiting and (not made or _is_there(waiting[0][1])):
        query, vector = waiting.popleft()
        made.append((query, vector.result() if isinstance(vector, Future) else vector()))
    return made


def _is_there(vector: _Pending) -> bool:
    return not isinstance(vector, Future) or vector.done()


def _hits(kind: Kind, queries: Sequence[Query], found: Sequence[Sequence[TextHit]]) -> list[legs.Hits]:
    return [legs.Hits(query, kind, hits) for query, hits in zip(queries, found, strict=True) if hits]


def _look_up(edition: int, question: Question, extraction: Extraction, resolved: Sequence[Resolved]) -> _Asked:
    cards = tuple(each.card for each in resolved)
    words = plain_words(question, extraction)
    rulings = rulings_by_card(card.id for card in cards)
    notes = CardNote.objects.filter(card__in=[card.id for card in cards]).order_by("card__name", "origin")
    terms = terms_named(edition, words, GLOSSARY_ASKED)
    on_cards = "\n".join(card.oracle_text for card in cards)
    return _Asked(
        question=question,
        extraction=extraction,
        resolved=tuple(resolved),
        rulings={card: by_relevance(found, words) for card, found in rulings.items()},
        notes=tuple(
            Note(CardId(note.card_id), note.text, tuple(RuleId(rule) for rule in note.rules)) for note in notes
        ),
        glossary=tuple(terms),
        card_glossary=tuple(term for term in terms_named(edition, on_cards, GLOSSARY_ON_CARDS) if term not in terms),
    )


def asked_for(question: Question, absent: Sequence[AbsentRule]) -> tuple[RuleId, ...]:
    """The rules and subrules *question* names by number; of a number no rule has, what is nearest."""
    nearest = {each.number: each.nearest for each in absent}
    return tuple(rule for number in numbers_in(question.text) for rule in nearest.get(number, (number,)))


def _reworded(edition: int, shown: Sequence[RuleChunk], asked: _Asked) -> tuple[Reworded, ...]:
    """What of the rules *shown* changed after the oldest ruling on a card asked about; nothing where there is none."""
    dates = [ruling.published_at for rulings in asked.rulings.values() for ruling in rulings]
    if not dates:
        return ()
    since = reworded_since(edition, Edition.objects.count())
    # A rule holds the text of its subrules, so that one of those changed says nothing of its own line.
    numbers = (each.id for chunk in shown for each in (chunk.leaves or (chunk,)))
    return tuple(Reworded(number, day) for number in numbers if (day := since.get(number)) and day > min(dates))


def _ranked(
    edition: int,
    asked: _Asked,
    searches: Sequence[legs.Hits],
    weights: legs.Weights,
    absent: Sequence[AbsentRule],
) -> tuple[Candidate, ...]:
    """The legs of both rounds fused. The first round is added up once: it ranks the second, and is its beginning."""
    numbers = asked_for(asked.question, absent)
    first = _counting((*legs.search_legs(searches, weights), *_named_legs(edition, asked, numbers, weights)))
    scores = summed(first)
    second = _counting(_second_round(edition, asked, best_first(scores), weights))
    return fuse((*first, *second), before=scores, counted=len(first))


def _counting(found: Sequence[Leg]) -> tuple[Leg, ...]:
    """The legs that found something and have a weight."""
    return tuple(leg for leg in found if leg.found and leg.weight)


def _named_legs(edition: int, asked: _Asked, numbers: Sequence[RuleId], weights: legs.Weights) -> tuple[Leg, ...]:
    """The legs that need no search: keywords of the question and the cards, rule numbers, glossary, notes."""
    headings = headings_of(edition)
    spoken = headings_in(asked.words, headings)
    keywords = [rule for card in asked.cards for rule in keyword_rules(card.keywords, headings)]
    printed = headings_in("\n".join(card.oracle_text for card in asked.cards), headings)
    in_question = [*numbers, *numbers_in(asked.words)]
    in_rulings = [
        rule
        for card in asked.cards
        for ruling in asked.rulings.get(card.id, ())
        for rule in find_references(ruling.text).rules
    ]
    in_glossary = [rule for term in asked.glossary for rule in find_references(term.text).rules]
    return (
        legs.listed_leg("keywords asked", weights.keywords_asked, spoken),
        legs.listed_leg(
            "keywords of the cards", weights.keywords_of_cards, sorted(keywords, key=lambda rule: rule not in spoken)
        ),
        legs.listed_leg(
            "keywords in Oracle text", weights.keywords_in_text, sorted(printed, key=lambda rule: rule not in spoken)
        ),
        legs.listed_leg("numbers in the question", weights.numbers_asked, in_question),
        legs.listed_leg("numbers in rulings", weights.numbers_in_rulings, in_rulings),
        legs.listed_leg("glossary", weights.glossary, in_glossary),
        legs.listed_leg("notes", weights.notes, [rule for note in asked.notes for rule in note.rules]),
    )


def _second_round(edition: int, asked: _Asked, ranked: legs.Ranked, weights: legs.Weights) -> tuple[Leg, ...]:
    """The legs that pick from the first round: cross-references, categories, guessed sections."""
    sources = [rule for rule, _ in ranked[: legs.SOURCES_OF_REFERENCES]]
    references = references_of(edition)
    keys = (asked.extraction.primary, *asked.extraction.secondary)
    categories = {row.key: row.sections for row in Category.objects.filter(key__in=keys)}
    mapped = [section for key in keys for section in categories.get(key, ())]
    glossary = [section for term in asked.glossary for section in find_references(term.text).sections]
    return (
        legs.reference_leg(
            weights.references, [(rule, named) for rule in sources for named in references.get(rule, ())], ranked
        ),
        legs.section_leg("category", weights.category, dict.fromkeys(mapped), ranked),
        legs.section_leg(
            "guessed sections", weights.guessed_sections, dict.fromkeys(asked.extraction.sections), ranked
        ),
        legs.section_leg("sections in the glossary", weights.glossary_sections, dict.fromkeys(glossary), ranked),
    )


def _bounded_rulings(asked: _Asked, budget: Budget) -> tuple[Ruling, ...]:
    return tuple(ruling for card in asked.cards for ruling in asked.rulings.get(card.id, ())[: budget.rulings_per_card])


def _bounded_terms(asked: _Asked) -> tuple[GlossaryTerm, ...]:
    """The glossary entries that are shown: the question's before the cards', until they are too long together."""
    shown: list[GlossaryTerm] = []
    left = GLOSSARY_CHARACTERS
    for term in (*asked.glossary, *asked.card_glossary):
        if len(term.text) <= left:
            shown.append(term)
            left -= len(term.text)
    return tuple(shown)


def _bounded_history(question: Question, budget: Budget) -> tuple[Exchange, ...]:
    limit = budget.history_characters
    return tuple(
        Exchange(shortened(each.question, limit), shortened(each.answer, limit))
        for each in question.history[max(0, len(question.history) - budget.history) :]
    )
