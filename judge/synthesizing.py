"""A model's part in an answer: a draft, the check, one retry with the reason, the second look at its claims.

Every way it can fail comes back as Unanswered, in words for the asker and as a Failure for the operator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil

from judge.cancelling import Cancellation, Cancelled
from judge.errors import ProviderError, VerdictRejected
from judge.failures import Failure, FailureKind
from judge.ports import Draft, Embedder, Synthesizer, Verifier
from judge.rejections import Rejection
from judge.stages import Judging, OnStage, Validating
from judge.support import Claim, check_support
from judge.transcripts import Transcript
from judge.values import Context, Extraction, Question
from judge.verdict import Verdict, validate

ATTEMPTS = 2  # drafts asked of a synthesizer: one, and one retry with the reason (DESIGN 4.6)

FAILED = "The language model could not be reached."
OVERLOADED = "The language model is overloaded right now."
CAP_REACHED = "The spending limit of this judge is reached."
REJECTED = "The language model's answer did not pass the check of its quotes."


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A verdict that passed, the context it stands on, and its claims. failure: a first draft that did not pass."""

    verdict: Verdict
    context: Context
    claims: tuple[Claim, ...]
    transcript: Transcript
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Why no model answered. reason: for the asker."""

    reason: str
    failure: Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    """Asks a model and checks what it says. embedder and verifier are for the second look; None does without."""

    synthesizer: Synthesizer
    verifier: Verifier | None = None
    embedder: Embedder | None = None
    incidents: Callable[[str, Exception], str]

    def reason(
        self,
        question: Question,
        extraction: Extraction,
        context: Context,
        on_stage: OnStage,
        cancel: Cancellation | None,
    ) -> Reasoned | Unanswered:
        """What a model makes of *question*. Raises Cancelled, and whatever *on_stage* raises."""
        rejections: list[Rejection] = []
        draft: Draft | None = None
        for attempt in range(1, ATTEMPTS + 1):
            on_stage(Judging(attempt))
            try:
                draft = self._draft(question, extraction, context, draft, rejections, cancel)
            except Cancelled:
                raise
            except ProviderError as error:
                return Unanswered(told(error), _failure(_kind(error), (*map(str, rejections), str(error)), draft))
            except Exception as error:  # the checked quotes are still there to answer with
                incident = self.incidents("asking the model", error)
                return Unanswered(FAILED, _failure(FailureKind.BUG, (f"incident {incident}",), draft))
            on_stage(Validating(attempt))
            try:
                verdict = validate(draft.raw(), draft.context, extraction.source)
            except VerdictRejected as refusal:
                rejections.append(refusal.rejection)
                continue
            claims = self._claims(verdict, extraction, cancel)
            return Reasoned(verdict, draft.context, claims, draft.transcript, _retried(rejections, draft))
        return Unanswered(REJECTED, _rejected(FailureKind.REJECTED, rejections, draft))

    def _draft(
        self,
        question: Question,
        extraction: Extraction,
        context: Context,
        before: Draft | None,
        rejections: list[Rejection],
        cancel: Cancellation | None,
    ) -> Draft:
        if before is None:
            return self.synthesizer.draft(question, extraction, context, cancel)
        return before.again(rejections[-1], cancel)

    def _claims(self, verdict: Verdict, extraction: Extraction, cancel: Cancellation | None) -> tuple[Claim, ...]:
        """The claims of *verdict*, held against their quotes: by words and vectors, and by a model where there is one.

        The second look never costs the answer: where it fails, what the look before it found stands.
        """
        try:
            embed = None if self.embedder is None else self.embedder.query
            claims = check_support(verdict, embed, english=extraction.answer_language == "en")
        except Exception as error:
            self.incidents("looking at the claims", error)
            claims = check_support(verdict, None, english=extraction.answer_language == "en")
        if self.verifier is None or not claims:
            return claims
        try:
            found = self.verifier.verify(claims, cancel)
        except Cancelled:
            raise
        except (ProviderError, VerdictRejected):
            return claims
        except Exception as error:
            self.incidents("taking a second look", error)
            return claims
        return tuple(replace(claim, support=support) for claim, support in zip(claims, found, strict=True))


def told(error: ProviderError) -> str:
    """*error* in words for the asker, and when to come back where that is known."""
    if _kind(error) is FailureKind.CAP_REACHED:
        return f"{CAP_REACHED}{_back(error.retry_after)}"
    if error.retry_after is not None:
        return f"{OVERLOADED}{_back(error.retry_after)}"
    return FAILED


def _back(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 120:
        return f" It may answer again in {ceil(seconds)} seconds."
    if seconds < 7_200:
        return f" It may answer again in {ceil(seconds / 60)} minutes."
    if seconds < 172_800:
        return f" It may answer again in {ceil(seconds / 3_600)} hours."
    return f" It may answer again in {ceil(seconds / 86_400)} days."


def _kind(error: ProviderError) -> FailureKind:
    return FailureKind.CAP_REACHED if error.is_own_cap else FailureKind.PROVIDER


def _failure(kind: FailureKind, reasons: tuple[str, ...], draft: Draft | None) -> Failure:
    transcript = None if draft is None else draft.transcript
    return Failure(kind=kind, stage="synth", reasons=reasons, transcript=transcript)


def _retried(rejections: list[Rejection], draft: Draft) -> Failure | None:
    return _rejected(FailureKind.RETRIED, rejections, draft) if rejections else None


def _rejected(kind: FailureKind, rejections: list[Rejection], draft: Draft | None) -> Failure:
    return Failure(
        kind=kind,
        stage="synth",
        reasons=tuple(map(str, rejections)),
        rejections=tuple(type(rejection).__name__ for rejection in rejections),
        transcript=None if draft is None else draft.transcript,
    )
