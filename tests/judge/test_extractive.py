"""The answer without a model: few passages, whole, on the point, and through validate() like any other."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.absent_rules import absent_rules
from judge.extractive import NothingToQuote, extract_answer
from judge.passages import LONGEST, passages_of, sentences, stems
from judge.phrases import PHRASES
from judge.questions import parse_question
from judge.quotes import locate
from judge.raw import RawRule, RawVerdict
from judge.rule_quotes import rules_asked_for
from judge.values import (
    Confidence,
    Context,
    Extraction,
    GlossaryCitation,
    GlossaryEntry,
    Leaf,
    OracleTextCitation,
    RuleChunk,
    RuleCitation,
    RuleId,
    RulingCitation,
    RulingKey,
    Source,
    parent_of,
    parse_rule_id,
)
from judge.verdict import MAX_ANSWER, Verdict, validate
from tests.fakes import (
    BOLT,
    CONTEXT,
    NEWT,
    NEWT_RULING,
    SODDEN,
    SOGGING,
    TRIGGERS,
    TWINS,
    WATER,
    card,
    extraction,
    face,
)

QUESTION = parse_question("Does the newt's trigger still happen if it dies in response?")


def answer(context: Context = CONTEXT, asked: Extraction | None = None) -> Verdict:
    asked = asked or extraction("newt")
    raw = extract_answer(QUESTION, asked, context)
    assert isinstance(raw, RawVerdict)
    return validate(raw, context, Source.CR)


def test_the_subrule_that_decides_is_quoted_by_its_own_number_and_whole() -> None:
    cited = answer().citations
    assert RuleCitation(RuleId("750.9b"), SOGGING.leaves[1].text.split("\n")[0]) in cited


def test_a_rule_that_shares_nothing_with_the_question_is_not_padded_in() -> None:
    assert not any(isinstance(one, RuleCitation) and one.id == WATER.id for one in answer().citations)


def test_a_rule_without_subrules_is_quoted_without_its_number() -> None:
    quotes = [one.quote for one in answer().citations if isinstance(one, RuleCitation) and one.id == TRIGGERS.id]
    assert quotes == [TRIGGERS.text.removeprefix("760.4. ")]


def test_a_parents_own_sentence_is_cited_by_the_parents_number() -> None:
    parent = RuleChunk(
        RuleId("760.1"),
        "Invented Triggers",
        "",
        "760.1. A triggered ability resolves after its source dies.\n760.1a It is green and stays so all day.",
        (Leaf(RuleId("760.1a"), "760.1a It is green and stays so all day."),),
    )
    cited = answer(replace(CONTEXT, rules=(parent,))).citations
    assert cited[0] == RuleCitation(parent.id, "A triggered ability resolves after its source dies.")


def test_rules_come_first_then_rulings_then_card_text() -> None:
    kinds = [type(one) for one in answer().citations]
    assert kinds == sorted(kinds, key=[RuleCitation, GlossaryCitation, RulingCitation, OracleTextCitation].index)
    assert {RuleCitation, RulingCitation, OracleTextCitation} <= set(kinds)


def test_the_answer_opens_honestly_and_every_quote_stands_in_it_with_its_mark() -> None:
    made = answer()
    opening, *rest = made.answer.split("\n\n")
    assert opening == PHRASES["en"].opening
    assert [part.split("\n")[0] for part in rest] == ["Rules", "Rulings", "Card text"]
    for number, citation in enumerate(made.citations, 1):
        assert f"“{' '.join(citation.quote.split())}” [{number}]" in made.answer  # a text of several lines in one
    assert made.confidence is Confidence.LOW


@pytest.mark.parametrize("language", sorted(PHRASES))
def test_the_frame_speaks_the_askers_language_and_the_quotes_stay(language: str) -> None:
    made = answer(asked=extraction("newt", answer_language=language))
    assert made.answer.startswith(PHRASES[language].opening)
    assert made.citations == answer().citations


def test_a_language_nobody_translated_is_answered_in_english() -> None:
    assert answer(asked=extraction(answer_language="ja")).answer.startswith(PHRASES["en"].opening)


def test_a_short_card_text_is_quoted_whole() -> None:
    texts = [one for one in answer().citations if isinstance(one, OracleTextCitation)]
    assert texts[0] == OracleTextCitation(NEWT.id, 0, NEWT.faces[0].oracle_text)
    assert [one.card for one in texts] == [NEWT.id, TWINS.id]


def test_of_a_long_card_text_the_ability_asked_about_is_quoted() -> None:
    asked_about = "When Murk Newt dies, draw a card unless it was sodden."
    padding = "\n".join(f"{{{number}}}: Tap a lamp of the {number}th street." for number in range(1, 20))
    long = replace(NEWT, faces=(replace(NEWT.faces[0], oracle_text=f"{padding}\n{asked_about}"),))
    texts = [one for one in answer(replace(CONTEXT, cards=(long,))).citations if isinstance(one, OracleTextCitation)]
    assert texts == [OracleTextCitation(NEWT.id, 0, asked_about)]


def test_the_back_face_is_quoted_when_it_is_the_one_asked_about() -> None:
    asked = extraction(
        "twin", question_en="Do I gain life?", concepts=("gain life whenever a creature becomes sodden",)
    )
    texts = [one for one in answer(asked=asked).citations if isinstance(one, OracleTextCitation)]
    assert (TWINS.id, 1) in [(one.card, one.face) for one in texts]


def test_a_card_without_text_is_left_out() -> None:
    blank = card(9, "Plain Newt", face("Plain Newt"))
    made = answer(replace(CONTEXT, cards=(blank, BOLT)))
    assert [one.card for one in made.citations if isinstance(one, OracleTextCitation)] == [BOLT.id]


def test_a_ruling_that_shares_one_word_only_is_left_out() -> None:
    weak = replace(NEWT_RULING, key=RulingKey("k-weak"), text="The green newt may be exiled by its source instead.")
    made = answer(replace(CONTEXT, rulings=(weak, NEWT_RULING)))
    assert [one.key for one in made.citations if isinstance(one, RulingCitation)] == [NEWT_RULING.key]


def test_at_most_three_rulings_are_quoted() -> None:
    many = tuple(replace(NEWT_RULING, key=RulingKey(f"k-{n}"), text=f"{NEWT_RULING.text[:-1]} {n}.") for n in range(9))
    made = answer(replace(CONTEXT, rulings=many))
    assert sum(isinstance(one, RulingCitation) for one in made.citations) == 3


def test_what_two_rulings_say_in_the_same_words_is_quoted_once_from_the_newest() -> None:
    newer = replace(NEWT_RULING, key=RulingKey("newer"), published_at=NEWT_RULING.published_at.replace(year=2031))
    made = answer(replace(CONTEXT, rulings=(NEWT_RULING, newer)))
    assert [one.key for one in made.citations if isinstance(one, RulingCitation)] == [newer.key]


def test_of_two_rulings_that_are_worth_the_same_the_newer_comes_first() -> None:
    old = replace(NEWT_RULING, published_at=date(2006, 1, 1))
    new = replace(
        NEWT_RULING, key=RulingKey("new"), published_at=date(2025, 1, 1), text=f"{NEWT_RULING.text[:-1]} too."
    )
    made = answer(replace(CONTEXT, edition=date(2026, 1, 1), rulings=(old, new)))
    assert next(one.key for one in made.citations if isinstance(one, RulingCitation)) == new.key


def test_the_glossary_is_left_out_where_more_is_asked_than_what_a_term_means() -> None:
    term = GlossaryEntry("Newt", "A small wet thing that likes rain and mud.")
    made = answer(replace(CONTEXT, glossary=(term,)))
    assert not any(isinstance(one, GlossaryCitation) for one in made.citations)


def test_the_glossary_entry_asked_about_is_quoted_and_a_bare_pointer_is_not() -> None:
    asked = extraction(question_en="What does sodden mean?", concepts=("sodden",))
    cited = [one for one in answer(asked=asked).citations if isinstance(one, GlossaryCitation)]
    assert cited == [GlossaryCitation("Sodden", SODDEN.text.split("\n")[0])]
    pointer = replace(SODDEN, text="See rule 750.9, “Sogging,” and what follows it there.")
    assert not any(
        isinstance(one, GlossaryCitation) for one in answer(replace(CONTEXT, glossary=(pointer,)), asked).citations
    )


def test_without_rules_there_is_nothing_to_quote() -> None:
    nothing = extract_answer(QUESTION, extraction(), replace(CONTEXT, rules=()))
    assert isinstance(nothing, NothingToQuote)
    assert nothing.reason


def test_when_no_word_is_shared_the_best_ranked_rules_are_shown() -> None:
    asked = extraction(question_en="Zorp?", concepts=("quux",))
    context = replace(CONTEXT, cards=())
    raw = extract_answer(parse_question("Zorp?"), asked, context)
    assert isinstance(raw, RawVerdict)
    ids = [one.id for one in raw.citations if isinstance(one, RawRule)]
    assert [RuleId(one[:5]) for one in ids] == [SOGGING.id, TRIGGERS.id, WATER.id]
    assert validate(raw, context, Source.CR)


def test_an_answer_stays_within_its_limit_whatever_the_context_holds() -> None:
    long = "A triggered ability whose source dies resolves with last known information " + "and so on " * 40
    rules = tuple(RuleChunk(RuleId(f"760.{n}"), "", "", f"760.{n}. {long}{n}.") for n in range(1, 30))
    cards = tuple(card(n, f"Newt {n}", face(f"Newt {n}", f"{long}{n}.")) for n in range(100, 110))
    made = answer(Context(edition=CONTEXT.edition, rules=rules, cards=cards))
    assert 2_000 < len(made.answer) <= MAX_ANSWER
    assert any(isinstance(one, OracleTextCitation) for one in made.citations)


def test_a_passage_with_something_like_a_mark_of_its_own_is_not_quoted() -> None:
    marked = RuleChunk(
        RuleId("760.8"), "", "", "760.8. A triggered ability of a source that dies resolves at level [1]."
    )
    made = answer(replace(CONTEXT, rules=(marked, TRIGGERS)))
    assert [one.id for one in made.citations if isinstance(one, RuleCitation)] == [TRIGGERS.id]


def test_headings_and_card_text_alone_are_nothing_to_quote() -> None:
    heading = RuleChunk(RuleId("750.1"), "Invented", "Soaking", "750.1. Soaking")
    context = Context(edition=CONTEXT.edition, rules=(heading,), cards=(BOLT,))
    assert isinstance(extract_answer(QUESTION, extraction(), context), NothingToQuote)


# Passages


def test_a_short_line_is_one_passage_and_headings_are_none() -> None:
    assert [one.text for one in passages_of(SOGGING.text)][:1] == [SOGGING.leaves[0].text]


def test_a_long_line_gives_runs_of_whole_sentences() -> None:
    line = " ".join(f"Sentence number {n} says something about newts, e.g. that they are wet." for n in range(12))
    pieces = [one.text for one in passages_of(line)]
    assert len(pieces) > 1
    assert all(len(piece) <= LONGEST and piece.startswith("Sentence") and piece.endswith("wet.") for piece in pieces)


def test_a_passage_that_begins_in_the_middle_of_a_thought_is_known_to_lean() -> None:
    line = "A newt stays sodden. " + "This goes on for long " + "and long " * 70 + "enough. Newts dry out."
    assert [(one.text.split()[0], one.leans) for one in passages_of(line, 1)] == [
        ("A", False),
        ("This", True),
        ("Newts", False),
    ]
    assert [one.leans for one in passages_of("This newt is wet all day.")] == [False]


def test_an_example_is_known_as_one() -> None:
    assert [one.is_example for one in passages_of(SOGGING.leaves[1].text)] == [False, True]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dies", "die"),
        ("dying", "died"),
        ("triggered", "triggers"),
        ("tapping", "tapped"),
        ("abilities", "ability"),
        ("creature’s", "creatures"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stems(one) == stems(other) != frozenset()


@given(st.lists(st.sampled_from(["A newt dies.", "See rule 750.9.", "“Wet?” (Yes.)", "word " * 90, "\n", "{T}: Go!"])))
def test_every_passage_stands_in_its_text(parts: list[str]) -> None:
    text = " ".join(parts)
    for passage in passages_of(text, 1):
        assert passage.text in text
        assert locate(passage.text, text) is not None


@given(st.text("aB. !?”)("))
def test_sentences_hold_everything_but_the_gaps(line: str) -> None:
    spans = sentences(line)
    assert "".join(line[start:end] for start, end in spans).split() == line.split() or "".join(
        "".join(line[start:end] for start, end in spans).split()
    ) == "".join(line.split())


# Which rules, and how much of them


def rule(number: str, heading: str, *lines: str, scores: tuple[float, ...] = (), score: float = 1.0) -> RuleChunk:
    """A rule whose subrules a, b, c say *lines*, as retrieval would hand it over."""
    ids = [RuleId(f"{number}{letter}") for letter in "abcdefgh"[: len(lines)]]
    text = "\n".join([f"{number}. {heading}", *(f"{one} {line}" for one, line in zip(ids, lines, strict=True))])
    found = scores or (0.0,) * len(lines)
    leaves = tuple(Leaf(one, line, value) for one, line, value in zip(ids, lines, found, strict=True))
    return RuleChunk(RuleId(number), "Invented Keywords", heading, text, leaves, score=score)


DAMP = rule(
    "750.1",
    "Damp",
    "Damp is a static ability.",
    "A creature with damp can’t be dried by creatures without damp.",
    "Damp newts that are exiled stay damp while they are exiled there.",
    "Multiple instances of damp on the same creature are redundant.",
)
TOKEN = RuleChunk(
    RuleId("751.1"), "Tokens", "", "751.1. A Puddle token is a creature token with damp and a basin.", score=0.5
)


def rules_quoted(text: str, *rules: RuleChunk, concepts: tuple[str, ...] = ()) -> list[RuleId]:
    asked = extraction(question_en=text, concepts=concepts)
    raw = extract_answer(parse_question(text), asked, Context(edition=CONTEXT.edition, rules=rules))
    assert isinstance(raw, RawVerdict)
    return [RuleId(one.id) for one in raw.citations if isinstance(one, RawRule)]


@pytest.mark.parametrize("text", ["what is damp?", "damp", "How does damp work?", "explain damp"])
def test_a_question_about_a_keyword_gets_what_it_means_first(text: str) -> None:
    assert rules_quoted(text, TOKEN, DAMP)[:2] == ["750.1b", "750.1c"]


def test_a_question_about_one_keyword_alone_gets_nothing_that_only_has_it() -> None:
    assert "751.1" not in rules_quoted("what is damp?", TOKEN, DAMP)
    assert "751.1" in rules_quoted("may a Puddle token with damp be dried?", TOKEN, DAMP)


def test_what_is_worth_much_less_than_the_best_is_padding() -> None:
    chunks = [rule(f"75{n}.1", "", f"A wet newt may be dried in the {n} pond.", score=1.0) for n in range(3, 9)]
    scored = [
        replace(one, leaves=(replace(one.leaves[0], score=1.0 if at < 4 else 0.0),)) for at, one in enumerate(chunks)
    ]
    assert len(rules_quoted("May a wet newt be dried?", *scored)) == 4


def test_a_question_about_two_keywords_gets_what_both_mean_first() -> None:
    dry = rule("750.2", "Dry", "Dry is a static ability.", "A creature with dry can’t be made wet by any spell.")
    assert rules_quoted("Does damp work with dry?", TOKEN, DAMP, dry)[:3] == ["750.1b", "750.1c", "750.2b"]


def test_a_line_that_every_keyword_has_is_quoted_only_when_asked_about() -> None:
    assert not {"750.1a", "750.1d"} & set(rules_quoted("Is my damp newt exiled?", DAMP, TOKEN))
    assert "750.1d" in rules_quoted("Do multiple instances of damp add up?", DAMP, TOKEN)


def test_what_a_keyword_means_stands_after_its_first_sense_in_the_glossary() -> None:
    entry = replace(
        SODDEN, term="Damp", text="1. A keyword ability that keeps newts wet.\n2. Old word for a wet damp newt."
    )
    context = Context(edition=CONTEXT.edition, rules=(DAMP,), glossary=(entry,))
    raw = extract_answer(parse_question("what is damp?"), extraction(question_en="what is damp?", concepts=()), context)
    assert isinstance(raw, RawVerdict)
    assert raw.citations[0].quote == "A keyword ability that keeps newts wet."


def test_of_one_rule_the_subrules_that_retrieval_found_are_quoted() -> None:
    lines = [f"A newt that is wet for {n} days may be dried by its owner." for n in ("two", "three", "four", "five")]
    long = rule("752.1", "", *lines, scores=(0.1, 0.9, 0.2, 1.0))
    assert rules_quoted("May its owner dry a wet newt?", long)[:2] == ["752.1d", "752.1b"]


def test_no_rule_takes_every_place() -> None:
    lines = [f"A newt that is wet for {n} days may be dried by its owner." for n in range(2, 10)]
    long = rule("752.1", "", *lines, scores=(1.0,) * 8)
    other = rule("753.1", "", "A wet newt may be dried by its owner.", scores=(0.9,))
    found = rules_quoted("May its owner dry a wet newt?", long, other)
    assert "753.1a" in found
    assert sum(one.startswith("752.1") for one in found) == 3


def test_a_subrule_is_quoted_to_its_deciding_end() -> None:
    line = "Newts are dried in a two-part process. " + "First, each owner dries the newts they like best. " * 8
    line += "Second, all newts left are dried by anyone."
    context = Context(edition=CONTEXT.edition, rules=(rule("752.1", "", line, scores=(1.0,)),))
    raw = extract_answer(parse_question("In what order are newts dried?"), extraction(), context)
    assert isinstance(raw, RawVerdict)
    assert raw.citations[0].quote == line


@pytest.mark.parametrize(
    "whole",
    [
        "It says “Dry a newt. Then wet it.” to you.",
        '"Dry it. Wet it." is its text.',
        "It is wet (unless dried. By you).",
    ],
)
def test_no_sentence_ends_inside_quotation_marks_or_brackets(whole: str) -> None:
    line = f"A newt is wet. {whole} Newts sleep."
    assert [line[span.start : span.end] for span in sentences(line)] == ["A newt is wet.", whole, "Newts sleep."]


def test_every_piece_of_an_example_says_that_it_is_one() -> None:
    line = "Example: " + "A newt is dried by its owner while it sleeps in the pond. " * 20
    pieces = passages_of(line)
    assert pieces
    assert all(piece.text.startswith("Example:") and piece.is_example for piece in pieces)


def test_a_rule_asked_for_by_number_is_quoted_first_and_alone() -> None:
    chunk = RuleChunk(
        parse_rule_id("702.5"),
        "Keywords",
        "Glow",
        "702.5. Glow\n702.5a Glow is a static ability of lamps.\n702.5b A lamp with glow may be seen by every player.",
        (
            Leaf(parse_rule_id("702.5a"), "Glow is a static ability of lamps."),
            Leaf(parse_rule_id("702.5b"), "A lamp with glow may be seen by every player."),
        ),
    )
    asked, only = rules_asked_for("what does 702.5b say?", [chunk])
    assert [(one.rule, one.passage.text) for one in asked] == [
        ("702.5b", "A lamp with glow may be seen by every player.")
    ]
    assert only
    assert not rules_asked_for("does 702.5b matter when the lamp is stolen", [chunk])[1]
    assert rules_asked_for("what does 999.9z say?", [chunk])[0] == ()


def test_a_number_that_no_rule_has_is_said_and_what_is_nearest_quoted() -> None:
    chunks = (DAMP, TOKEN)
    for number, nearest in (("750.1z", "750.1, 750.1d"), ("750.99", "750.1")):
        absent = absent_rules([RuleId(number)], {one.id: one for one in chunks})
        context = Context(edition=CONTEXT.edition, rules=chunks, absent=absent)
        raw = extract_answer(parse_question(f"what does rule {number} say?"), extraction(), context)
        assert isinstance(raw, RawVerdict)
        made = validate(raw, context, Source.CR)
        assert made.answer.startswith(
            f"The rules of {CONTEXT.edition} have no rule {number}. Nearest to it: {nearest}. {PHRASES['en'].opening}"
        )
        assert made.citations
        assert {parent_of(one.id) for one in made.citations if isinstance(one, RuleCitation)} == {"750.1"}
