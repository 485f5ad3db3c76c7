"""What tokens cost. One US dollar a million tokens is one microdollar a token, so prices read the same in both."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal

from llm.messages import ModelTurn, Request, Usage

MICRODOLLARS = 1_000_000  # a dollar


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars a million tokens. What a prompt cache takes in costs more than input, and what it gives less."""

    input: float
    output: float
    cache_read: float | None = None  # None: as input
    cache_write: float | None = None

    @property
    def dearest_input(self) -> float:
        """The most one token of input can cost."""
        return max(self.input, self.cache_write or 0.0, self.cache_read or 0.0)

    def cost(self, usage: Usage) -> int:
        """Microdollars for *usage*, rounded up."""
        read = self.input if self.cache_read is None else self.cache_read
        written = self.input if self.cache_write is None else self.cache_write
        return _up(
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, read),
            (usage.cache_written, written),
        )


def _up(*counted: tuple[int, float]) -> int:
    """The sum of tokens times price, rounded up once. In decimals: thirty tokens at 0.1 are 3, and not a bit more."""
    return math.ceil(sum(tokens * Decimal(str(price)) for tokens, price in counted))


FREE = Price(input=0.0, output=0.0)

_VERSION = re.compile(r"-(?:[0-9][0-9-]*|latest)")


def prices_model(name: str, model: str) -> bool:
    """Whether the price of *name* is the one of *model*: the same name, or the same with a version or a date after it.

    A word after it is another model, most often a dearer one ("-pro", "-large").
    """
    return model == name or (model.startswith(name) and _VERSION.fullmatch(model, len(name)) is not None)


@dataclass(frozen=True, slots=True)
class Prices:
    """The operator's prices by model; the longest name that prices a model (prices_model) is its own."""

    by_model: Mapping[str, Price]

    def of(self, model: str) -> Price:
        """The price of *model*; of a model with none the dearest known, so that a cap holds all the same."""
        known = [name for name in self.by_model if prices_model(name, model)]
        if known:
            return self.by_model[max(known, key=len)]
        return self._dearest()

    def is_known(self, model: str) -> bool:
        """Whether *model* has a price of its own."""
        return any(prices_model(name, model) for name in self.by_model)

    def _dearest(self) -> Price:
        if not self.by_model:
            return ASSUMED
        prices = self.by_model.values()
        return Price(
            input=max(price.input for price in prices),
            output=max(price.output for price in prices),
            cache_write=max(price.dearest_input for price in prices),
        )


# Where the operator has priced nothing at all: above what any provider asked for a model of text in 2026.
ASSUMED = Price(input=30.0, output=180.0, cache_write=60.0)


def worst_case(request: Request, price: Price) -> int:
    """The most *request* can cost, in microdollars: no tokenizer makes more tokens than there are UTF-8 bytes."""
    return _up((_bytes(request), price.dearest_input), (request.max_tokens, price.output))


def worst_case_of_texts(texts: Sequence[str], price: Price) -> int:
    """The most embedding *texts* can cost, in microdollars."""
    tokens = sum(len(text.encode()) + _TEXT_OVERHEAD for text in texts)
    return _up((tokens, price.dearest_input))


_OVERHEAD = 2_000  # bytes for what a provider wraps around turns, tools and schemas
_TEXT_OVERHEAD = 100  # the same around a text to embed: Voyage puts a sentence that tells its purpose before it


def _bytes(request: Request) -> int:
    """UTF-8 bytes of all that is sent, tools and schemas as JSON, and what the provider may wrap around them."""
    texts = [block.text for block in request.system]
    for turn in request.turns:
        if isinstance(turn, ModelTurn):
            texts.append(json.dumps(turn.blob, ensure_ascii=False))
        else:
            texts += [block.text for block in turn.blocks]
            texts += [result.text for result in turn.results]
    texts += [json.dumps(asdict(tool), default=dict) for tool in (*request.tools, *request.tool_history)]
    if request.output is not None:
        texts.append(json.dumps(dict(request.output.schema)))
    return _OVERHEAD + sum(len(text.encode()) for text in texts)
