"""A model's part in an answer: a draft, the check, one retry with the reason, the second look at its claims.

Every way it can fail comes back as Unanswered, in words for the asker and as a Failure for the operator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from judge.cancelling import Cancellation, Cancelled
from judge.errors import ProviderError, Trouble, VerdictRejected
from judge.failures import Failure, FailureKind
from judge.incidents import log_trouble, without_words
from judge.ports import Draft, Embedder, Synthesizer, Verifier
from judge.rejections import Rejection
from judge.stages import Judging, OnStage, Validating
from judge.support import Claim, Meaning, check_support, meaning_by
from judge.transcripts import Transcript
from judge.troubles import BROKE, REJECTED, told
from judge.values import Context, Extraction, Question
from judge.verdict import Verdict, validate

ATTEMPTS = 2  # drafts asked of a synthesizer: one, and one retry with the reason (DESIGN 4.6)


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
        return _Attempts(self, question, extraction, context, on_stage, cancel).outcome()


@dataclass(slots=True)
class _Attempts:
    """The drafts asked for one question."""

    reasoning: Reasoning
    question: Question
    extraction: Extraction
    context: Context
    on_stage: OnStage
    cancel: Cancellation | None
    draft: Draft | None = None
    verdict: Verdict | None = None
    rejections: list[Rejection] = field(default_factory=list)

    def outcome(self) -> Reasoned | Unanswered:
        for attempt in range(1, ATTEMPTS + 1):
            self.on_stage(Judging(attempt))
            if failed := self._failed(self._ask):
                return failed
            self.on_stage(Validating(attempt))
            if failed := self._failed(self._check):
                return failed
            if self.verdict is not None:
                return self._reasoned(self.verdict)
        return Unanswered(REJECTED, self._failure(FailureKind.REJECTED))

    def _failed(self, step: Callable[[], None]) -> Unanswered | None:
        """Why *step* could not be taken, None where it was. Raises Cancelled."""
        try:
            step()
        except Cancelled:
            raise
        except ProviderError as error:
            log_trouble("asking the model", without_words(error) if self.question.private else error)
            failure = self._failure(kind_of(error), str(error), error.transcript)
            return Unanswered(told(error), failure)
        except Exception as error:  # the checked quotes are still there to answer with
            incident = self._incident("asking the model", error)
            return Unanswered(BROKE.format(incident=incident), self._failure(FailureKind.BUG, f"incident {incident}"))
        return None

    def _ask(self) -> None:
        if self.draft is None:
            asked = self.reasoning.synthesizer
            self.draft = asked.draft(self.question, self.extraction, self.context, self.cancel)
        else:
            self.draft = self.draft.again(self.rejections[-1], self.cancel)

    def _check(self) -> None:
        assert self.draft is not None, "a draft is asked for before it is checked"
        try:
            self.verdict = validate(self.draft.raw(), self.draft.context, self.extraction.source)
        except VerdictRejected as refusal:
            self.rejections.append(refusal.rejection)

    def _reasoned(self, verdict: Verdict) -> Reasoned:
        assert self.draft is not None, "a verdict was a draft"
        failure = self._failure(FailureKind.RETRIED) if self.rejections else None
        return Reasoned(verdict, self.draft.context, self._claims(verdict), self.draft.transcript, failure)

    def _failure(self, kind: FailureKind, last: str = "", transcript: Transcript | None = None) -> Failure:
        """The failure of *kind*: the rejections so far, and *last*."""
        return Failure(
            kind=kind,
            stage="synth",
            reasons=tuple(filter(None, [*map(str, self.rejections), last])),
            rejections=tuple(type(rejection).__name__ for rejection in self.rejections),
            transcript=transcript or (None if self.draft is None else self.draft.transcript),
        )

    def _claims(self, verdict: Verdict) -> tuple[Claim, ...]:
        """The claims of *verdict*, held against their quotes: by words and vectors, and by a model where there is one.

        The second look never costs the answer: where it fails, what the look before it found stands.
        """
        english = self.extraction.answer_language == "en"
        try:
            claims = check_support(verdict, self._meaning(), english=english)
        except Exception as error:
            self._incident("looking at the claims", error)
            claims = check_support(verdict, None, english=english)
        return self._verified(claims)

    def _verified(self, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
        """*claims* as the verifier finds them; as they were where there is none or it fails."""
        verifier = self.reasoning.verifier
        if verifier is None or not claims:
            return claims
        try:
            found = verifier.verify(claims, self.cancel)
            return tuple(replace(claim, support=support) for claim, support in zip(claims, found, strict=True))
        except Cancelled:
            raise
        except (ProviderError, VerdictRejected) as error:
            log_trouble("taking a second look", without_words(error) if self.question.private else error)
        except Exception as error:
            self._incident("taking a second look", error)
        return claims

    def _meaning(self) -> Meaning | None:
        embedder = self.reasoning.embedder
        return None if embedder is None else meaning_by(embedder.space.model, embedder.query)

    def _incident(self, doing: str, error: Exception) -> str:
        return self.reasoning.incidents(doing, without_words(error) if self.question.private else error)


def kind_of(error: ProviderError) -> FailureKind:
    """How *error* is counted."""
    return FailureKind.CAP_REACHED if error.trouble is Trouble.OWN_CAP else FailureKind.PROVIDER
