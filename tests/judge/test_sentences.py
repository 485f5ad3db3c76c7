"""An answer cut into sentences."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.sentences import sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Yes. It dies [1]. Then nothing.", ["Yes.", "It dies [1].", "Then nothing."]),
        ("No. The newt stays.", ["No.", "The newt stays."]),
        ("No. 3 damage is dealt.", ["No.", "3 damage is dealt."]),
        ("See footnote no. 3 of it. Next.", ["See footnote no. 3 of it.", "Next."]),
        ("It follows from 760.4b. The rest too.", ["It follows from 760.4b.", "The rest too."]),
        ("By 760.4b a newt, e.g. Murk Newt, glows.", ["By 760.4b a newt, e.g. Murk Newt, glows."]),
        ("It has 1.5 life. 3 damage remain.", ["It has 1.5 life.", "3 damage remain."]),
        ("“So it is.” [1] Next.", ["“So it is.” [1]", "Next."]),
        ("It rests. [1][2] Next.", ["It rests. [1][2]", "Next."]),
        ("Pay it. {2}{G} is enough.", ["Pay it.", "{2}{G} is enough."]),
        ("First\n\nSecond", ["First", "Second"]),
        ("はい。死にます[1]。", ["はい。", "死にます[1]。"]),
        ("死にます。[1]次です。", ["死にます。[1]", "次です。"]),
        ("Ja! Élan stirbt? Nein.", ["Ja!", "Élan stirbt?", "Nein."]),
        ("Это так. Он умирает [1].", ["Это так.", "Он умирает [1]."]),
        ("", []),
    ],
)
def test_sentences_keep_their_marks_numbers_and_abbreviations(text: str, parts: list[str]) -> None:
    assert list(sentences(text)) == parts


PIECES = st.sampled_from(
    ["a", "B", "。", "！", ".", "?", " ", "\n", "[1]", "[2]", "”", "(", "702.19b", "no", "e.g", "{T}"]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_character_of_an_answer_is_lost(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_mark_is_torn_and_none_stands_before_its_sentence(text: str) -> None:
    parts = sentences(text)
    assert sum(len(re.findall(r"\[\d\]", part)) for part in parts) == len(re.findall(r"\[\d\]", text))
    for before, after in pairwise(parts):
        assert not (before[-1] in ".!?。！？" and after.startswith("[1]") and f"{before}{after}" in text)


@given(st.text(max_size=200))
def test_sentences_of_anything_hold_no_blank_one(text: str) -> None:
    assert all(part == part.strip() != "" for part in sentences(text))
