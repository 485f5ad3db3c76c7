"""What the judge needs from outside, each a Protocol of a few methods. calls/adapters and llm implement them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from judge.cancelling import Cancellation
from judge.failures import Failure
from judge.raw import RawVerdict
from judge.rejections import Rejection
from judge.replies import Answered, Extractive
from judge.support import Claim, Support
from judge.transcripts import Transcript
from judge.values import (
    CallId,
    CardSpan,
    Context,
    CorpusState,
    Extraction,
    Question,
    Resolution,
    Resolved,
    Retrieved,
    RuleChunk,
    RuleId,
    Space,
    Vector,
)


class Extractor(Protocol):
    """Reads spans, concepts and category out of a question."""

    def extract(self, question: Question, cancel: Cancellation | None = None) -> Extraction:
        """What *question* is about. Spans occur in the question, case, accents and possessive folded.

        One that asks a model raises ProviderError, VerdictRejected(Malformed) or Cancelled.
        """
        ...


class Resolver(Protocol):
    """Finds the card each span names, and never guesses one."""

    def resolve(self, spans: Sequence[CardSpan]) -> tuple[Resolution, ...]:
        """One resolution a span, in order, duplicate references collapsed."""
        ...


class Retriever(Protocol):
    """Gathers the material an answer may read."""

    def retrieve(self, question: Question, extraction: Extraction, resolved: Sequence[Resolved]) -> Retrieved:
        """The context within the budget, and the trace of how it was ranked."""
        ...


class Embedder(Protocol):
    """Turns text into vectors of `space.width` floats, normalised to length 1."""

    @property
    def space(self) -> Space:
        """The space the vectors belong to."""
        ...

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, embedded as passages to be found."""
        ...

    def query(self, text: str) -> Vector:
        """The vector of *text*, embedded as a question that finds passages."""
        ...


class RuleLookup(Protocol):
    """Reads rules of the current edition by number."""

    def lookup(self, rules: Sequence[RuleId]) -> tuple[RuleChunk, ...]:
        """The whole rule of each of *rules* that exists, each once, in the order asked for."""
        ...


class Draft(Protocol):
    """What a model sent back for one question, unchecked."""

    @property
    def context(self) -> Context:
        """All it could cite; a look-up may have added rules to the context it was given."""
        ...

    @property
    def transcript(self) -> Transcript:
        """How it came about."""
        ...

    def raw(self) -> RawVerdict:
        """The verdict in it. Raises VerdictRejected(Malformed) for a reply that is refused, cut off or unreadable."""
        ...

    def again(self, rejected: Rejection, cancel: Cancellation | None = None) -> Draft:
        """The one retry, told why this draft was not let through; no look-up in it.

        Raises ProviderError or Cancelled.
        """
        ...


class Synthesizer(Protocol):
    """Lets a model reason over a context."""

    def draft(
        self, question: Question, extraction: Extraction, context: Context, cancel: Cancellation | None = None
    ) -> Draft:
        """The model's first draft. Raises ProviderError or Cancelled."""
        ...


class Verifier(Protocol):
    """A second look: does each claim follow from its quotes?"""

    def verify(self, claims: Sequence[Claim], cancel: Cancellation | None = None) -> tuple[Support, ...]:
        """One finding a claim, in order. Raises ProviderError, VerdictRejected(Malformed) or Cancelled."""
        ...


class FailureStore(Protocol):
    """Keeps a model's failed attempts for the operator."""

    def keep(self, question: Question, failure: Failure) -> None:
        """Stores *failure*. Never called for a private question."""
        ...


class CallStore(Protocol):
    """Keeps what was answered."""

    def save(self, question: Question, extraction: Extraction, reply: Answered | Extractive) -> CallId:
        """Stores the call with its context ids and trace, and gives its id. Never called for a private question."""
        ...


class Corpus(Protocol):
    """What data is loaded."""

    def state(self) -> CorpusState:
        """The state right now; cheap enough to ask at every question."""
        ...
