"""The judge: extract, resolve, retrieve, synthesize, validate, store (DESIGN 4).

One Judge is built by the composition root and used by every door, from any thread: it holds its ports and
nothing else. Everything it expects comes back as a Reply. What it does not expect is logged as an incident
and comes back as Failed; an asker never sees a traceback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import assert_never

from judge.errors import ProviderError, VerdictRejected
from judge.extractive import NothingToQuote, extract_answer
from judge.folding import fold_name
from judge.incidents import log_incident
from judge.ports import CallStore, Corpus, Extractor, Resolver, Retriever, Synthesizer
from judge.questions import apply_pins, brackets, drop_invented_spans, without_brackets
from judge.rejections import Rejection
from judge.replies import AmbiguousCards, Answered, CardsNotFound, Extractive, Failed, OutOfScope, Reply
from judge.stages import CardsFound, Judging, OnStage, RulesRead
from judge.values import (
    Ambiguous,
    CardSpan,
    CorpusState,
    Extraction,
    NotFound,
    Pin,
    Question,
    Resolution,
    Resolved,
    Retrieved,
    Source,
)
from judge.verdict import validate

ATTEMPTS = 2  # drafts asked of a synthesizer: one, and one retry with the reason (DESIGN 4.6)

NO_MODEL = "No language model is set up here."
MODEL_FAILED = "The language model could not be reached."
MODEL_REJECTED = "The language model's answer did not pass the check of its quotes."

_WENT_WRONG = "Something went wrong while {doing}. It has been logged as incident {incident}; please try again."


class _Stopped(Exception):
    """Carries the reply that ends the run."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply)
        self.reply = reply


