"""The one way to a model: reserve the worst case, call, settle on what was used.

Only this module makes a Permit, and no backend sends without one. Every attempt is metered by itself, embeddings
included. What a failed request cost is not known where the provider may have begun on it (a broken or silent
connection, a cancelled run), nor what a reply cost that counts no tokens: then the whole reservation counts as spent,
as that alone keeps the cap's promise (D92).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Protocol

from judge.cancelling import Cancellation, Cancelled
from judge.errors import ProviderError
from judge.values import Space, Vector
from llm.backends import PERMIT_KEY, ChatBackend, Embedded, EmbeddingBackend, Permit
from llm.embeddings import batches
from llm.errors import Crowded, Overloaded, Unreachable, Unreadable
from llm.messages import Request, Response, Usage
from llm.prices import Price, Prices, worst_case, worst_case_of_texts
from llm.retrying import rest, with_retries

CROWD_PAUSE = 0.5  # seconds between two looks whether a request under way has given back what it did not need
CROWD_SECONDS = 20.0  # after which the question is answered without the model


@dataclass(frozen=True, slots=True)
class Purpose:
    """What money is spent on: a stage (extract, synth, verify, embed, probe) and the model it asks.

    is_retry: the same was asked before and failed.
    """

    stage: str
    model: str
    is_retry: bool = False


class Ledger(Protocol):
    """Where money is counted, correct across processes."""

    def reserve(self, amount: int, purpose: Purpose) -> int:
        """Sets *amount* microdollars aside and gives the reservation's id. Raises CapReached with none set aside.

        Crowded is the CapReached that a request under way may end any moment.
        """
        ...

    def settle(self, reservation: int, spent: int, usage: Usage, purpose: Purpose, *, failed: bool) -> None:
        """Writes down what *reservation* came to and frees the rest. A reservation that has expired still counts."""
        ...


@dataclass(frozen=True, slots=True)
class Meter:
    """Sends requests, and lets none past the ledger."""

    ledger: Ledger
    prices: Prices

    def chat(self, backend: ChatBackend, request: Request, stage: str, *, is_retry: bool = False) -> Response:
        """The response of *backend*. Raises ProviderError, CapReached among them, or Cancelled."""
        price = self.prices.of(backend.model)
        return self._metered(
            worst_case(request, price),
            Purpose(stage, backend.model, is_retry),
            price,
            lambda permit: backend.send(request, permit),
            lambda response: response.usage,
        )

    def embed(
        self, backend: EmbeddingBackend, texts: Sequence[str], *, query: bool, is_retry: bool = False
    ) -> tuple[Vector, ...]:
        """Vectors of *texts*, which have to fit into one request (llm.embeddings.batches). Raises ProviderError."""
        model = backend.space.model
        price = self.prices.of(model)
        embedded: Embedded = self._metered(
            worst_case_of_texts(texts, price),
            Purpose("embed", model, is_retry),
            price,
            lambda permit: backend.embed(texts, permit, query=query),
            lambda made: made.usage,
        )
        return embedded.vectors

    def _metered[T](
        self,
        amount: int,
        purpose: Purpose,
        price: Price,
        send: Callable[[Permit], T],
        usage_of: Callable[[T], Usage],
    ) -> T:
        reservation = self.ledger.reserve(amount, purpose)
        try:
            answer = send(Permit(amount, PERMIT_KEY))
        except BaseException as error:
            spent = amount if _may_be_billed(error) else 0
            self.ledger.settle(reservation, spent, Usage(), purpose, failed=True)
            raise
        usage = usage_of(answer)
        spent = amount if usage == Usage() else price.cost(usage)  # a server that counts nothing may bill all the same
        self.ledger.settle(reservation, spent, usage, purpose, failed=False)
        return answer


def _may_be_billed(error: BaseException) -> bool:
    """Whether the provider may have begun on the request; what it turned away at the door costs nothing."""
    if isinstance(error, Unreachable | Overloaded):
        return error.may_be_billed
    return isinstance(error, Unreadable | Cancelled) or not isinstance(error, ProviderError)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredChat:
    """A backend behind the meter, asked again where that may help. Satisfies llm.backends.Chat."""

    backend: ChatBackend
    meter: Meter
    stage: str
    clock: Callable[[], float]  # seconds, monotonic
    pause: Callable[[float, Cancellation | None], None] = rest

    @property
    def kind(self) -> str:
        """As ChatBackend.kind."""
        return self.backend.kind

    @property
    def model(self) -> str:
        """As ChatBackend.model."""
        return self.backend.model

    def send(self, request: Request) -> Response:
        """The model's response within the request's timeout, pauses included."""
        attempts = count()
        return with_retries(
            lambda left: self._sent(replace(request, timeout=left), is_retry=next(attempts) > 0),
            seconds=request.timeout,
            clock=self.clock,
            cancel=request.cancel,
            pause=self.pause,
        )

    def _sent(self, request: Request, *, is_retry: bool) -> Response:
        """One attempt; where only requests under way leave no room, after a wait for one of them to end.

        The worst case that is set aside is many times what most requests cost, so a crowd passes soon.
        """
        began, longest = self.clock(), min(CROWD_SECONDS, request.timeout / 2)
        while True:
            waited = self.clock() - began
            left = replace(request, timeout=request.timeout - waited)
            try:
                return self.meter.chat(self.backend, left, self.stage, is_retry=is_retry)
            except Crowded:
                if waited + CROWD_PAUSE > longest:
                    raise
            self.pause(CROWD_PAUSE, request.cancel)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredEmbedder:
    """An embedding service behind the meter. Satisfies judge.ports.Embedder."""

    backend: EmbeddingBackend
    meter: Meter
    clock: Callable[[], float]
    seconds: float = 60.0  # for each request of documents(), pauses included
    query_seconds: float = 8.0  # the same for query(): somebody waits

    @property
    def space(self) -> Space:
        """The space its vectors belong to."""
        return self.backend.space

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text."""
        # Each request has its own reservation and retries: what was embedded and billed is neither lost nor paid twice.
        return [vector for batch in batches(texts) for vector in self._embed(batch, self.seconds, query=False)]

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        (vector,) = self._embed([text], self.query_seconds, query=True)
        return vector

    def _embed(self, texts: Sequence[str], seconds: float, *, query: bool) -> tuple[Vector, ...]:
        attempts = count()
        return with_retries(
            lambda _left: self.meter.embed(self.backend, texts, query=query, is_retry=next(attempts) > 0),
            seconds=seconds,
            clock=self.clock,
        )
