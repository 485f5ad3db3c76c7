"""Prices, and the meter that no request gets past."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import llm
from judge.cancelling import Cancelled
from judge.values import Space
from llm.backends import Capabilities, Embedded, Permit
from llm.embeddings import BATCH_TEXTS
from llm.errors import CapReached, Crowded, Overloaded, RequestRefused, Unreachable, Unreadable
from llm.messages import ModelTurn, Request, Response, Stop, Usage
from llm.metering import CROWD_PAUSE, CROWD_SECONDS, Meter, MeteredChat, MeteredEmbedder, Purpose
from llm.prices import ASSUMED, FREE, Price, Prices, prices_model, worst_case, worst_case_of_texts
from tests.llm import requests

CAPABILITIES = Capabilities(output_schema=True, strict_tools=True, effort=True, prompt_cache=True)
PRICES = Prices({"small": Price(input=1.0, output=5.0), "big": Price(input=5.0, output=25.0, cache_write=6.25)})


@dataclass
class Book:
    """A ledger in memory that remembers every entry; below *cap* microdollars in all."""

    cap: int = 10**9
    reserved: dict[int, int] = field(default_factory=dict)
    entries: list[tuple[Purpose, int, bool]] = field(default_factory=list)
    asked: int = 0

    @property
    def spent(self) -> int:
        return sum(spent for _, spent, _ in self.entries)

    def reserve(self, amount: int, purpose: Purpose) -> int:
        if self.spent + sum(self.reserved.values()) + amount > self.cap:
            raise CapReached("no room")
        self.asked += 1
        self.reserved[self.asked] = amount
        return self.asked

    def settle(self, reservation: int, spent: int, usage: Usage, purpose: Purpose, *, failed: bool) -> None:
        del self.reserved[reservation]
        self.entries.append((purpose, spent, failed))


@dataclass
class Backend:
    """Gives or raises the next of *script*."""

    script: list[Response | BaseException]
    model: str = "small"
    kind: str = "fake"
    capabilities: Capabilities = CAPABILITIES

    def send(self, request: Request, permit: Permit) -> Response:
        made = self.script.pop(0)
        if isinstance(made, BaseException):
            raise made
        return made

    def missing(self) -> str | None:
        return None


def answer(usage: Usage = Usage(input=100, output=10)) -> Response:  # noqa: B008  # frozen
    return Response(text="yes", stop=Stop.END, usage=usage, turn=ModelTurn("fake", None))


def test_usage_is_what_is_spent_and_the_rest_is_free_again() -> None:
    book = Book()
    Meter(book, PRICES).chat(Backend([answer()]), requests.plain(), "synth")

    assert book.entries == [(Purpose("synth", "small"), 150, False)]
    assert book.reserved == {}


def test_over_the_cap_nothing_is_sent() -> None:
    backend = Backend([answer()])
    with pytest.raises(CapReached):
        Meter(Book(cap=10), PRICES).chat(backend, requests.plain(), "synth")
    assert len(backend.script) == 1


@pytest.mark.parametrize(
    "error",
    [Overloaded("full"), RequestRefused("no"), Unreachable("nobody there", may_be_billed=False)],
    ids=["overloaded", "refused", "never sent"],
)
def test_what_a_provider_turned_away_costs_nothing(error: Exception) -> None:
    book = Book()
    with pytest.raises(type(error)):
        Meter(book, PRICES).chat(Backend([error]), requests.plain(), "synth")
    assert [(spent, failed) for _, spent, failed in book.entries] == [(0, True)]


@pytest.mark.parametrize(
    "error",
    [
        Unreachable("broke off"),
        Overloaded("in the midst of the answer", may_be_billed=True),
        Unreadable("nobody's format"),
        Cancelled(),
        KeyboardInterrupt(),
        ValueError("a fault of ours"),
    ],
    ids=["broken", "overloaded midway", "unreadable", "cancelled", "interrupted", "bug"],
)
def test_what_may_have_been_billed_counts_in_full(error: BaseException) -> None:
    book = Book()
    with pytest.raises(type(error)):
        Meter(book, PRICES).chat(Backend([error]), requests.plain(), "synth")
    assert book.spent == worst_case(requests.plain(), PRICES.of("small"))


def test_every_attempt_is_metered_by_itself() -> None:
    book = Book()
    chat = MeteredChat(
        backend=Backend([Overloaded("full", retry_after=0), answer()]),
        meter=Meter(book, PRICES),
        stage="synth",
        clock=lambda: 0.0,
    )

    assert chat.send(requests.plain()).text == "yes"
    assert [(failed, purpose.is_retry) for purpose, _, failed in book.entries] == [(True, False), (False, True)]


def test_an_attempt_the_cap_has_no_room_for_is_not_made() -> None:
    """The first attempt may have been billed, so what is left of the cap does not reach for a second."""
    backend = Backend([Unreachable("broke off", retry_after=0), answer()])
    most = worst_case(requests.plain(), PRICES.of("small"))
    chat = MeteredChat(backend=backend, meter=Meter(Book(2 * most - 1), PRICES), stage="synth", clock=lambda: 0.0)

    with pytest.raises(CapReached):
        chat.send(requests.plain())
    assert len(backend.script) == 1


@dataclass
class CrowdedBook(Book):
    """A ledger with no room until it was asked *refusals* times."""

    refusals: int = 0

    def reserve(self, amount: int, purpose: Purpose) -> int:
        if self.refusals > 0:
            self.refusals -= 1
            raise Crowded("others are under way", retry_after=900.0)
        return super().reserve(amount, purpose)


@dataclass
class Watch:
    """A clock that only pauses move on; *gone* cancels at the pause."""

    now: float = 0.0
    gone: bool = False

    def pause(self, seconds: float, cancel: object) -> None:
        if self.gone:
            raise Cancelled
        self.now += seconds


def crowded_chat(book: Book, backend: Backend, watch: Watch) -> MeteredChat:
    return MeteredChat(
        backend=backend, meter=Meter(book, PRICES), stage="synth", clock=lambda: watch.now, pause=watch.pause
    )


def test_a_crowd_is_waited_for_and_the_wait_is_taken_from_the_requests_time() -> None:
    seen: list[float] = []

    class Timed(Backend):
        def send(self, request: Request, permit: Permit) -> Response:
            seen.append(request.timeout)
            return super().send(request, permit)

    book, watch = CrowdedBook(refusals=6), Watch()
    crowded_chat(book, Timed([answer()]), watch).send(replace(requests.plain(), timeout=60.0))

    assert seen == [60.0 - 6 * CROWD_PAUSE]
    assert [(purpose.is_retry, failed) for purpose, _, failed in book.entries] == [(False, False)]


@pytest.mark.parametrize(("timeout", "waited"), [(180.0, CROWD_SECONDS), (8.0, 4.0)], ids=["patient", "in a hurry"])
def test_a_crowd_that_stays_is_left_to_itself(timeout: float, waited: float) -> None:
    watch = Watch()
    with pytest.raises(Crowded):
        crowded_chat(CrowdedBook(refusals=999), Backend([]), watch).send(replace(requests.plain(), timeout=timeout))

    assert watch.now == waited


def test_nobody_waits_for_a_cap_that_is_used_up() -> None:
    watch = Watch()
    with pytest.raises(CapReached):
        crowded_chat(Book(cap=0), Backend([]), watch).send(requests.plain())

    assert watch.now == 0.0


def test_an_asker_who_goes_away_in_a_crowd_costs_nothing() -> None:
    book = CrowdedBook(refusals=1)
    with pytest.raises(Cancelled):
        crowded_chat(book, Backend([answer()]), Watch(gone=True)).send(requests.plain())

    assert book.entries == []


def test_a_reply_that_counts_no_tokens_counts_in_full() -> None:
    book = Book()
    Meter(book, PRICES).chat(Backend([answer(Usage())]), requests.plain(), "synth")
    assert book.spent == worst_case(requests.plain(), PRICES.of("small"))


def test_more_than_was_reserved_is_written_down_as_it_is() -> None:
    book = Book()
    Meter(book, PRICES).chat(Backend([answer(Usage(output=1_000_000))]), requests.plain(), "synth")
    assert book.spent == 5_000_000


def test_a_model_of_ones_own_is_free_when_its_price_says_so() -> None:
    book = Book(cap=0)
    Meter(book, Prices({"small": FREE})).chat(Backend([answer()]), requests.plain(), "synth")
    assert book.entries == [(Purpose("synth", "small"), 0, False)]


@dataclass
class Vectors:
    """An embedding service: a token a text; fails as *script* says, None for an answer."""

    script: list[Exception | None] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    space: Space = Space("voyage", "small", 2)  # noqa: RUF009  # frozen

    def embed(self, texts: Sequence[str], permit: Permit, *, query: bool) -> Embedded:
        self.sizes.append(len(texts))
        if error := self.script.pop(0) if self.script else None:
            raise error
        return Embedded(((1.0, 0.0),) * len(texts), Usage(input=len(texts)))

    def missing(self) -> None:
        return None


def test_embeddings_are_metered_too() -> None:
    book = Book()
    embedder = MeteredEmbedder(backend=Vectors(), meter=Meter(book, PRICES), clock=lambda: 0.0)

    assert embedder.query("hat") == (1.0, 0.0)
    assert embedder.documents([]) == []
    assert book.entries == [(Purpose("embed", "small"), 1, False)]


def test_texts_for_two_requests_are_two_reservations_and_only_the_failed_one_is_sent_again() -> None:
    book, service = Book(), Vectors([None, Overloaded("full", retry_after=0)])
    embedder = MeteredEmbedder(backend=service, meter=Meter(book, PRICES), clock=lambda: 0.0)

    assert len(embedder.documents(["t"] * (BATCH_TEXTS + 1))) == BATCH_TEXTS + 1
    assert service.sizes == [BATCH_TEXTS, 1, 1]
    assert [(spent, failed, purpose.is_retry) for purpose, spent, failed in book.entries] == [
        (BATCH_TEXTS, False, False),
        (0, True, False),
        (1, False, True),
    ]


def test_the_words_a_service_puts_before_a_short_text_are_reserved_too() -> None:
    assert worst_case_of_texts(["", "fly"], Price(input=1.0, output=0.0)) >= 3 + 2 * 20


def test_an_unknown_model_is_as_dear_as_the_dearest() -> None:
    assert PRICES.of("nobody-knows") == Price(input=5.0, output=25.0, cache_write=6.25)
    assert Prices({}).of("nobody-knows") == ASSUMED
    assert not PRICES.is_known("smaller")


def test_a_dated_name_has_the_price_of_its_model() -> None:
    assert PRICES.of("small-20270101") == PRICES.of("small")
    assert Prices({"a-1": FREE, "a-1-2": ASSUMED}).of("a-1-2-3") == ASSUMED


@pytest.mark.parametrize(
    ("model", "has"),
    [
        ("big-5", True),
        ("big-5-4", True),
        ("big-5-20270101", True),
        ("big-5-2027-01-01", True),
        ("big-5-latest", True),
        ("big-5-pro", False),
        ("big-5-20270101-pro", False),
        ("big-55", False),
        ("big-5-", False),
        ("us.big-5", False),
    ],
)
def test_a_word_after_a_name_is_another_model(model: str, has: bool) -> None:
    assert prices_model("big-5", model) is has


PRICE = st.decimals(0, 100, places=3).map(float)


@given(st.lists(st.integers(0, 10**7), min_size=4, max_size=4), st.lists(PRICE, min_size=4, max_size=4))
def test_a_cost_is_rounded_up_by_less_than_a_microdollar(tokens: list[int], prices: list[float]) -> None:
    price = Price(input=prices[0], output=prices[1], cache_read=prices[2], cache_write=prices[3])
    exact = sum((count * Decimal(str(each)) for count, each in zip(tokens, prices, strict=True)), Decimal(0))

    assert 0 <= price.cost(Usage(*tokens)) - exact < 1


@given(st.text(max_size=300), st.integers(1, 9_000))
def test_no_answer_within_max_tokens_costs_more_than_was_reserved(text: str, output: int) -> None:
    request = replace(requests.fresh(), max_tokens=output)
    tokens = len(text.encode()) + 20  # a token a byte, the worst a tokenizer can do
    request = replace(request, turns=(*request.turns, requests.after_lookup("openai").turns[-1]))
    usage = Usage(cache_written=min(tokens, 500), output=output)

    assert PRICES.of("big").cost(usage) <= worst_case(request, PRICES.of("big"))


def test_only_the_meter_makes_permits() -> None:
    root = Path(llm.__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    packages = project["tool"]["importlinter"]["root_packages"]
    users = {
        str(file.relative_to(root))
        for package in packages
        for file in (root / package).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if "PERMIT_KEY" in {getattr(node, part, None) for part in ("id", "name", "attr", "value")}
    }

    assert users == {"llm/backends.py", "llm/metering.py"}


def test_a_permit_cannot_be_made_without_the_key() -> None:
    with pytest.raises(TypeError):
        Permit(1)  # type: ignore[call-arg]  # that is the point
    with pytest.raises(TypeError):
        Permit(1, object())  # type: ignore[arg-type]  # as above
