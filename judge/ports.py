"""What the judge needs from outside, each a Protocol of a few methods. calls/adapters and llm implement them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from judge.raw import RawVerdict
from judge.rejections import Rejection
from judge.replies import Answered, Extractive
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
    Space,
    Vector,
)


class Extractor(Protocol):
    """Reads spans, concepts and category out of a question."""

    def extract(self, question: Question) -> Extraction:
        """What *question* is about. Spans occur in the question, case, accents and possessive folded."""
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


@dataclass(frozen=True, slots=True)
class Draft:
    """A synthesizer's reply, and the context it could cite (a lookup may have added rules to the one it was given)."""

    raw: RawVerdict
    context: Context


class Synthesizer(Protocol):
    """Lets a model reason over a context."""

    def synthesize(
        self, question: Question, extraction: Extraction, context: Context, rejected: Rejection | None
    ) -> Draft:
        """One draft. *rejected*: why the draft before was not let through, None the first time.

        Raises VerdictRejected(Malformed) for a reply that cannot be read, ProviderError when the provider fails.
        """
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