@dataclass(frozen=True, slots=True)
class _Cards:
    """What the spans of a question came to."""

    resolved: tuple[Resolved, ...]
    not_found: tuple[CardSpan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Answers questions.

    store: None keeps nothing. synthesizer: None means no model, and every answer is extractive. incidents logs
    an unexpected failure (the stage in words, the error) and gives the id to tell the asker. clock, in seconds,
    adds the stages' durations to the trace.
    """

    extractor: Extractor
    resolver: Resolver
    retriever: Retriever
    corpus: Corpus
    store: CallStore | None = None
    synthesizer: Synthesizer | None = None
    incidents: Callable[[str, Exception], str] = log_incident
    clock: Callable[[], float] | None = None

    def answer(self, question: Question, pins: Sequence[Pin] = (), on_stage: OnStage | None = None) -> Reply:
        """The reply to *question* with each of *pins* taken for its span.

        Raises InvalidQuestion for a pin whose span the question does not hold. *on_stage* is called as the run
        gets on; what it raises ends the run and comes out here (a listener that has gone away).
        """
        pinned = replace(question, text=apply_pins(question.text, pins)) if pins else question
        try:
            return _Run(self, pinned, on_stage or _unheard).reply()
        except _Stopped as stopped:
            return stopped.reply


@dataclass(slots=True)
class _Run:
    """One question on its way through the judge."""

    judge: Judge
    question: Question
    on_stage: OnStage
    milliseconds: list[tuple[str, float]] = field(default_factory=list)

    def reply(self) -> Reply:
        with self._guarded("looking at the loaded data"):
            state = self.judge.corpus.state()
        if state.edition is None:
            return Failed(_nothing_loaded(state))
        extraction = self._extraction()
        if extraction.source in (Source.TOURNAMENT, Source.OUT_OF_SCOPE):
            return OutOfScope(extraction.source)
        cards = self._cards(extraction.spans)
        self.on_stage(CardsFound(cards.resolved, cards.not_found))
        with self._guarded("reading the rules", "retrieve"):
            retrieved = self.judge.retriever.retrieve(self.question, extraction, cards.resolved)
        self.on_stage(RulesRead(retrieved.context, retrieved.trace.legs_missing))
        self.on_stage(Judging())
        return self._stored(extraction, self._judged(extraction, cards, retrieved))

    def _extraction(self) -> Extraction:
        """What the question is about; its spans are the bracketed names, then what else occurs in it."""
        with self._guarded("reading the question", "extract"):
            extraction = self.judge.extractor.extract(self.question)
        loose = replace(self.question, text=without_brackets(self.question.text))
        spans = merged_spans(brackets(self.question), drop_invented_spans(extraction.spans, loose))
        return replace(extraction, spans=spans)

    def _cards(self, spans: Sequence[CardSpan]) -> _Cards:
        """The cards *spans* name. Stops the run with a question back, or with names nobody knows (D43)."""
        with self._guarded("looking up the cards", "resolve"):
            resolutions = self.judge.resolver.resolve(spans) if spans else ()
        resolved, ambiguous, unknown = _sorted_out(resolutions)
        if ambiguous:
            raise _Stopped(AmbiguousCards(ambiguous))
        if missing := tuple(span for span in unknown if span.exact or span.sure):
            raise _Stopped(CardsNotFound(missing))
        return _Cards(resolved, unknown)

    def _judged(self, extraction: Extraction, cards: _Cards, retrieved: Retrieved) -> Answered | Extractive:
        """A model's answer where there is one that holds, the extractive one otherwise."""
        reason = NO_MODEL
        if self.judge.synthesizer is not None:
            outcome = self._synthesized(self.judge.synthesizer, extraction, cards, retrieved)
            if isinstance(outcome, Answered):
                return outcome
            reason = outcome
        with self._guarded("choosing what to quote", "quote"):
            raw = extract_answer(self.question, extraction, retrieved.context)
            if isinstance(raw, NothingToQuote):
                raise _Stopped(Failed(raw.reason))
            verdict = validate(raw, retrieved.context, extraction.source)
        return Extractive(
            verdict=verdict,
            context=retrieved.context,
            resolved=cards.resolved,
            trace=replace(retrieved.trace, milliseconds=(*retrieved.trace.milliseconds, *self.milliseconds)),
            reason=reason,
            not_found=cards.not_found,
        )

    def _synthesized(
        self, synthesizer: Synthesizer, extraction: Extraction, cards: _Cards, retrieved: Retrieved
    ) -> Answered | str:
        """A model's answer that passed the check, or why there is none, in words for the asker."""
        context = retrieved.context
        rejected: Rejection | None = None
        for _ in range(ATTEMPTS):
            try:
                with self._timed("synthesize"):
                    draft = synthesizer.synthesize(self.question, extraction, context, rejected)
                context = draft.context
                verdict = validate(draft.raw, context, extraction.source)
            except VerdictRejected as refusal:
                rejected = refusal.rejection
            except ProviderError:
                return MODEL_FAILED
            except Exception as error:  # the checked quotes are still there to answer with
                self.judge.incidents("asking the model", error)
                return MODEL_FAILED
            else:
                return Answered(
                    verdict=verdict,
                    context=context,
                    resolved=cards.resolved,
                    trace=replace(retrieved.trace, milliseconds=(*retrieved.trace.milliseconds, *self.milliseconds)),
                    not_found=cards.not_found,
                )
        return MODEL_REJECTED

    def _stored(self, extraction: Extraction, reply: Answered | Extractive) -> Answered | Extractive:
        """*reply* with its call id. Private questions are never stored; an answer that cannot be is still given."""
        if self.judge.store is None or self.question.private:
            return reply
        try:
            return replace(reply, call=self.judge.store.save(self.question, extraction, reply))
        except Exception as error:  # losing the record must not lose the answer
            self.judge.incidents("storing the call", error)
            return reply

    @contextmanager
    def _guarded(self, doing: str, stage: str = "") -> Iterator[None]:
        """Turns what goes wrong inside into Failed with an incident, and times it as *stage*."""
        try:
            with self._timed(stage):
                yield
        except _Stopped:
            raise
        except Exception as error:
            incident = self.judge.incidents(doing, error)
            raise _Stopped(Failed(_WENT_WRONG.format(doing=doing, incident=incident), incident)) from error

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        clock = self.judge.clock
        if clock is None or not stage:
            yield
            return
        start = clock()
        yield
        self.milliseconds.append((stage, (clock() - start) * 1_000))


def merged_spans(bracketed: Sequence[CardSpan], others: Sequence[CardSpan]) -> tuple[CardSpan, ...]:
    """*bracketed* and then *others*, each folded name once; a bracket's word for it wins."""
    kept = {fold_name(span.text): span for span in bracketed}
    for span in others:
        kept.setdefault(fold_name(span.text), span)
    return tuple(span for folded, span in kept.items() if folded)


def _sorted_out(
    resolutions: Sequence[Resolution],
) -> tuple[tuple[Resolved, ...], tuple[Ambiguous, ...], tuple[CardSpan, ...]]:
    """*resolutions* by outcome: resolved (each card once), ambiguous, and the spans not found."""
    resolved: dict[object, Resolved] = {}
    ambiguous: list[Ambiguous] = []
    unknown: list[CardSpan] = []
    for resolution in resolutions:
        match resolution:
            case Resolved():
                resolved.setdefault(resolution.card.id, resolution)
            case Ambiguous():
                ambiguous.append(resolution)
            case NotFound():
                unknown.append(resolution.span)
            case _:
                assert_never(resolution)
    return tuple(resolved.values()), tuple(ambiguous), tuple(unknown)


def _nothing_loaded(state: CorpusState) -> str:
    if state.loading:
        return f"The rules are not loaded yet. Still loading: {', '.join(state.loading)}. Please ask again in a minute."
    return "No Comprehensive Rules are loaded, so nothing can be quoted. The operator has to load them first."


def _unheard(_stage: object) -> None:
    """Nobody listens."""
