"""What a question is answered with. Every door renders these and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from judge.support import Claim, Support
from judge.transcripts import Transcript
from judge.values import Ambiguous, CallId, CardSpan, Context, Resolved, Source, Trace
from judge.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A model reasoned; the verdict passed validate(). call: None when the question was private.

    claims: what the answer states, each marked where its quote does not back it. not_found: suspected names that are
    no card's; the answer was made without them. remarks: what else the asker has to know about how it was made.
    transcript: how it came about, for the operator and nobody else.
    """

    verdict: Verdict
    context: Context
    resolved: tuple[Resolved, ...]
    trace: Trace
    claims: tuple[Claim, ...] = ()
    transcript: Transcript | None = field(default=None, compare=False)
    call: CallId | None = None
    not_found: tuple[CardSpan, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def doubtful(self) -> tuple[Claim, ...]:
        """The claims whose quotes do not back them, or that quote nothing."""
        return tuple(claim for claim in self.claims if claim.support is not Support.SUPPORTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extractive:
    """No model reasoned: the passages that best decide the question, each a checked quote.

    reason: why no model answered, in words for the asker. not_found, remarks: as in Answered.
    """

    verdict: Verdict
    context: Context
    resolved: tuple[Resolved, ...]
    trace: Trace
    reason: str
    call: CallId | None = None
    not_found: tuple[CardSpan, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AmbiguousCards:
    """Some spans could be several cards; the asker has to pick before anything is judged."""

    spans: tuple[Ambiguous, ...]


@dataclass(frozen=True, slots=True)
class CardsNotFound:
    """Some spans name no card; suggestions are nearest names for the asker to choose from, never taken."""

    spans: tuple[CardSpan, ...]


@dataclass(frozen=True, slots=True)
class OutOfScope:
    """Declined: tournament policy, or nothing to do with Magic's rules."""

    source: Source


@dataclass(frozen=True, slots=True)
class Busy:
    """Every judge slot is taken; retry_after in seconds."""

    retry_after: int


@dataclass(frozen=True, slots=True)
class RateLimited:
    """This asker's allowance is used up; retry_after in seconds."""

    retry_after: int


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing could be answered; *reason* is for the asker, *incident* is what the log carries."""

    reason: str
    incident: str = ""


Reply = Answered | Extractive | AmbiguousCards | CardsNotFound | OutOfScope | Busy | RateLimited | Failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Notices:
    """What the asker must know about the ground an answer stands on."""

    edition: date | None
    sample: bool = False
    lines: tuple[str, ...] = field(default=())
