"""Embeddings over HTTP: Voyage, and any server that speaks OpenAI's `/embeddings`.

Both are one POST of a few fields, so httpx is enough; Voyage's own package would bring some 100 MB with it (D91).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.values import Space, Vector
from llm.backends import Embedded, Permit
from llm.errors import TooSlow, Unreachable, Unreadable
from llm.messages import Usage
from llm.openai import OPENAI
from llm.statuses import error_of

VOYAGE = "https://api.voyageai.com/v1"

BATCH_TEXTS = 128  # Voyage takes up to 1,000 and OpenAI 2,048; small batches lose less when one fails
BATCH_CHARACTERS = 120_000  # some 30,000 tokens a request, well under either's bound


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpEmbeddings:
    """An embedding model behind HTTP. Satisfies llm.backends.EmbeddingBackend.

    says_purpose: the server tells questions from passages (Voyage's input_type); sends_width: it can give vectors
    of the width asked for. width: floats a vector, as the model gives them.
    """

    provider: str  # voyage | openai
    model: str
    width: int
    base_url: str
    api_key: str = field(default="", repr=False)
    says_purpose: bool = False
    sends_width: bool = False
    timeout: float = 30.0  # seconds a request
    query_timeout: float = 5.0  # the same for a question: somebody waits, and the other legs answer without it

    @property
    def space(self) -> Space:
        """The space of its vectors."""
        return Space(self.provider, self.model, self.width)

    def missing(self) -> str | None:
        """The key without which Voyage and OpenAI answer nothing; another OpenAI-compatible server may need none."""
        needs_one = self.provider == "voyage" or self.base_url.rstrip("/") == OPENAI
        return "the API key is not set" if needs_one and not self.api_key else None

    def embed(self, texts: Sequence[str], permit: Permit, *, query: bool) -> Embedded:  # noqa: ARG002  # as in send()
        """Vectors of *texts*, in order, by one request: see batches(). Raises ProviderError."""
        reply = self._post(self.body(texts, query=query), self.query_timeout if query else self.timeout)
        return Embedded(tuple(self._vectors(reply, len(texts))), _usage(reply))

    def body(self, texts: Sequence[str], *, query: bool) -> dict[str, Any]:
        """The body of one request, pinned by golden files."""
        body: dict[str, Any] = {"model": self.model, "input": list(texts)}
        if self.says_purpose:
            body["input_type"] = "query" if query else "document"
        if self.sends_width:
            body["output_dimension" if self.provider == "voyage" else "dimensions"] = self.width
        return body

    def _post(self, body: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        import httpx

        headers = {"authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        try:
            answer = httpx.post(f"{self.base_url.rstrip('/')}/embeddings", json=body, headers=headers, timeout=seconds)
        except httpx.TimeoutException as error:
            raise TooSlow(f"no answer within {seconds:g} seconds") from error
        except httpx.HTTPError as error:
            never_sent = isinstance(error, httpx.ConnectError)
            raise Unreachable(
                f"{self.base_url} could not be reached: {type(error).__name__}", may_be_billed=not never_sent
            ) from error
        if answer.status_code != 200:
            raise error_of(self.base_url, answer.status_code, answer.text, answer.headers, self.api_key)
        try:
            reply = answer.json()
        except ValueError as error:
            raise Unreadable(f"the reply of {self.base_url} is no JSON") from error
        if not isinstance(reply, dict):
            raise Unreadable(f"the reply of {self.base_url} is no JSON object")
        return reply

    def _vectors(self, reply: Mapping[str, Any], wanted: int) -> list[Vector]:
        try:
            rows = sorted(reply["data"], key=lambda row: int(row["index"]))
            vectors = [tuple(map(float, row["embedding"])) for row in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise Unreadable(f"the reply of {self.base_url} holds no vectors: {error!r}") from error
        if len(vectors) != wanted or any(len(vector) != self.width for vector in vectors):
            raise Unreadable(
                f"{self.model} gave {len(vectors)} vectors of {len(vectors[0]) if vectors else 0} floats, "
                f"not {wanted} of {self.width}; set the width in judge.toml to what the model gives"
            )
        return [_normalised(vector) for vector in vectors]


def batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """*texts* in order, in pieces a provider takes in one request; never an empty piece."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == BATCH_TEXTS or size + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _usage(reply: Mapping[str, Any]) -> Usage:
    """Tokens as billed; none where the server counts none, which the meter takes for the most there can be."""
    try:
        return Usage(input=int((reply.get("usage") or {}).get("total_tokens") or 0))
    except (AttributeError, TypeError, ValueError):
        return Usage()


def _normalised(vector: Vector) -> Vector:
    length = math.sqrt(sum(each * each for each in vector))
    return tuple(each / length for each in vector) if length else vector
