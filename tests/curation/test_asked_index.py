from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from curation.asked_index import AskedIndex
from curation.asked_vectors import embed_asked
from curation.models import AskedPhrase, AskedVector
from rules.lexemes import lexemes_of
from tests.rules.invented import WordEmbedder

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def phrases() -> None:
    for number, text in (
        ("702.2b", "can I see it glow behind a wall"),
        ("702.2b", "does the glowing stop"),
        ("100.1", "do we all wear a hat"),
        ("606.1", "when may I use it, only once"),
    ):
        AskedPhrase.objects.create(number=number, text=text)


def found(index: AskedIndex, text: str) -> list[tuple[str, bool]]:
    index.refresh()
    return [(hit.id, hit.is_leaf) for hit in index.search(lexemes_of([text]), 5)[0]]


def test_all_phrases_of_a_number_are_one_document() -> None:
    ((hit,),) = AskedIndex().search(lexemes_of(["does the wall stop"]), 5)
    assert (hit.id, hit.is_leaf) == ("702.2b", True)
    assert hit.score > AskedIndex().search(lexemes_of(["wall"]), 5)[0][0].score


def test_a_number_is_as_near_as_its_nearest_phrase() -> None:
    embedder = WordEmbedder()
    embed_asked(embedder)
    (hits,) = AskedIndex().nearest(embedder.space, [embedder.query("glow wall")], 2)
    assert str(hits[0].id) == "702.2b"
    assert hits[0].score == pytest.approx(1.0)
    assert len({hit.id for hit in hits}) == 2


def test_vectors_of_another_space_are_never_compared() -> None:
    embedder = WordEmbedder()
    assert AskedIndex().nearest(embedder.space, [embedder.query("hat")], 2) == [[]]
    embed_asked(embedder)
    assert AskedIndex().nearest(WordEmbedder(model="other").space, [embedder.query("hat")], 2) == [[]]


def test_a_running_process_notices_what_a_curator_changes() -> None:
    index = AskedIndex()
    assert found(index, "chair") == []
    phrase = AskedPhrase.objects.create(number="119.1", text="may I take a chair")
    assert found(index, "chair") == [("119.1", False)]
    phrase.number = "119.2"
    phrase.save()
    assert found(index, "chair") == [("119.2", False)]
    phrase.delete()
    assert found(index, "chair") == []


def test_vectors_that_came_in_are_noticed() -> None:
    index, embedder = AskedIndex(), WordEmbedder()
    index.refresh()
    embed_asked(embedder)
    index.refresh()
    assert index.nearest(embedder.space, [embedder.query("hat")], 1)[0][0].id == "100.1"


def test_looking_for_changes_is_one_query() -> None:
    index = AskedIndex()
    index.refresh()
    with CaptureQueriesContext(connection) as captured:
        index.refresh()
        index.search([{"hat": 1}, {"wall": 1}], 5)
    assert len(captured) == 1


def test_vectors_that_are_written_again_are_noticed() -> None:
    index, embedder = AskedIndex(), WordEmbedder()
    embed_asked(embedder)
    asked = [embedder.query("glow wall")]
    index.refresh()
    before = index.nearest(embedder.space, asked, 2)
    for vector in AskedVector.objects.all():
        AskedVector.objects.filter(pk=vector.pk).update(embedding=[-each for each in vector.embedding])
    index.refresh()
    assert index.nearest(embedder.space, asked, 2) != before
