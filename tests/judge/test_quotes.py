"""Quotes stand in their source whatever typography they were retyped in, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.quotes import fold_punctuation, locate, quoted

SOURCE = (
    "A newt doesn’t untap—it “stays” sodden. A nonland permanent can’t block unless its power is ≥3…\n"
    "−2: Target non‑Newt creature gets -1/-1 until end of turn. It would not improve."
)


def found(quote: str, text: str = SOURCE) -> str | None:
    span = locate(quote, text)
    return None if span is None else quoted(span, text)


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        pytest.param("A newt doesn't untap", "A newt doesn’t untap", id="straight apostrophe"),
        pytest.param("untap-it", "untap—it", id="hyphen for an em dash"),
        pytest.param("untap--it", "untap—it", id="two hyphens for an em dash"),
        pytest.param("untap — it", "untap—it", id="spaces around the dash"),
        pytest.param('it "stays" sodden', "it “stays” sodden", id="straight double quotes"),
        pytest.param("it 'stays' sodden", "it “stays” sodden", id="single for double, as inside JSON"),
        pytest.param("power is >=3...", "power is ≥3…", id="two characters for ≥ and three for …"),
        pytest.param("non-Newt creature", "non‑Newt creature", id="hyphen for U+2011"),
        pytest.param("-2: Target", "−2: Target", id="hyphen for U+2212"),
        pytest.param("sodden.\u00a0A nonland", "sodden. A nonland", id="no-break space"),
        pytest.param("power is ≥3… −2: Target", "power is ≥3…\n−2: Target", id="a space for the line break"),
        pytest.param("stays” sodden.\nA nonland", "stays” sodden. A nonland", id="a line break for the space"),
        pytest.param("  It would not improve. ", "It would not improve.", id="space around the quote"),
    ],
)
def test_an_honest_quote_gives_the_source_its_own_characters(quote: str, source: str) -> None:
    assert found(quote) == source


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param("It would improve", id="negation dropped"),
        pytest.param("A newt does untap", id="negation turned"),
        pytest.param("land permanent", id="begins inside nonland"),
        pytest.param("Newt creature gets", id="begins behind non-"),
        pytest.param("permanent can", id="ends inside can’t"),
        pytest.param("1/-1 until", id="sign cut off"),
        pytest.param("2: Target", id="loyalty sign cut off"),
        pytest.param("a newt doesn’t untap", id="case changed"),
        pytest.param("stays sodden", id="marks dropped"),
        pytest.param("A newt ... sodden", id="ellipsis over words"),
        pytest.param("sodden creature", id="never said"),
        pytest.param("", id="empty"),
        pytest.param(" \n ", id="blank"),
        pytest.param(".*", id="pattern characters mean themselves"),
    ],
)
def test_what_is_not_a_quote_is_not_found(quote: str) -> None:
    assert found(quote) is None


def test_a_later_place_counts_when_the_first_is_inside_a_word() -> None:
    assert locate("land", "nonland and land") == (12, 16)


def test_an_em_dash_ends_a_word() -> None:
    assert found("Pay 3 life", "Ward—Pay 3 life.") == "Pay 3 life"


def test_a_long_quote_of_nothing_but_dashes_and_spaces_is_refused_at_once() -> None:
    assert locate(" - " * 500 + "x", "- " * 5_000) is None


@given(st.text())
def test_folding_keeps_the_length(text: str) -> None:
    assert len(fold_punctuation(text)) == len(text)


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold_punctuation(fold_punctuation(text)) == fold_punctuation(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_stands_in_itself(text: str) -> None:
    span = locate(text, text)
    if span is None:
        assert not fold_punctuation(text).strip(" ")
    else:
        assert fold_punctuation(text[span.start : span.end]) == fold_punctuation(text).strip(" ")


WORDS = st.lists(st.sampled_from(["newt", "can’t", "—", "not", "≥3", "…", "“wet”", "non‑Newt", "-1/-1"]), min_size=1)


@given(WORDS, WORDS, WORDS, st.sampled_from([" ", "\n", "\u00a0"]))
def test_whole_words_retyped_in_ascii_are_found_where_they_stand(
    before: list[str], middle: list[str], after: list[str], gap: str
) -> None:
    text = gap.join([*before, *middle, *after])
    ascii_words = " ".join(middle).translate(str.maketrans("’—“”‑", '\'-""-')).replace("≥", ">=").replace("…", "...")
    span = locate(ascii_words, text)
    assert span is not None
    assert fold_punctuation(text[span.start : span.end]).split() == fold_punctuation(" ".join(middle)).split()


@given(WORDS, st.data())
def test_a_quote_with_a_word_dropped_from_its_middle_is_refused(words: list[str], data: st.DataObject) -> None:
    marked = [f"w{number}" for number in range(len(words) + 2)]
    gone = data.draw(st.integers(1, len(marked) - 2))
    assert locate(" ".join(marked[:gone] + marked[gone + 1 :]), " ".join(marked)) is None
