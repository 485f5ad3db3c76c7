"""The cards app's name look-ups."""

from __future__ import annotations

import uuid

import pytest

from cards.models import Card, CardFace
from judge.folding import fold_name

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _faces() -> None:
    for name in ("Mire Titan", "Titan of Mire", "Titanium Golem", "Lantern-Keeper, Mire Bell"):
        card = Card.objects.create(
            oracle_id=uuid.uuid4(), name=name, folded=fold_name(name), layout="normal", fingerprint="x"
        )
        CardFace.objects.create(card=card, index=0, name=name, folded=fold_name(name), oracle_text=f"{name} enters.")


def names(rows: object) -> set[str]:
    return {row.name for row in rows}  # type: ignore[attr-defined]  # rows of CardFace


def test_words_in_a_name_are_whole_words() -> None:
    assert names(CardFace.objects.with_words("titan")) == {"Mire Titan", "Titan of Mire"}


def test_words_of_oracle_texts_are_told_from_others() -> None:
    assert CardFace.objects.words_written(["Titan", "Hydralisk", "titan"]) == {"Titan"}
    assert CardFace.objects.words_written([]) == set()


def test_the_cards_asked_for_come_with_their_faces_in_two_queries(django_assert_num_queries: object) -> None:
    ids = list(Card.objects.values_list("oracle_id", flat=True))
    with django_assert_num_queries(2):  # type: ignore[operator]  # pytest-django's fixture
        assert sum(len(card.faces.all()) for card in Card.objects.of_ids(ids)) == 4
