"""Marks point at the same quotes after validate() as before it, whatever stubs and repetitions stood between."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judge.marks import marked_numbers
from judge.raw import RawVerdict
from judge.support import claims_of
from judge.values import Source
from judge.verdict import validate
from tests.fakes import CONTEXT

QUOTES = ["An ability that has triggered exists apart", "removing the source", "Its controller chooses targets"]
STUBS = ["", "n/a", "…", "quote"]
CITED = st.lists(st.sampled_from([*QUOTES, *STUBS]), min_size=1, max_size=9).filter(
    lambda quotes: any(quote in QUOTES for quote in quotes)
)


def said(number: int) -> str:
    """A sentence that only the citation *number* is marked in."""
    return f"Sentence {'abcdefghi'[number - 1]} is said of the rules [{number}]."


@given(CITED, st.data())
def test_every_mark_keeps_its_quote_and_the_marks_of_stubs_go(quotes: list[str], data: st.DataObject) -> None:
    marked = data.draw(st.lists(st.integers(1, len(quotes)), min_size=2, max_size=12))
    citations = [{"kind": "rule", "id": "760.4", "quote": quote} for quote in quotes]
    answer = " ".join(map(said, marked))
    raw = RawVerdict.model_validate({"answer": answer, "confidence": "high", "citations": citations})

    verdict = validate(raw, CONTEXT, Source.CR)

    wanted = [quotes[number - 1] for number in marked if quotes[number - 1] in QUOTES]
    kept = [verdict.citations[number - 1].quote for number in marked_numbers(verdict.answer)]
    assert kept == wanted
    assert len(verdict.citations) == len(set(quotes) & set(QUOTES))
    for claim in claims_of(verdict)[1:]:
        assert set(claim.quotes) <= set(wanted)
