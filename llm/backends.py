"""What a backend is: a provider's wire format behind two methods, reached through a meter only.

Nothing but llm.metering makes a Permit, and no backend sends without one: so there is no way to a model that is
not counted (D90).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from typing import Protocol, final

from judge.values import Space, Vector
from llm.messages import Request, Response, Usage


@final
class _Key:
    """What only llm.metering holds."""


PERMIT_KEY = _Key()


@final
@dataclass(frozen=True, slots=True)
class Permit:
    """Leave to send one request: *reserved* microdollars are set aside for it. Made by llm.metering."""

    reserved: int
    key: InitVar[_Key]

    def __post_init__(self, key: _Key) -> None:
        if key is not PERMIT_KEY:
            raise TypeError("Permit is made by llm.metering")


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a backend can enforce. What it cannot is asked for in words, in the last user turn (DESIGN 5)."""

    output_schema: bool  # the reply's text is held to the schema
    strict_tools: bool  # tool arguments are held to their schema
    effort: bool
    prompt_cache: bool


class Chat(Protocol):
    """A model as the stages use it: metered, and asked again where that may help (llm.metering.MeteredChat)."""

    @property
    def kind(self) -> str:
        """As ChatBackend.kind."""
        ...

    @property
    def model(self) -> str:
        """As ChatBackend.model."""
        ...

    def send(self, request: Request) -> Response:
        """The model's response. Raises ProviderError (CapReached among them) or Cancelled."""
        ...


class ChatBackend(Protocol):
    """A model at a provider."""

    @property
    def kind(self) -> str:
        """anthropic | openai: whose ModelTurn it can replay."""
        ...

    @property
    def model(self) -> str:
        """The model, in the provider's words."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can enforce."""
        ...

    def send(self, request: Request, permit: Permit) -> Response:
        """The model's response. Raises ProviderError (llm.errors), or Cancelled once the connection is closed."""
        ...

    def missing(self) -> str | None:
        """What keeps it from working, in words for the operator (no key, no SDK), or None. Sends nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Embedded:
    """One vector a text, in order, normalised to length 1."""

    vectors: tuple[Vector, ...]
    usage: Usage


class EmbeddingBackend(Protocol):
    """An embedding model at a provider."""

    @property
    def space(self) -> Space:
        """The space its vectors belong to."""
        ...

    def embed(self, texts: Sequence[str], permit: Permit, *, query: bool) -> Embedded:
        """Vectors of *texts*, as questions or as passages. Raises ProviderError."""
        ...

    def missing(self) -> str | None:
        """As ChatBackend.missing()."""
        ...
