"""Questions of other languages put word by word into English."""

from __future__ import annotations

import pytest

from judge.translation import ForeignTerm, Translation, spelled_form

FRENCH = Translation(
    (
        ForeignTerm(("piétinement", "pietinement"), "trample", "702"),
        ForeignTerm((spelled_form("contrecarrer"),), "counter (a spell or ability)", "701"),
        ForeignTerm((spelled_form("phase principale"),), "main phase"),
        ForeignTerm(("main",), "hand"),
        ForeignTerm((spelled_form("bloqu*"),), "block"),
    )
)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        pytest.param("phase principale, main", "main phase hand", id="english is not put again"),
        pytest.param("il bloquerait", "il block", id="open ending"),
        pytest.param("débloque", "debloque", id="whole words only"),
        pytest.param("l'main", "l hand", id="an apostrophe divides"),
        pytest.param("contrecarrer", "counter", id="a remark is not searched for"),
    ],
)
def test_words_are_put_into_english(text: str, english: str) -> None:
    assert FRENCH.of(text)[0] == english


def test_only_rules_terms_are_told_and_in_order() -> None:
    _, found = FRENCH.of("contrecarrer, bloquer, piétinement, contrecarrer")
    assert [term.english for term in found] == ["counter (a spell or ability)", "trample"]


def test_card_names_stay() -> None:
    assert FRENCH.of("bloquer Main de Fer", ["Main de Fer"])[0] == "block main de fer"
