"""Questions are cleaned and bounded; names are found in what the asker wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.errors import InvalidQuestion
from judge.questions import MAX_QUESTION, apply_pins, brackets, drop_invented_spans, occurrences, parse_question
from judge.values import CardSpan, Exchange, Pin


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param(" \n\t ", "empty", id="blank"),
        pytest.param("\x00\x01", "empty", id="control characters only"),
        pytest.param("\ud800", "empty", id="lone surrogate only"),
        pytest.param("?!… — 🙂", "no words", id="punctuation and emoji"),
        pytest.param("x" * 2_001, "2,001 characters; at most 2,000", id="one too long"),
        pytest.param("x" * 100_000, "100,000 characters", id="100 kB"),
    ],
)
def test_what_cannot_be_asked_is_told_why(text: str, says: str) -> None:
    with pytest.raises(InvalidQuestion, match=says):
        parse_question(text)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        pytest.param("  does it die?\n", "does it die?", id="trimmed"),
        pytest.param("does\x00 it\x1b die\ud800?", "does it die?", id="control characters and surrogates"),
        pytest.param("one\r\ntwo\rthree\u2028four\tfive", "one\ntwo\nthree\nfour five", id="line breaks and tabs"),
        pytest.param("Lim-Du\u0302l", "Lim-Dûl", id="composed"),
        pytest.param("a\u202eb\u200bc\ufeff", "abc", id="invisible marks"),
        pytest.param("稲妻は？", "稲妻は？", id="Japanese"),
        pytest.param("x" * MAX_QUESTION, "x" * MAX_QUESTION, id="just short enough"),
        pytest.param(" " * 5_000 + "x", "x", id="only space makes it long"),
    ],
)
def test_a_question_is_cleaned(text: str, cleaned: str) -> None:
    assert parse_question(text).text == cleaned


@given(st.text(st.characters(exclude_categories=[])))
def test_a_parsed_question_can_be_stored_and_parsed_again(text: str) -> None:
    try:
        question = parse_question(text)
    except InvalidQuestion:
        return
    assert "\x00" not in question.text
    question.text.encode("utf-8")
    assert parse_question(question.text) == question


def test_bracketed_names_are_exact_and_come_once_each() -> None:
    question = parse_question(
        "[[Murk Newt]] vs [[ murk newt ]] and [[Fire // Ice|SET]], [[]], [[ ]], [[!]] and [Newt]]"
    )
    assert brackets(question) == (
        CardSpan("Murk Newt", exact=True, sure=True),
        CardSpan("Fire // Ice", exact=True, sure=True),
    )


@pytest.mark.parametrize(
    ("span", "text"),
    [
        ("bob", "Does BOB's trigger resolve?"),
        ("bob's", "does bob trigger?"),
        ("Bob’s", "does bob's trigger?"),
        ("Urza's Tower", "is urzas tower a land"),
        ("Jotun Newt", "the jötun-newt dies"),
        ("Æther Newt", "AETHER NEWT"),
        ("Éclair", "qu'est-ce que l'éclair fait"),
        ("Éclair", "l’e\u0301clair"),
        ("Fire // Ice", "cast fire/ice"),
        ("稲妻", "稲妻は打ち消せますか"),
        ("번개", "번개를 쓰면"),
    ],
)
def test_a_span_the_asker_wrote_is_kept(span: str, text: str) -> None:
    assert drop_invented_spans([CardSpan(span)], parse_question(text)) == (CardSpan(span),)


@pytest.mark.parametrize(
    ("span", "text"),
    [
        ("Black Newt", "does bob's trigger resolve?"),
        ("opt", "can he adopt a newt"),
        ("can", "it can't block"),
        ("bob", "bobby dies"),
        ("", "anything"),
        ("'s", "bob's"),
        ("!", "bob!"),
    ],
)
def test_an_invented_span_is_dropped(span: str, text: str) -> None:
    assert drop_invented_spans([CardSpan(span)], parse_question(text)) == ()


@pytest.mark.parametrize(
    ("text", "pins", "pinned"),
    [
        pytest.param(
            "does bob's trigger?", [Pin("bob", "Dark Newt")], "does [[Dark Newt]]'s trigger?", id="possessive stays"
        ),
        pytest.param("Bob vs BOB", [Pin("bob", "Dark Newt")], "[[Dark Newt]] vs [[Dark Newt]]", id="every place"),
        pytest.param("bobby and bob", [Pin("bob", "Dark Newt")], "bobby and [[Dark Newt]]", id="whole words"),
        pytest.param("[[bob]] dies", [Pin("bob", "Dark Newt")], "[[Dark Newt]] dies", id="the bracket that holds it"),
        pytest.param(
            "[[Bob's Newt]] and bob", [Pin("bob", "Dark Newt")], "[[Bob's Newt]] and [[Dark Newt]]", id="other brackets"
        ),
        pytest.param(
            "thunder and thunder bolt",
            [Pin("thunder", "Thunder Bend"), Pin("thunder bolt", "Thunder Bolt")],
            "[[Thunder Bend]] and [[Thunder Bolt]]",
            id="longest first",
        ),
        pytest.param("jötun dies", [Pin("Jotun", "Jötun Newt")], "[[Jötun Newt]] dies", id="accents"),
        pytest.param("l'éclair", [Pin("éclair", "Thunder Bolt")], "l'[[Thunder Bolt]]", id="elided article"),
        pytest.param("jo\u0308tun!", [Pin("jötun", "Jötun Newt")], "[[Jötun Newt]]!", id="combining marks go along"),
        pytest.param("bob", [], "bob", id="no pins"),
    ],
)
def test_a_pin_rewrites_its_span_and_doing_it_again_changes_nothing(text: str, pins: list[Pin], pinned: str) -> None:
    assert apply_pins(text, pins) == pinned
    assert apply_pins(pinned, pins) == pinned


@pytest.mark.parametrize(
    ("pins", "says"),
    [
        pytest.param([Pin("alice", "Dark Newt")], "alice", id="span not in the question"),
        pytest.param([Pin("bob", "")], "names no card", id="no name"),
        pytest.param([Pin("bob", "a]] [[b")], "names no card", id="brackets in the name"),
        pytest.param([Pin("bob", "x" * 500)], "names no card", id="endless name"),
        pytest.param([Pin("", "Dark Newt")], "names no card", id="no span"),
        pytest.param([Pin("bob", "Dark Newt"), Pin("Bob", "Murk Newt")], "twice", id="contradiction"),
        pytest.param([Pin(f"bob{n}", "Dark Newt") for n in range(21)], "At most 20", id="too many"),
    ],
)
def test_a_pin_that_cannot_be_taken_says_why(pins: list[Pin], says: str) -> None:
    with pytest.raises(InvalidQuestion, match=says):
        apply_pins("does bob's trigger resolve?", pins)


NAMES = st.text("abÉé'’ //-", min_size=1, max_size=6)


@given(NAMES, st.lists(NAMES, max_size=6))
def test_a_name_set_between_spaces_is_found(name: str, words: list[str]) -> None:
    text = " ".join([*words, name, *words])
    places = occurrences(name, text)
    assert bool(places) == any(char in "abÉé" for char in name)


@given(st.text("abc é'’[]!", max_size=30), NAMES)
def test_pinning_is_idempotent(text: str, name: str) -> None:
    try:
        once = apply_pins(text, [Pin(name, "Dark Newt")])
    except InvalidQuestion:
        return
    assert apply_pins(once, [Pin(name, "Dark Newt")]) == once


def test_a_span_may_stand_in_an_earlier_question_but_not_in_its_answer() -> None:
    question = parse_question("and then?", history=[Exchange("does bob trigger?", "Dark Newt does.")])
    assert drop_invented_spans([CardSpan("bob"), CardSpan("Dark Newt")], question) == (CardSpan("bob"),)
