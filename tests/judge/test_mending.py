"""What a model is told of a verdict that was not let through."""

from __future__ import annotations

from typing import Any

import pytest

from judge.mending import faults, whereabouts
from judge.raw import RawVerdict
from tests.fakes import CONTEXT, NEWT, NEWT_RULING

GOOD = {"kind": "rule", "id": "750.9c", "quote": "Multiple instances of sogging"}
ANSWER = "No: a second instance of sogging changes nothing for the creature [1]."


def verdict(*citations: dict[str, Any], answer: str = ANSWER) -> RawVerdict:
    return RawVerdict.model_validate({"citations": citations, "answer": answer, "confidence": "high"})


def test_a_verdict_that_holds_has_none() -> None:
    assert faults(verdict(GOOD), CONTEXT) == ()


def test_every_fault_is_told_at_once() -> None:
    bad = verdict(
        GOOD | {"quote": "Two instances of sogging"},
        GOOD | {"id": "999.9"},
        answer="By 605.1 it is so [1], and by 750.9c as well [2], which settles it [7].",
    )
    told = faults(bad, CONTEXT)
    assert len(told) == 4
    assert told[0].startswith("citation 1 (rule 750.9c): the quote does not stand there word for word.")
    assert told[0].endswith("You quoted “Two instances of sogging”; these words stand nowhere in the material.")
    assert told[1].endswith('these words stand in kind "rule", id "750.9c".')
    assert "[7], but there are 2 citations" in told[2]
    assert "605.1" in told[3]
    assert "750.9c" not in told[3]


def test_a_stub_is_no_fault_because_it_is_dropped() -> None:
    assert faults(verdict(GOOD, GOOD | {"quote": "n/a"}), CONTEXT) == ()


def test_a_long_quote_is_told_back_in_part() -> None:
    (told,) = faults(verdict(GOOD | {"quote": "newt " * 300}), CONTEXT)
    assert len(told) < 400


@pytest.mark.parametrize(
    ("quote", "home"),
    [
        ("it stays sodden", 'kind "rule", id "750.9a"'),
        ("removing the source doesn't remove it", 'kind "rule", id "760.4"'),
        ("you gain 2 life", 'kind "oracle_text", card "Dry Twin // Wet Twin", face 1'),
        ("that ability still resolves", 'kind "ruling", card "Murk Newt", key "k-newt"'),
        ("stayed tapped because of sogging", 'kind "glossary", term "Sodden"'),
        ("nobody wrote this", None),
    ],
)
def test_where_words_really_stand(quote: str, home: str | None) -> None:
    assert whereabouts(quote, CONTEXT) == home


def test_the_hint_for_a_ruling_can_be_cited() -> None:
    cited = {"kind": "ruling", "card": NEWT.name, "key": NEWT_RULING.key, "quote": "that ability still resolves"}
    assert faults(verdict(cited), CONTEXT) == ()
