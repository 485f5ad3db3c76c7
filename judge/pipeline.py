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

from judge.cancelling import Cancellation, Cancelled
from judge.errors import ProviderError, VerdictRejected
from judge.extractive import NothingToQuote, extract_answer
from judge.failures import Failure, FailureKind
from judge.folding import fold_name
from judge.incidents import log_incident, log_trouble, without_words
from judge.ports import CallStore, Corpus, Extractor, FailureStore, Resolver, Retriever
from judge.questions import apply_pins, brackets, drop_invented_spans, without_brackets
from judge.replies import AmbiguousCards, Answered, CardsNotFound, Extractive, Failed, OutOfScope, Reply
from judge.stages import CardsFound, Done, Extracting, Judging, OnStage, RulesRead, Stage, Validating
from judge.synthesizing import Reasoned, Reasoning, Unanswered, kind_of
from judge.transcripts import Transcript
from judge.troubles import BROKE, told
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
    Trace,
)
from judge.verdict import validate

NO_MODEL = "No language model is set up here."
READ_LOCALLY = "The question was read without a language model, so names and wording may have been missed: {why}"
_NOT_READ = "The language model's reading of it could not be used."

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

    store: None keeps nothing. fallback: reads the question where *extractor* asks a model and that fails.
    reasoning: None means no model, and every answer is extractive. failures: keeps what a model did wrong; None keeps
    nothing. incidents logs an unexpected failure (the stage in words, the error) and gives the id to tell the asker.
    clock, in seconds, adds the stages' durations to the trace.
    """

    extractor: Extractor
    resolver: Resolver
    retriever: Retriever
    corpus: Corpus
    store: CallStore | None = None
    fallback: Extractor | None = None
    reasoning: Reasoning | None = None
    failures: FailureStore | None = None
    incidents: Callable[[str, Exception], str] = log_incident
    clock: Callable[[], float] | None = None

    def answer(
        self,
        question: Question,
        pins: Sequence[Pin] = (),
        on_stage: OnStage | None = None,
        cancel: Cancellation | None = None,
    ) -> Reply:
        """The reply to *question* with each of *pins* taken for its span.

        Raises InvalidQuestion for a pin whose span the question does not hold, and Cancelled once *cancel* says so:
        then nothing is stored. *on_stage* is called as the run gets on; what it raises ends the run and comes out
        here (a listener that has gone away).
        """
        pinned = replace(question, text=apply_pins(question.text, pins)) if pins else question
        heard = on_stage or _unheard
        try:
            reply = _Run(self, pinned, heard, cancel).reply()
        except _Stopped as stopped:
            reply = stopped.reply
        heard(Done(reply))
        return reply


@dataclass(slots=True)
class _Run:
    """One question on its way through the judge."""

    judge: Judge
    question: Question
    on_stage: OnStage
    cancel: Cancellation | None = None
    remarks: list[str] = field(default_factory=list)  # what the asker has to know about how this was answered
    milliseconds: list[tuple[str, float]] = field(default_factory=list)

    def reply(self) -> Reply:
        with self._guarded("looking at the loaded data"):
            state = self.judge.corpus.state()
        if state.edition is None:
            return Failed(_nothing_loaded(state))
        self._goes_on(Extracting())
        extraction = self._extraction()
        if extraction.source in (Source.TOURNAMENT, Source.OUT_OF_SCOPE):
            return OutOfScope(extraction.source)
        cards = self._cards(extraction.spans)
        self._goes_on(CardsFound(cards.resolved, cards.not_found))
        with self._guarded("reading the rules", "retrieve"):
            retrieved = self.judge.retriever.retrieve(self.question, extraction, cards.resolved)
        self._goes_on(RulesRead(retrieved.context, retrieved.trace.legs_missing))
        judged = self._judged(extraction, cards, retrieved)
        self._check_cancelled()
        return self._stored(extraction, judged)

    def _goes_on(self, stage: Stage) -> None:
        self._check_cancelled()
        self.on_stage(stage)

    def _check_cancelled(self) -> None:
        if self.cancel is not None:
            self.cancel.check()

    def _extraction(self) -> Extraction:
        """What the question is about; its spans are the bracketed names, then what else occurs in it."""
        with self._guarded("reading the question", "extract"):
            extraction = self._extracted()
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

    def _extracted(self) -> Extraction:
        """What the extractor reads, or what the fallback does where a model would not or could not."""
        try:
            return self.judge.extractor.extract(self.question, self.cancel)
        except Cancelled:
            raise
        except Exception as error:
            if self.judge.fallback is None:
                raise
            why, failure = self._unread(error)
            self.remarks.append(READ_LOCALLY.format(why=why))
            self._keep(failure)
        return self.judge.fallback.extract(self.question)

    def _unread(self, error: Exception) -> tuple[str, Failure]:
        """Why a model did not read the question: for the asker, and for the operator."""
        doing = "reading the question by a model"
        if isinstance(error, ProviderError):
            log_trouble(doing, self._loggable(error))
            return told(error), _unread(kind_of(error), str(error), error.transcript)
        if isinstance(error, VerdictRejected):
            log_trouble(doing, self._loggable(error))
            name = type(error.rejection).__name__
            return _NOT_READ, _unread(FailureKind.REJECTED, str(error), error.transcript, (name,))
        incident = self._incident(doing, error)
        return BROKE.format(incident=incident), _unread(FailureKind.BUG, f"incident {incident}")

    def _judged(self, extraction: Extraction, cards: _Cards, retrieved: Retrieved) -> Answered | Extractive:
        """A model's answer where there is one that holds, the extractive one otherwise."""
        reason = NO_MODEL
        if self.judge.reasoning is None:
            self._goes_on(Judging())
        else:
            outcome = self._reasoned(self.judge.reasoning, extraction, retrieved)
            if isinstance(outcome, Reasoned):
                return Answered(
                    verdict=outcome.verdict,
                    context=outcome.context,
                    resolved=cards.resolved,
                    trace=self._timed_trace(retrieved),
                    claims=outcome.claims,
                    transcript=outcome.transcript,
                    not_found=cards.not_found,
                    remarks=tuple(self.remarks),
                )
            reason = outcome.reason
        return self._extractive(extraction, cards, retrieved, reason)

    def _reasoned(self, reasoning: Reasoning, extraction: Extraction, retrieved: Retrieved) -> Reasoned | Unanswered:
        with self._timed("synthesize"):
            outcome = reasoning.reason(self.question, extraction, retrieved.context, self._goes_on, self.cancel)
        if outcome.failure is not None:
            self._keep(outcome.failure)
        return outcome

    def _extractive(self, extraction: Extraction, cards: _Cards, retrieved: Retrieved, reason: str) -> Extractive:
        """The passages that best decide the question, checked like any answer; *reason*: why no model answered."""
        self._goes_on(Validating())
        with self._guarded("choosing what to quote", "quote"):
            raw = extract_answer(self.question, extraction, retrieved.context)
            if isinstance(raw, NothingToQuote):
                raise _Stopped(Failed(raw.reason))
            verdict = validate(raw, retrieved.context, extraction.source)
        return Extractive(
            verdict=verdict,
            context=retrieved.context,
            resolved=cards.resolved,
            trace=self._timed_trace(retrieved),
            reason=reason,
            not_found=cards.not_found,
            remarks=tuple(self.remarks),
        )

    def _timed_trace(self, retrieved: Retrieved) -> Trace:
        spent = (*retrieved.trace.milliseconds, *self.milliseconds)
        return replace(retrieved.trace, milliseconds=spent)

    def _keep(self, failure: Failure) -> None:
        """Keeps *failure* for the operator. Never of a private question; losing the record loses no answer."""
        if self.judge.failures is None or self.question.private:
            return
        try:
            self.judge.failures.keep(self.question, failure)
        except Exception as error:
            self._incident("keeping a failed attempt", error)

    def _stored(self, extraction: Extraction, reply: Answered | Extractive) -> Answered | Extractive:
        """*reply* with its call id. Private questions are never stored; an answer that cannot be is still given."""
        if self.judge.store is None or self.question.private:
            return reply
        try:
            return replace(reply, call=self.judge.store.save(self.question, extraction, reply))
        except Exception as error:  # losing the record must not lose the answer
            self._incident("storing the call", error)
            return reply

    def _loggable(self, error: Exception) -> Exception:
        return without_words(error) if self.question.private else error

    def _incident(self, doing: str, error: Exception) -> str:
        return self.judge.incidents(doing, self._loggable(error))

    @contextmanager
    def _guarded(self, doing: str, stage: str = "") -> Iterator[None]:
        """Turns what goes wrong inside into Failed with an incident, and times it as *stage*."""
        try:
            with self._timed(stage):
                yield
        except (_Stopped, Cancelled):
            raise
        except Exception as error:
            incident = self._incident(doing, error)
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


def _unread(
    kind: FailureKind, reason: str, transcript: Transcript | None = None, rejections: tuple[str, ...] = ()
) -> Failure:
    return Failure(kind=kind, stage="extract", reasons=(reason,), rejections=rejections, transcript=transcript)


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
