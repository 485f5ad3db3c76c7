"""The judge's run, port by port: what stops it, what it gives, and what it survives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from judge.cancelling import Cancellation, Cancelled
from judge.errors import InvalidQuestion, VerdictRejected
from judge.failures import FailureKind
from judge.incidents import log_incident
from judge.pipeline import NO_MODEL, READ_LOCALLY, Judge
from judge.questions import parse_question
from judge.raw import RawVerdict
from judge.rejections import Malformed, UncitedRules
from judge.replies import AmbiguousCards, Answered, CardsNotFound, Extractive, Failed, OutOfScope, Reply
from judge.stages import CardsFound, Done, Extracting, Judging, RulesRead, Stage, Validating
from judge.support import Claim, Support
from judge.synthesizing import Reasoning
from judge.transcripts import NO_REPLY, PromptDigest, Round, Transcript
from judge.troubles import BROKE, CAP_REACHED, MISCONFIGURED, OVERLOADED, REJECTED, SLOW, UNREACHABLE
from judge.values import CardSpan, CorpusState, Pin, Source
from llm.errors import CapReached, CredentialsRefused, Overloaded, TooSlow, Unreachable
from tests.fakes import (
    BEND,
    BOLT,
    CONTEXT,
    EDITION,
    NEWT,
    TWINS,
    Broken,
    FixedCorpus,
    FixedRetriever,
    MemoryFailures,
    MemoryStore,
    ScriptedExtractor,
    ScriptedSynthesizer,
    Step,
    TableResolver,
    extraction,
)

TABLE = {"newt": (NEWT,), "murk newt": (NEWT,), "twin": (TWINS,), "thunder": (BOLT, BEND), "thunder bolt": (BOLT,)}
QUESTION = parse_question("Does the newt's trigger still happen if it dies in response?")
GOOD = RawVerdict.model_validate(
    {
        "answer": "Yes: once it has triggered, the ability no longer needs its source [1].",
        "confidence": "high",
        "citations": [{"kind": "rule", "id": "760.4", "quote": "An ability that has triggered exists apart"}],
    }
)
BAD = GOOD.model_copy(update={"answer": f"{GOOD.answer} See also 999.9."})


class Incidents:
    def __init__(self) -> None:
        self.noted: list[tuple[str, Exception]] = []

    def __call__(self, stage: str, error: Exception) -> str:
        self.noted.append((stage, error))
        return f"incident-{len(self.noted)}"


def judge(**ports: Any) -> Judge:
    working: dict[str, Any] = {
        "extractor": ScriptedExtractor(extraction("newt")),
        "resolver": TableResolver(TABLE),
        "retriever": FixedRetriever(),
        "corpus": FixedCorpus(),
        "incidents": Incidents(),
    }
    return Judge(**(working | ports))


def answered(reply: Reply) -> Extractive:
    assert isinstance(reply, Extractive)
    return reply


def test_a_question_is_answered_from_checked_quotes_and_stored() -> None:
    store = MemoryStore()
    reply = answered(judge(store=store).answer(QUESTION))
    assert reply.call == 1
    assert reply.reason == NO_MODEL
    assert [one.card for one in reply.resolved] == [NEWT]
    assert reply.verdict.edition == EDITION
    assert reply.verdict.citations
    question, _, stored = store.calls[0]
    assert (question, stored) == (QUESTION, replace(reply, call=None))


def test_a_private_question_is_answered_and_never_stored() -> None:
    store = MemoryStore()
    reply = answered(judge(store=store).answer(replace(QUESTION, private=True)))
    assert (reply.call, store.calls) == (None, [])


def test_the_retriever_gets_the_cards_and_the_reply_tells_which_legs_are_missing() -> None:
    retriever = FixedRetriever(legs_missing=("vector",))
    reply = answered(judge(retriever=retriever).answer(QUESTION))
    assert retriever.asked[0][2] == (NEWT,)
    assert reply.trace.legs_missing == ("vector",)


def test_the_stages_come_in_order_with_what_is_known() -> None:
    heard: list[Stage] = []
    judge().answer(QUESTION, on_stage=heard.append)
    assert [type(stage) for stage in heard] == [Extracting, CardsFound, RulesRead, Judging, Validating, Done]
    assert isinstance(heard[1], CardsFound)
    assert heard[1].resolved[0].card == NEWT


def test_a_listener_that_went_away_ends_the_run() -> None:
    def gone(stage: Stage) -> None:
        raise BrokenPipeError

    retriever = FixedRetriever()
    with pytest.raises(BrokenPipeError):
        judge(retriever=retriever).answer(QUESTION, on_stage=gone)
    assert retriever.asked == []


def test_a_clock_adds_the_stages_durations_to_the_trace() -> None:
    ticks = iter(range(100))
    reply = answered(judge(clock=lambda: float(next(ticks))).answer(QUESTION))
    assert reply.trace.milliseconds == (("extract", 1_000), ("resolve", 1_000), ("retrieve", 1_000), ("quote", 1_000))


@pytest.mark.parametrize("source", [Source.TOURNAMENT, Source.OUT_OF_SCOPE])
def test_what_is_not_about_the_rules_is_declined_before_any_look_up(source: Source) -> None:
    resolver, retriever = TableResolver(TABLE), FixedRetriever()
    declining = ScriptedExtractor(extraction("newt", source=source))
    reply = judge(extractor=declining, resolver=resolver, retriever=retriever).answer(QUESTION)
    assert reply == OutOfScope(source)
    assert (resolver.asked, retriever.asked) == ([], [])


# Cards


def test_brackets_are_read_by_code_and_what_stands_only_inside_them_is_not_read_again() -> None:
    resolver = TableResolver(TABLE)
    question = parse_question("Does [[Thunder Bolt]] kill the newt?")
    found = ScriptedExtractor(extraction("thunder", "Thunder Bolt", "newt"))
    answered(judge(extractor=found, resolver=resolver).answer(question))
    assert resolver.asked == [CardSpan("Thunder Bolt", exact=True, sure=True), CardSpan("newt")]


def test_a_span_the_extractor_invented_is_not_looked_up() -> None:
    resolver = TableResolver(TABLE)
    judge(extractor=ScriptedExtractor(extraction("newt", "twin")), resolver=resolver).answer(QUESTION)
    assert resolver.asked == [CardSpan("newt")]


def test_an_ambiguous_name_asks_back_before_anything_is_read() -> None:
    retriever = FixedRetriever()
    asked = parse_question("Can thunder hit the newt or [[Nobody]]?")
    reply = judge(extractor=ScriptedExtractor(extraction("thunder", "newt")), retriever=retriever).answer(asked)
    assert isinstance(reply, AmbiguousCards)
    assert [(one.span.text, one.candidates) for one in reply.spans] == [("thunder", (BOLT, BEND))]
    assert retriever.asked == []


def test_a_pin_answers_the_question_back() -> None:
    asked = parse_question("Can thunder hit the newt?")
    run = judge(extractor=ScriptedExtractor(extraction("thunder", "newt")))
    reply = answered(run.answer(asked, [Pin("thunder", "Thunder Bolt")]))
    assert [one.card for one in reply.resolved] == [BOLT, NEWT]


def test_a_pin_for_nothing_is_an_invalid_question() -> None:
    with pytest.raises(InvalidQuestion, match="lightning"):
        judge().answer(QUESTION, [Pin("lightning", "Thunder Bolt")])


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        pytest.param("Does [[Nobody]] stop the newt?", ("newt",), id="bracketed"),
        pytest.param("Does Nobody stop the newt?", (CardSpan("Nobody", sure=True), "newt"), id="sure"),
    ],
)
def test_a_sure_name_nobody_knows_stops_the_run(text: str, spans: tuple[str | CardSpan, ...]) -> None:
    reply = judge(extractor=ScriptedExtractor(extraction(*spans))).answer(parse_question(text))
    assert isinstance(reply, CardsNotFound)
    assert [span.text for span in reply.spans] == ["Nobody"]


def test_a_suspected_name_nobody_knows_is_told_and_does_not_stop_the_answer() -> None:
    heard: list[Stage] = []
    run = judge(extractor=ScriptedExtractor(extraction("response", "newt")))
    reply = answered(run.answer(QUESTION, on_stage=heard.append))
    assert reply.not_found == (CardSpan("response"),)
    assert heard[1] == CardsFound(reply.resolved, reply.not_found)


def test_a_question_without_cards_asks_no_resolver() -> None:
    reply = judge(extractor=ScriptedExtractor(), resolver=Broken()).answer(QUESTION)
    assert answered(reply).resolved == ()


# Nothing loaded, and failures


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (CorpusState(edition=None), "operator has to load"),
        (CorpusState(edition=None, loading=("the Comprehensive Rules",)), "Still loading: the Comprehensive Rules"),
    ],
)
def test_without_rules_the_judge_says_so(state: CorpusState, says: str) -> None:
    reply = judge(corpus=FixedCorpus(state), extractor=Broken()).answer(QUESTION)
    assert isinstance(reply, Failed)
    assert says in reply.reason


def test_a_context_without_rules_is_a_failure_with_a_reason() -> None:
    reply = judge(retriever=FixedRetriever(replace(CONTEXT, rules=()))).answer(QUESTION)
    assert isinstance(reply, Failed)
    assert "No rule" in reply.reason
    assert reply.incident == ""


@pytest.mark.parametrize("port", ["extractor", "resolver", "retriever", "corpus"])
def test_a_port_that_fails_becomes_a_failure_with_an_incident(port: str) -> None:
    incidents, broken = Incidents(), Broken()
    reply = judge(incidents=incidents, **{port: broken}).answer(QUESTION)
    assert isinstance(reply, Failed)
    assert reply.incident == "incident-1"
    assert "incident-1" in reply.reason
    assert "database is gone" not in reply.reason
    assert [error for _, error in incidents.noted] == [broken.error]


def test_a_store_that_fails_costs_the_record_and_not_the_answer() -> None:
    incidents = Incidents()
    reply = answered(judge(store=Broken(), incidents=incidents).answer(QUESTION))
    assert reply.call is None
    assert len(incidents.noted) == 1


# With a model


UNREADABLE = VerdictRejected(Malformed("no JSON"))
DOWN = Unreachable("no connection")
SOON = " It may answer again in a few minutes."


def with_model(*script: Step, **ports: Any) -> tuple[Judge, ScriptedSynthesizer]:
    synthesizer = ScriptedSynthesizer(list(script))
    incidents = ports.get("incidents") or Incidents()
    reasoning = Reasoning(synthesizer=synthesizer, incidents=incidents, verifier=ports.pop("verifier", None))
    return judge(reasoning=reasoning, **ports | {"incidents": incidents}), synthesizer


def test_a_models_answer_that_holds_is_given() -> None:
    store = MemoryStore()
    run, _ = with_model(GOOD, store=store)
    reply = run.answer(QUESTION)
    assert isinstance(reply, Answered)
    assert reply.verdict.answer == GOOD.answer
    assert reply.call == 1


def test_a_models_run_tells_every_stage_in_order() -> None:
    heard: list[Stage] = []
    run, _ = with_model(BAD, GOOD)
    reply = run.answer(QUESTION, on_stage=heard.append)
    assert heard[0] == Extracting()
    assert [type(stage) for stage in heard[1:3]] == [CardsFound, RulesRead]
    assert heard[3:] == [Judging(1), Validating(1), Judging(2), Validating(2), Done(reply)]


def test_a_rejected_draft_is_asked_for_once_more_with_the_reason_and_kept_for_the_operator() -> None:
    failures = MemoryFailures()
    run, synthesizer = with_model(BAD, GOOD, failures=failures)
    assert isinstance(run.answer(QUESTION), Answered)
    first, second = synthesizer.told
    assert first is None
    assert isinstance(second, UncitedRules)
    [(_, failure)] = failures.kept
    assert (failure.kind, failure.rejections) == (FailureKind.RETRIED, ("UncitedRules",))


@pytest.mark.parametrize(
    ("script", "reason", "kind"),
    [
        pytest.param([BAD, BAD], REJECTED, FailureKind.REJECTED, id="rejected twice"),
        pytest.param([UNREADABLE, UNREADABLE], REJECTED, FailureKind.REJECTED, id="unreadable twice"),
        pytest.param([BAD, UNREADABLE], REJECTED, FailureKind.REJECTED, id="rejected, then unreadable"),
        pytest.param([DOWN], UNREACHABLE + SOON, FailureKind.PROVIDER, id="provider down"),
        pytest.param([BAD, DOWN], UNREACHABLE + SOON, FailureKind.PROVIDER, id="provider down at the retry"),
        pytest.param([TooSlow("90 s")], SLOW + SOON, FailureKind.PROVIDER, id="too slow"),
        pytest.param([CredentialsRefused("401")], MISCONFIGURED, FailureKind.PROVIDER, id="wrong key"),
        pytest.param(
            [RuntimeError("a bug")], BROKE.format(incident="incident-1"), FailureKind.BUG, id="unexpected failure"
        ),
        pytest.param(
            [BAD, CapReached("full", retry_after=200_000)],
            f"{CAP_REACHED} It may answer again in 3 days.",
            FailureKind.CAP_REACHED,
            id="cap reached at the retry",
        ),
        pytest.param(
            [CapReached("full", retry_after=3_600)],
            f"{CAP_REACHED} It may answer again in 60 minutes.",
            FailureKind.CAP_REACHED,
            id="cap reached",
        ),
        pytest.param(
            [Overloaded("busy", retry_after=30)],
            f"{OVERLOADED} It may answer again in 30 seconds.",
            FailureKind.PROVIDER,
            id="overloaded",
        ),
    ],
)
def test_when_the_model_fails_the_checked_quotes_answer_and_say_why(
    script: list[Step], reason: str, kind: FailureKind
) -> None:
    failures, store = MemoryFailures(), MemoryStore()
    run, synthesizer = with_model(*script, failures=failures, store=store)
    reply = answered(run.answer(QUESTION))
    assert reply.reason == reason
    assert synthesizer.script == []
    assert [failure.kind for _, failure in failures.kept] == [kind]
    assert len(store.calls) == 1


def test_a_private_questions_failure_is_kept_nowhere() -> None:
    failures, store = MemoryFailures(), MemoryStore()
    run, _ = with_model(BAD, BAD, failures=failures, store=store)
    answered(run.answer(replace(QUESTION, private=True)))
    assert (failures.kept, store.calls) == ([], [])


def test_losing_the_record_of_a_failure_loses_no_answer() -> None:
    run, _ = with_model(BAD, GOOD, failures=Broken())
    assert isinstance(run.answer(QUESTION), Answered)


@pytest.mark.parametrize(
    ("error", "why", "kind"),
    [
        pytest.param(DOWN, UNREACHABLE + SOON, FailureKind.PROVIDER, id="down"),
        pytest.param(
            UNREADABLE,
            "The language model's reading of it could not be used.",
            FailureKind.REJECTED,
            id="unreadable",
        ),
        pytest.param(CapReached("full"), CAP_REACHED, FailureKind.CAP_REACHED, id="cap reached"),
        pytest.param(KeyError("a bug"), BROKE.format(incident="incident-1"), FailureKind.BUG, id="a bug"),
    ],
)
def test_a_question_no_model_can_read_is_read_locally_and_the_asker_is_told(
    error: Exception, why: str, kind: FailureKind
) -> None:
    failures = MemoryFailures()
    run, _ = with_model(
        GOOD, extractor=Broken(error), fallback=ScriptedExtractor(extraction("newt")), failures=failures
    )
    reply = run.answer(QUESTION)
    assert isinstance(reply, Answered)
    assert [one.card for one in reply.resolved] == [NEWT]
    assert reply.remarks == (READ_LOCALLY.format(why=why),)
    assert [(failure.stage, failure.kind) for _, failure in failures.kept] == [("extract", kind)]


def test_an_extractive_answer_tells_too_that_the_question_was_read_locally() -> None:
    run = judge(extractor=Broken(DOWN), fallback=ScriptedExtractor(extraction("newt")))
    assert answered(run.answer(QUESTION)).remarks


def test_a_cancelled_reading_is_not_read_again() -> None:
    fallback = ScriptedExtractor()
    with pytest.raises(Cancelled):
        judge(extractor=Broken(Cancelled()), fallback=fallback).answer(QUESTION)
    assert fallback.asked == []


def test_what_was_said_before_a_provider_failed_is_kept() -> None:
    failures, down = MemoryFailures(), Unreachable("no connection")
    down.transcript = Transcript(model="m", rounds=(Round("the question", "", NO_REPLY),))
    run, _ = with_model(BAD, down, failures=failures)
    run.answer(QUESTION)
    [(_, failure)] = failures.kept
    assert failure.transcript == down.transcript
    assert failure.rejections == ("UncitedRules",)


def test_a_failed_attempt_is_kept_with_its_prompts_and_its_rejections() -> None:
    failures = MemoryFailures()
    run, _ = with_model(BAD, UNREADABLE, failures=failures)
    run.answer(QUESTION)
    [(question, failure)] = failures.kept
    assert (question, failure.stage, failure.rejections) == (QUESTION, "synth", ("UncitedRules", "Malformed"))
    assert failure.transcript is not None
    assert failure.transcript.prompts == (PromptDigest("synthesize", "0" * 64),)
    assert "999.9" in failure.reasons[0]


class BrokenDraft:
    """A draft whose own code fails."""

    context, transcript = CONTEXT, Transcript(model="m")

    def raw(self) -> RawVerdict:
        raise RecursionError

    def again(self, rejected: object, cancel: object = None) -> BrokenDraft:
        return self


class BrokenDraftSynthesizer:
    def draft(self, *_asked: object) -> BrokenDraft:
        return BrokenDraft()


def test_a_check_that_breaks_falls_back_to_the_quotes() -> None:
    incidents = Incidents()
    run = judge(reasoning=Reasoning(synthesizer=BrokenDraftSynthesizer(), incidents=incidents), incidents=incidents)
    assert answered(run.answer(QUESTION)).reason == BROKE.format(incident="incident-1")


SECRET = replace(QUESTION, private=True)


@pytest.mark.parametrize("port", ["extractor", "resolver", "retriever", "synthesizer"])
def test_the_log_of_a_private_questions_failure_does_not_hold_its_words(port: str, caplog: Any) -> None:
    words = f"could not handle: {SECRET.text}"
    error = RuntimeError(words) if port != "synthesizer" else Unreachable(words)
    ports: dict[str, Any] = {} if port == "synthesizer" else {port: Broken(error)}
    run, _ = with_model(error, incidents=log_incident, **ports)
    run.answer(SECRET)
    assert "newt" not in caplog.text
    assert type(error).__name__ in caplog.text


class CancelAt:
    """Cancels the run when it hears a stage of that kind."""

    def __init__(self, kind: type) -> None:
        self.kind, self.cancel = kind, Cancellation()

    def __call__(self, stage: Stage) -> None:
        if isinstance(stage, self.kind):
            self.cancel.cancel()


@pytest.mark.parametrize("stage", [Extracting, CardsFound, RulesRead, Judging, Validating])
def test_a_run_cancelled_at_any_stage_stores_nothing(stage: type) -> None:
    store, failures, at = MemoryStore(), MemoryFailures(), CancelAt(stage)
    run, _ = with_model(BAD, GOOD, store=store, failures=failures)
    with pytest.raises(Cancelled):
        run.answer(QUESTION, on_stage=at, cancel=at.cancel)
    assert (store.calls, failures.kept) == ([], [])


def test_the_model_is_given_the_means_to_be_cancelled() -> None:
    cancel = Cancellation()
    run, synthesizer = with_model(BAD, GOOD)
    run.answer(QUESTION, cancel=cancel)
    assert synthesizer.cancels == [cancel, cancel]


class ScriptedVerifier:
    def __init__(self, result: Support | Exception) -> None:
        self.result = result

    def verify(self, claims: Sequence[Claim], cancel: Cancellation | None = None) -> tuple[Support, ...]:
        if isinstance(self.result, Exception):
            raise self.result
        return tuple(self.result for _ in claims)


def test_a_second_look_by_a_model_has_the_last_word() -> None:
    run, _ = with_model(GOOD, verifier=ScriptedVerifier(Support.WEAK))
    reply = run.answer(QUESTION)
    assert isinstance(reply, Answered)
    assert [claim.support for claim in reply.claims] == [Support.WEAK]
    assert reply.doubtful == reply.claims


@pytest.mark.parametrize("error", [DOWN, UNREADABLE, RuntimeError("a bug")])
def test_a_second_look_that_fails_costs_nothing(error: Exception) -> None:
    run, _ = with_model(GOOD, verifier=ScriptedVerifier(error))
    reply = run.answer(QUESTION)
    assert isinstance(reply, Answered)
    assert reply.doubtful == ()
