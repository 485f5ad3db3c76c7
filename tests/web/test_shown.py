"""Answers split for reading, and quotes in their passages."""

from __future__ import annotations

from datetime import date

import pytest

from web.passages import AROUND, Passage, passage
from web.shown import split_answer
from web.templatetags.judge_text import linked, marked

EDITION = date(2031, 2, 3)


@pytest.mark.parametrize(
    ("answer", "ruling", "reasons"),
    [
        pytest.param("No, it does not happen. Because.", "No, it does not happen.", ["Because."], id="first sentence"),
        pytest.param(
            "Yes. It still resolves. Why.", "Yes. It still resolves.", ["Why."], id="yes takes the next along"
        ),
        pytest.param("It dies at once.[1][2] Rest.", "It dies at once.[1][2]", ["Rest."], id="marks stay with it"),
        pytest.param("It dies under 704.5f at once. B.", "It dies under 704.5f at once.", ["B."], id="rule number"),
        pytest.param("One of them.\n\nTwo.\n\nThree.", "One of them.", ["Two.", "Three."], id="paragraphs"),
        pytest.param("No full stop here", "", ["No full stop here"], id="no sentence"),
        pytest.param(f"{'long ' * 60}. Rest.", "", [f"{'long ' * 60}. Rest."], id="too long for a headline"),
        pytest.param("", "", [], id="nothing"),
    ],
)
def test_the_ruling_stands_apart_from_its_reasons(answer: str, ruling: str, reasons: list[str]) -> None:
    assert split_answer(answer) == (ruling, reasons)


def test_a_quote_is_shown_in_its_line_only() -> None:
    assert passage("two words", "First line.\nHere two words stand.\nLast.") == Passage("Here ", "two words", " stand.")


def test_a_quote_over_two_lines_keeps_them() -> None:
    assert passage("one\ntwo", "0 one\ntwo 3\n4") == Passage("0 ", "one\ntwo", " 3")


def test_long_lines_are_cut_between_words() -> None:
    shown = passage("QUOTE", f"{'before ' * 100}QUOTE{' after' * 100}")

    assert shown.before.startswith("… before")
    assert shown.after.endswith("after …")
    assert len(shown.before) <= AROUND + 2
    assert len(shown.after) <= AROUND + 2


def test_a_quote_that_is_not_there_stands_alone() -> None:
    assert passage("quote", "other text") == Passage("", "quote", "")


def test_rule_numbers_become_links_and_everything_is_escaped() -> None:
    assert linked("<b> 702.19b & 2.5", EDITION) == (
        '&lt;b&gt; <a href="/rules/702.19b?edition=2031-02-03#702.19b">702.19b</a> &amp; 2.5'
    )


def test_marks_become_raised_links() -> None:
    assert marked("So it is. [2] <", EDITION) == (
        'So it is.<sup><a href="#quote-2" aria-label="Quote 2">2</a></sup> &lt;'
    )
