"""Only validate() makes a Verdict, and only from citations that hold."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.errors import VerdictRejected
from judge.marks import marked_numbers, renumber
from judge.raw import RawVerdict
from judge.rejections import BadCitation, Empty, Oversized, UncitedRules
from judge.values import (
    CardDataCitation,
    Confidence,
    GlossaryCitation,
    OracleTextCitation,
    PriorCallCitation,
    RuleCitation,
    RuleId,
    RulingCitation,
    Source,
)
from judge.verdict import CardRef, Verdict, validate
from tests.fakes import CONTEXT, EARLIER, EDITION, NEWT, NEWT_RULING, TWINS

RULE = {"kind": "rule", "id": "750.9a", "quote": "Sogging is a static ability."}
TRIGGER = {"kind": "rule", "id": "760.4", "quote": "An ability that has triggered exists apart from its source"}
RULING = {"kind": "ruling", "card": "Murk Newt", "key": "k-newt", "quote": "that ability still resolves"}
STUB = {"kind": "rule", "id": "760.4", "quote": "n/a"}
ANSWER = "Yes. The ability exists on its own once it has triggered, so it resolves."


def verdict(*citations: dict[str, Any], answer: str = ANSWER, source: Source = Source.CR) -> Verdict:
    raw = RawVerdict.model_validate({"answer": answer, "confidence": "high", "citations": citations or [RULE]})
    return validate(raw, CONTEXT, source)


def rejection(*citations: dict[str, Any], answer: str = ANSWER) -> object:
    with pytest.raises(VerdictRejected) as caught:
        verdict(*citations, answer=answer)
    assert str(caught.value)
    return caught.value.rejection


def test_a_verdict_cannot_be_made_by_hand() -> None:
    with pytest.raises(TypeError, match="validate"):
        Verdict(
            answer=ANSWER,
            confidence=Confidence.HIGH,
            citations=(),
            source=Source.CR,
            edition=EDITION,
            cards=(),
            seal=object(),  # type: ignore[arg-type]  # the point of the test
        )


def test_a_checked_verdict_cannot_be_turned_into_another() -> None:
    with pytest.raises((TypeError, ValueError)):
        dataclasses.replace(verdict(), answer="Something nobody checked.")  # type: ignore[call-arg]  # the point


def test_a_verdict_survives_a_copy() -> None:
    assert copy.deepcopy(verdict()) == verdict()


def test_source_edition_and_cards_are_stamped_by_the_program() -> None:
    raw = {"answer": ANSWER, "confidence": "low", "citations": [RULE], "source": "tournament", "edition": "1999-01-01"}
    made = validate(RawVerdict.model_validate(raw), CONTEXT, Source.COMMANDER)
    assert (made.source, made.edition) == (Source.COMMANDER, EDITION)
    assert made.cards == (CardRef(NEWT.id, NEWT.name), CardRef(TWINS.id, TWINS.name))


def test_a_declined_source_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="declined"):
        verdict(source=Source.TOURNAMENT)


# References and quotes


@pytest.mark.parametrize(
    ("raw", "citation"),
    [
        pytest.param(RULE, RuleCitation(RuleId("750.9a"), "Sogging is a static ability."), id="subrule"),
        pytest.param(
            RULE | {"id": "750.9"}, RuleCitation(RuleId("750.9"), "Sogging is a static ability."), id="parent"
        ),
        pytest.param(
            RULE | {"id": " 750.9A. "}, RuleCitation(RuleId("750.9a"), "Sogging is a static ability."), id="altered key"
        ),
        pytest.param(
            RULE
            | {"quote": "A creature with sogging doesn't untap during its controller's untap step-it stays sodden."},
            RuleCitation(
                RuleId("750.9a"),
                "A creature with sogging doesn’t untap during its controller’s untap step—it stays sodden.",
            ),
            id="retyped in ASCII",
        ),
        pytest.param(
            RULE | {"quote": "750.9a Sogging is a static ability."},
            RuleCitation(RuleId("750.9a"), "Sogging is a static ability."),
            id="number quoted with the subrule",
        ),
        pytest.param(
            RULE | {"quote": '"Sogging is a static ability…"'},
            RuleCitation(RuleId("750.9a"), "Sogging is a static ability"),
            id="own quotation and cut marks",
        ),
        pytest.param(
            RULING, RulingCitation(NEWT.id, NEWT_RULING.key, "that ability still resolves"), id="ruling by name"
        ),
        pytest.param(
            RULING | {"card": str(NEWT.id)},
            RulingCitation(NEWT.id, NEWT_RULING.key, "that ability still resolves"),
            id="ruling by oracle id",
        ),
        pytest.param(
            {"kind": "oracle_text", "card": "Wet Twin", "face": 1, "quote": "you gain 2 life"},
            OracleTextCitation(TWINS.id, 1, "you gain 2 life"),
            id="back face",
        ),
        pytest.param(
            {"kind": "oracle_text", "card": "dry twin // wet twin", "quote": "can't be sodden"},
            OracleTextCitation(TWINS.id, 0, "can’t be sodden"),
            id="front face by default",
        ),
        pytest.param(
            {"kind": "glossary", "term": "sodden", "quote": "because of sogging. See rule 750.9"},
            GlossaryCitation("Sodden", "because of sogging.\nSee rule 750.9"),
            id="glossary over a line break",
        ),
        pytest.param(
            {"kind": "card_data", "card": "Murk Newt", "quote": "Legality in vintage: not legal"},
            CardDataCitation(NEWT.id, "Legality in vintage: not legal"),
            id="card data",
        ),
        pytest.param(
            {"kind": "prior_call", "id": 41, "quote": "sodden while it stays tapped"},
            PriorCallCitation(EARLIER.id, "sodden while it stays tapped"),
            id="earlier call",
        ),
    ],
)
def test_a_citation_that_holds_is_stored_in_the_sources_own_characters(raw: dict[str, Any], citation: object) -> None:
    assert verdict(raw).citations == (citation,)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        pytest.param(RULE | {"id": "999.1"}, "not among the rules", id="rule not shown"),
        pytest.param(RULE | {"id": "750.9z"}, "not among the rules", id="subrule that does not exist"),
        pytest.param(RULE | {"id": "Sogging 750.9a"}, "no rule number", id="words around the number"),
        pytest.param(RULE | {"id": "750"}, "no rule number", id="section"),
        pytest.param(RULE | {"id": "750.9c"}, "stands in 750.9a", id="sibling's words"),
        pytest.param(RULE | {"quote": "Sogging is a static, ability."}, "word for word", id="comma added"),
        pytest.param(RULE | {"quote": "a creature with sogging untaps"}, "word for word", id="paraphrase"),
        pytest.param(RULE | {"quote": "Sogging is … ability."}, "word for word", id="cut in the middle"),
        pytest.param(RULE | {"quote": "S" * 5_000}, "word for word", id="endless"),
        pytest.param(RULING | {"card": "Wet Twin"}, "belongs to Murk Newt", id="another card's ruling"),
        pytest.param(RULING | {"key": "k-none"}, "no ruling of that key", id="ruling that does not exist"),
        pytest.param(RULING | {"card": "Thunder Bolt"}, "not among the cards", id="card not in the context"),
        pytest.param(RULING | {"card": "!!!"}, "not among the cards", id="card without letters"),
        pytest.param(RULING | {"quote": "that ability resolves"}, "word for word", id="word dropped from a ruling"),
        pytest.param(
            {"kind": "oracle_text", "card": "Dry Twin", "face": 0, "quote": "you gain 2 life"},
            "stands on face 1, Wet Twin",
            id="wrong face",
        ),
        pytest.param(
            {"kind": "oracle_text", "card": "Dry Twin", "face": 7, "quote": "you gain 2 life"},
            "no such face",
            id="no face",
        ),
        pytest.param({"kind": "glossary", "term": "Dry", "quote": "A creature"}, "not among", id="no such entry"),
        pytest.param(
            {"kind": "card_data", "card": "Murk Newt", "quote": "Legality in vintage: legal"},
            "word for word",
            id="legality",
        ),
        pytest.param({"kind": "prior_call", "id": 7, "quote": "A newt is sodden"}, "not among", id="no such call"),
    ],
)
def test_a_citation_that_does_not_hold_is_refused_with_its_reason(raw: dict[str, Any], reason: str) -> None:
    refused = rejection(TRIGGER, raw)
    assert isinstance(refused, BadCitation)
    assert refused.number == 2
    assert reason in refused.reason


# Stubs and marks


@pytest.mark.parametrize(
    "quote", ["", "  ", "n/a", "N/A.", "none", "Quote", "abc", "“…”", "<quote>", "\x00\x00\x00\x00"]
)
def test_a_stub_is_dropped(quote: str) -> None:
    assert len(verdict(STUB | {"quote": quote}, RULE).citations) == 1


def test_marks_count_on_when_a_stub_before_them_is_dropped() -> None:
    made = verdict(STUB, RULE, RULING, answer=f"{ANSWER} Sure [1]. First [2], then [3], both [2, 3] [1].")
    assert made.answer == f"{ANSWER} Sure. First [1], then [2], both [1][2]."


def test_nothing_but_stubs_is_an_empty_verdict() -> None:
    assert isinstance(rejection(STUB, STUB), Empty)


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("[3]", 3),
        ("[5, 7]", 5),
        ("[1, 7]", 7),
        ("[0]", 0),
        ("[1][2][3]", 3),
        ("[1-3]", 3),
        ("([100])", 100),
        ("[ 9 ]", 9),
    ],
)
def test_a_mark_that_points_at_nothing_is_refused(answer: str, number: int) -> None:
    refused = rejection(RULE, RULING, answer=f"{ANSWER} {answer}")
    assert isinstance(refused, BadCitation)
    assert refused.number == number


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("[1, 2]", "[1][2]"),
        ("[1,2]", "[1][2]"),
        ("[1; 2]", "[1][2]"),
        ("[1-2]", "[1][2]"),
        ("[1–2]", "[1][2]"),
        ("[2, 2]", "[2]"),
        ("[ 1 ]", "[1]"),
        ("[+1]", "[+1]"),
        ("[−3]", "[−3]"),
        ("[[1996 World Champion]]", "[[1996 World Champion]]"),
    ],
)
def test_marks_become_one_number_each_and_nothing_else_changes(written: str, kept: str) -> None:
    assert verdict(RULE, RULING, answer=f"{ANSWER} {written}").answer == f"{ANSWER} {kept}"


def test_a_citation_given_twice_is_kept_once_and_its_marks_point_at_it() -> None:
    made = verdict(RULE, RULING, RULE, answer=f"{ANSWER} [1] [2] [3]")
    assert len(made.citations) == 2
    assert made.answer == f"{ANSWER} [1] [2] [1]"


@given(st.lists(st.integers(1, 9), min_size=1), st.permutations(range(1, 10)))
def test_renumbering_maps_every_mark_and_keeps_their_order(numbers: list[int], order: Sequence[int]) -> None:
    new: dict[int, int | None] = dict(enumerate(order, 1))
    answer = " and ".join(f"word [{number}]" for number in numbers)
    assert marked_numbers(renumber(answer, new)) == tuple(new[number] for number in numbers)


# Size


def test_an_answer_of_39_characters_says_too_little() -> None:
    assert isinstance(rejection(RULE, answer="y" * 39), Empty)
    assert verdict(RULE, answer="y" * 40).answer == "y" * 40


def test_an_answer_of_4001_characters_is_too_long() -> None:
    assert rejection(RULE, answer="y" * 4_001) == Oversized(4_001)
    assert len(verdict(RULE, answer="y" * 4_000).answer) == 4_000


def test_white_space_does_not_make_an_answer_longer() -> None:
    assert isinstance(rejection(RULE, answer="Yes." + " " * 60), Empty)


def test_no_citation_at_all_is_an_empty_verdict() -> None:
    with pytest.raises(VerdictRejected) as caught:
        validate(RawVerdict(answer=ANSWER, confidence=Confidence.HIGH, citations=()), CONTEXT, Source.CR)
    assert isinstance(caught.value.rejection, Empty)


# Rule numbers in the prose


@pytest.mark.parametrize(
    ("prose", "uncited"),
    [
        ("see 760.4", ("760.4",)),
        ("([750.9a],[704.3])", ("704.3",)),
        ("(704.3)(704.5aa).", ("704.3", "704.5aa")),
        ("cl. 810.1.1 or 810.1", ("810.1",)),
        ("750.9a, its parent 750.9 and itself", ()),
        ("its sibling 750.9b", ("750.9b",)),
        ("Sie gewinnt 200.000 Leben", ()),
        ("version 2.750.9", ()),
    ],
)
def test_every_rule_the_prose_names_is_cited(prose: str, uncited: tuple[str, ...]) -> None:
    if uncited:
        assert rejection(RULE, answer=f"{ANSWER} {prose}") == UncitedRules(tuple(map(RuleId, uncited)))
    else:
        assert verdict(RULE, answer=f"{ANSWER} {prose}").answer.endswith(prose)


def test_a_cited_parent_covers_its_subrules() -> None:
    assert verdict(RULE | {"id": "750.9"}, answer=f"{ANSWER} 750.9a and 750.9c say so.")


def test_a_rule_number_inside_a_repeated_quote_is_the_sources_own() -> None:
    quote = "using the last known information of that creature. See rule 760.4."
    cited = RULE | {"id": "750.9b", "quote": quote}
    assert verdict(cited, answer=f"It still resolves: “{quote}”")
    assert rejection(cited, answer=f"It still resolves: “{quote}” And so says 760.4 by itself.") == UncitedRules(
        (RuleId("760.4"),)
    )


def test_a_quote_that_is_little_more_than_a_number_speaks_for_nothing() -> None:
    cited = RULE | {"id": "750.9b", "quote": "See rule 760.4"}
    assert isinstance(rejection(cited, answer=f"{ANSWER} See rule 760.4"), UncitedRules)


# Characters


def test_control_characters_and_lone_surrogates_leave_the_answer() -> None:
    raw = RawVerdict.model_validate({"answer": "", "confidence": "low", "citations": [RULE]})
    dirty = raw.model_copy(update={"answer": f"\x00{ANSWER}\ud800\x1b[1m\u202e\r\nNext\tline"})
    assert validate(dirty, CONTEXT, Source.CR).answer == f"{ANSWER}[1m\nNext line"


@given(st.text(max_size=200))
def test_no_answer_makes_validate_fail_in_another_way(answer: str) -> None:
    raw = RawVerdict.model_construct(
        answer=answer,
        confidence=Confidence.LOW,
        citations=RawVerdict.model_validate({"answer": "", "confidence": "low", "citations": [RULE]}).citations,
    )
    try:
        made = validate(raw, CONTEXT, Source.CR)
    except VerdictRejected:
        return
    made.answer.encode()
    assert "\x00" not in made.answer
