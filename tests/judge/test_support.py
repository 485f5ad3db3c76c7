"""Sentences, claims, and whether a quote backs them. Rules and quotes are invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.raw import RawVerdict
from judge.support import Support, check_support, claims_of, sentences
from judge.values import Source
from judge.verdict import Verdict, validate
from tests.fakes import CONTEXT

QUOTE = "An ability that has triggered exists apart"


def verdict(answer: str, *quotes: str) -> Verdict:
    citations = [{"kind": "rule", "id": "760.4", "quote": quote} for quote in quotes or (QUOTE,)]
    raw = RawVerdict.model_validate({"answer": answer, "confidence": "high", "citations": citations})
    return validate(raw, CONTEXT, Source.CR)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Yes. It dies [1]. Then nothing.", ["Yes.", "It dies [1].", "Then nothing."]),
        ("It follows from 760.4b. The rest too.", ["It follows from 760.4b.", "The rest too."]),
        ("By 760.4b a newt, e.g. Murk Newt, glows.", ["By 760.4b a newt, e.g. Murk Newt, glows."]),
        ("It has 1.5 life. 3 damage remain.", ["It has 1.5 life.", "3 damage remain."]),
        ("“So it is.” [1] Next.", ["“So it is.” [1]", "Next."]),
        ("It rests. [1][2] Next.", ["It rests. [1][2]", "Next."]),
        ("First\n\nSecond", ["First", "Second"]),
        ("はい。死にます[1]。", ["はい。", "死にます[1]。"]),
        ("Ja! Élan stirbt? Nein.", ["Ja!", "Élan stirbt?", "Nein."]),
    ],
)
def test_sentences_keep_their_marks_numbers_and_abbreviations(text: str, parts: list[str]) -> None:
    assert list(sentences(text)) == parts


@given(st.text(alphabet="ab .!?[1]\n。", max_size=80))
def test_no_character_of_an_answer_is_lost(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_a_claim_that_repeats_its_quote_in_other_words_is_supported() -> None:
    [_, claim] = check_support(verdict("Yes, it does happen. The triggered ability exists apart from it all [1]."))
    assert claim.support is Support.SUPPORTED
    assert claim.quotes == (QUOTE,)


def test_a_claim_about_something_else_is_weak() -> None:
    answer = "Yes, it does happen. Combat damage is dealt simultaneously by attacking creatures [1]."
    assert [claim.support for claim in check_support(verdict(answer))] == [Support.SUPPORTED, Support.WEAK]


def test_a_sentence_that_states_a_rule_and_points_at_nothing_is_uncited() -> None:
    answer = "Yes, it does happen [1]. Spells resolve in the reverse order of casting."
    assert [claim.support for claim in check_support(verdict(answer))] == [Support.SUPPORTED, Support.UNCITED]


def test_a_sentence_that_states_nothing_is_no_claim() -> None:
    answer = "Yes, the ability still happens [1]. That is all there is to say about it."
    assert len(claims_of(verdict(answer))) == 1


def near(_text: str) -> tuple[float, ...]:
    return (1.0, 0.0)


def far(text: str) -> tuple[float, ...]:
    return (1.0, 0.0) if text == QUOTE else (0.0, 1.0)


def test_meaning_can_back_a_claim_that_shares_no_word() -> None:
    answer = "Yes, it does happen. Combat damage is dealt simultaneously by attacking creatures [1]."
    assert [claim.support for claim in check_support(verdict(answer), near)][-1] is Support.SUPPORTED
    assert [claim.support for claim in check_support(verdict(answer), far)][-1] is Support.WEAK


def test_an_answer_in_another_language_is_not_held_against_english_words() -> None:
    answer = "Ja, das passiert. Die ausgelöste Fähigkeit besteht unabhängig von ihrer Quelle weiter [1]."
    assert [claim.support for claim in check_support(verdict(answer), english=False)][-1] is Support.SUPPORTED
    assert [claim.support for claim in check_support(verdict(answer), far, english=False)][-1] is Support.WEAK
