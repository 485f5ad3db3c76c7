"""Embeddings over HTTP."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from llm.embeddings import BATCH_TEXTS, HttpEmbeddings, batches
from llm.errors import CredentialsRefused, Overloaded, TooSlow, Unreachable, Unreadable
from tests.llm.requests import PERMIT
from tests.providers import embeddings, garbage, silent, status, vectors


def model(url: str, width: int = 4) -> HttpEmbeddings:
    return HttpEmbeddings(provider="voyage", model="v", width=width, base_url=url, api_key="k", says_purpose=True)


def test_vectors_come_in_order_and_of_length_one() -> None:
    with embeddings(vectors(4)) as fake:
        embedded = model(fake.url).embed(["a", "b", "c"], PERMIT, query=False)

    assert [math.hypot(*vector) for vector in embedded.vectors] == pytest.approx([1.0] * 3)
    assert embedded.vectors[0][0] < embedded.vectors[1][0] < embedded.vectors[2][0]
    assert embedded.usage.input == 9
    assert fake.requests[0]["input_type"] == "document"
    assert fake.headers[0]["authorization"] == "Bearer k"


def test_many_texts_are_more_than_one_request() -> None:
    assert [len(batch) for batch in batches(["t"] * (BATCH_TEXTS + 1))] == [BATCH_TEXTS, 1]


def test_a_batch_is_bounded_by_size_too_and_never_empty() -> None:
    long = "x" * 70_000
    assert [len(batch) for batch in batches([long, long, "s"])] == [1, 2]
    assert list(batches([])) == []


def test_a_width_that_is_not_the_models_is_told_with_what_to_do() -> None:
    with embeddings(vectors(3)) as fake, pytest.raises(Unreadable, match=r"set the width in judge\.toml"):
        model(fake.url).embed(["a"], PERMIT, query=True)


@pytest.mark.parametrize(
    ("step", "error"),
    [(status(401), CredentialsRefused), (status(429), Overloaded), (status(500), Unreachable), (garbage(), Unreadable)],
    ids=["key", "room", "down", "garbage"],
)
def test_failures_are_of_the_one_tree(step: object, error: type) -> None:
    with embeddings(step) as fake, pytest.raises(error):  # type: ignore[arg-type]  # a Step
        model(fake.url).embed(["a"], PERMIT, query=True)


def test_the_key_is_never_told() -> None:
    with embeddings(status(401, "no such key: k-secret")) as fake, pytest.raises(CredentialsRefused) as caught:
        replace(model(fake.url), api_key="k-secret").embed(["a"], PERMIT, query=True)

    assert "k-secret" not in str(caught.value) + repr(replace(model("u"), api_key="k-secret"))


def test_a_question_waits_less_long_than_passages() -> None:
    with embeddings(silent()) as fake, pytest.raises(TooSlow):
        replace(model(fake.url), query_timeout=0.2).embed(["a"], PERMIT, query=True)


def test_voyage_without_a_key_says_so() -> None:
    assert HttpEmbeddings(provider="voyage", model="v", width=4, base_url="u").missing() == "the API key is not set"
