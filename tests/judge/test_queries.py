from __future__ import annotations

from datetime import date
from uuid import UUID

from judge.queries import Asked, by_relevance, headings_in, keyword_rules, queries_of
from judge.values import (
    Card,
    CardId,
    CardSpan,
    CategoryKey,
    Exchange,
    Extraction,
    Face,
    Question,
    Resolved,
    RuleId,
    Ruling,
    RulingKey,
    Rung,
)

CARD = CardId(UUID(int=1))
HEADINGS = {
    "trample": RuleId("702.19"),
    "first strike": RuleId("702.7"),
    "strike": RuleId("701.99"),
    "sacrifice": RuleId("701.21"),
    "exert": RuleId("701.43"),
}


def ruling(key: str, text: str) -> Ruling:
    return Ruling(CARD, RulingKey(key), date(2026, 1, 1), "wotc", text)


def resolved(text: str) -> Resolved:
    card = Card(CARD, "Glass Heron", "normal", (Face(0, "Glass Heron", "{1}{U}", "Creature — Bird", text),))
    return Resolved(CardSpan("heron"), card, Rung.SHORT)


def extraction(english: str = "", *concepts: str) -> Extraction:
    return Extraction(
        spans=(), question_en=english, concepts=concepts, sections=(), primary=CategoryKey("other"), secondary=()
    )


def test_every_concept_is_a_query_of_its_own_and_no_text_is_asked_twice() -> None:
    question = Question(text="does it die?")
    made = queries_of(question, extraction("does it die?", "state-based actions", "lethal damage"), [], [])
    assert [(query.asked, query.name, query.text) for query in made] == [
        (Asked.QUESTION, "question 1", "does it die?"),
        (Asked.CONCEPT, "concept 1", "state-based actions"),
        (Asked.CONCEPT, "concept 2", "lethal damage"),
    ]


def test_a_follow_up_is_searched_with_what_it_refers_to() -> None:
    question = Question(text="and if it has trample?", history=(Exchange("can the heron block?", "Yes."),))
    made = queries_of(question, extraction("and if it has trample?"), [], [])
    assert any(query.asked is Asked.HISTORY and "heron" in query.text and "trample" in query.text for query in made)


def test_oracle_texts_and_the_first_two_rulings_of_a_card_are_queries() -> None:
    rulings = [ruling("a", "first"), ruling("b", "second"), ruling("c", "third")]
    made = queries_of(Question(text="q"), extraction("q"), [resolved("Flying")], [rulings])
    assert [query.text for query in made] == ["q", "Flying", "first", "second"]


def test_a_card_without_text_makes_no_query() -> None:
    assert [query.text for query in queries_of(Question(text="q"), extraction(), [resolved("")], [()])] == ["q"]


def test_the_ruling_that_shares_rare_words_comes_first() -> None:
    rulings = [
        ruling("a", "Glass Heron can block a creature that was cast face down."),
        ruling("b", "If Glass Heron leaves the battlefield, the exiled card returns."),
        ruling("c", "Glass Heron sees its own death."),
    ]
    first, *_ = by_relevance(rulings, "does the exiled card come back when glass heron dies")
    assert first.key == "b"


def test_rulings_that_share_nothing_keep_their_order() -> None:
    rulings = [ruling("a", "one"), ruling("b", "two")]
    assert by_relevance(rulings, "zebra") == tuple(rulings)


def test_headings_are_found_inflected_and_the_longest_wins() -> None:
    text = "I sacrificed a first-strike creature that tramples"
    assert headings_in(text, HEADINGS) == ("701.21", "702.7", "702.19")


def test_a_word_that_only_contains_a_heading_names_nothing() -> None:
    assert headings_in("an exertion would untrample the restrike", HEADINGS) == ()


def test_keywords_of_a_card_lead_to_their_rules_and_ability_words_to_none() -> None:
    assert keyword_rules(["Trample", "Landfall", "First strike", "Trample"], HEADINGS) == ("702.19", "702.7")


def test_the_rewording_is_asked_with_cards_named_by_kind_and_sentence_by_sentence() -> None:
    english = "I attack with Glass Heron today. Does the heron's trigger still happen?"
    made = {
        query.name: query.text for query in queries_of(Question(text="q"), extraction(english), [resolved("")], [()])
    }
    assert made["typed 1"] == "I attack with creature today. Does the creature trigger still happen?"
    assert made["sentence 2"] == "Does the creature trigger still happen?"


def test_without_a_card_in_it_the_rewording_is_asked_once() -> None:
    made = queries_of(Question(text="q"), extraction("does  it die?"), [resolved("")], [()])
    assert [query.name for query in made] == ["question 1", "english 1"]
