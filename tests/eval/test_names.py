"""Reading and scoring of name cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.names import NameCase, NameResult, read_names, score
from eval.reading import BadSet

TAKEN = NameCase(id="a", text="my gleam", span="gleam", expect="resolved", cards=("Gleam",))
OFFERED = NameCase(id="b", text="glaem", span="glaem", expect="resolved", cards=("Gleam",), accept_offer=True)
NOTHING = NameCase(id="c", text="i gleam", span="gleam", expect="notfound", cards=(), mention=False)


def test_a_wrong_card_is_told_apart_from_a_miss() -> None:
    figures = score(
        [
            NameResult(TAKEN, "resolved", ("Gleam",)),
            NameResult(TAKEN, "resolved", ("Glare",)),
            NameResult(TAKEN, "notfound"),
            NameResult(NOTHING, "resolved", ("Gleam",)),
            NameResult(NOTHING, "ambiguous", ("Gleam",)),
        ]
    )
    assert (figures.n, figures.right, figures.wrong_card) == (5, 1, 2)
    assert figures.misses == ("a", "a", "c", "c")


def test_an_accepted_offer_needs_the_card_first() -> None:
    assert NameResult(OFFERED, "ambiguous", ("Gleam", "Glare")).is_right
    assert not NameResult(OFFERED, "ambiguous", ("Glare", "Gleam")).is_right


def test_one_wrong_card_fails_the_gate_however_many_are_right() -> None:
    right = [NameResult(TAKEN, "resolved", ("Gleam",))] * 99
    assert score(right).passes(0.97)
    assert not score([*right, NameResult(NOTHING, "resolved", ("Gleam",))]).passes(0.97)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cases: [", "not readable YAML"),
        ("questions: []", "no list called 'cases'"),
        ("cases: [7]", "case 1 is not a mapping"),
        ("cases: [{id: x, text: t, span: s, expect: maybe}]", "'expect' must be one of"),
        ("cases: [{id: x, text: t, span: s, expect: resolved}]", "needs the card"),
        ("cases: [{id: x, text: t, expect: notfound}]", "has no span"),
    ],
)
def test_a_broken_file_is_told(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "names.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadSet, match=told):
        read_names(file)


def test_brackets_are_read_from_the_text() -> None:
    assert NameCase(id="a", text="[[Gleam]] on it", span="gleam", expect="resolved", cards=("Gleam",)).bracketed
