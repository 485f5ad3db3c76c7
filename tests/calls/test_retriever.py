from __future__ import annotations

from dataclasses import fields, replace
from datetime import date
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calls.adapters.cards import card_value
from calls.adapters.legs import WEIGHTS, Weights
from calls.adapters.retriever import PostgresRetriever
from cards.models import Card, CardFace, Ruling
from curation.asked_vectors import embed_asked
from curation.models import AskedPhrase, CardNote, Category
from judge.folding import fold_name
from judge.ports import Embedder
from judge.values import (
    AbsentRule,
    Budget,
    CardSpan,
    CategoryKey,
    Exchange,
    Extraction,
    Question,
    RankedRule,
    Resolved,
    Retrieved,
    Reworded,
    RuleId,
    Rung,
)
from judge.values import Card as CardValue
from rules.embedding import embed_rules
from tests.rules.cr_text import BODY
from tests.rules.invented import WordEmbedder, load_invented

pytestmark = pytest.mark.django_db


# What the legs weigh is tuned elsewhere; here each of them counts.
EVERY_LEG = replace(WEIGHTS, **{leg.name: getattr(WEIGHTS, leg.name) or 0.5 for leg in fields(WEIGHTS)})


def extraction(english: str, *concepts: str, category: str = "other", sections: tuple[str, ...] = ()) -> Extraction:
    return Extraction(
        spans=(), question_en=english, concepts=concepts, sections=sections, primary=CategoryKey(category)
    )


def make_card(text: str, *rulings: str, keywords: tuple[str, ...] = (), number: int = 1) -> CardValue:
    name = f"Glass Heron {number}"
    row = Card.objects.create(
        oracle_id=UUID(int=number),
        name=name,
        folded=fold_name(name),
        layout="normal",
        keywords=list(keywords),
        fingerprint="x",
    )
    CardFace.objects.create(card=row, index=0, name=name, folded=row.folded, oracle_text=text)
    for at, ruling in enumerate(rulings):
        Ruling.objects.create(card=row, key=str(at), published_at=date(2026, 1, 1 + at), source="wotc", text=ruling)
    return card_value(row)


def retrieve(
    text: str,
    *cards: CardValue,
    given: Extraction | None = None,
    embedder: Embedder | None = None,
    budget: Budget = Budget(),  # noqa: B008  # frozen
    history: tuple[Exchange, ...] = (),
) -> Retrieved:
    question = Question(text=text, history=history)
    return PostgresRetriever(embedder, budget, EVERY_LEG).retrieve(
        question, given or extraction(text), [Resolved(CardSpan(card.name), card, Rung.EXACT) for card in cards]
    )


def shown(retrieved: Retrieved) -> list[str]:
    return [chunk.id for chunk in retrieved.context.rules]


def ranked(retrieved: Retrieved, rule: str) -> RankedRule:
    return next(each for each in retrieved.trace.ranked if each.id == rule)


def legs(retrieved: Retrieved, rule: str) -> set[str]:
    return {leg.leg for leg in ranked(retrieved, rule).legs}


def test_without_rules_there_is_a_context_without_rules_that_says_so() -> None:
    found = retrieve("what is a hat?")
    assert found.context.rules == ()
    assert found.trace.legs_missing == ("rules",)


def test_the_word_that_is_asked_about_leads() -> None:
    load_invented()
    found = retrieve("may a player wear a hat?")
    assert shown(found)[0] == "100.1"
    assert {"text: question 1", "text of subrules: question 1"} <= legs(found, "100.1")
    assert found.context.edition == date(2026, 3, 5)


def test_without_an_embedder_the_vector_leg_is_reported_missing_and_the_others_answer() -> None:
    load_invented()
    found = retrieve("hat")
    assert found.trace.legs_missing == ("vector: no embedder is set up",)
    assert shown(found)


def test_before_the_vectors_are_there_the_leg_is_missing_and_no_query_is_embedded() -> None:
    load_invented()
    embedder = WordEmbedder()
    found = retrieve("hat", embedder=embedder)
    assert found.trace.legs_missing == ("vector: no vectors of words yet",)
    embed_rules(embedder)
    found = retrieve("hat", embedder=embedder)
    assert found.trace.legs_missing == ()
    assert "vector: question 1" in legs(found, "100.1")


def test_vectors_of_another_model_are_never_compared() -> None:
    load_invented()
    embed_rules(WordEmbedder(model="older"))
    assert retrieve("hat", embedder=WordEmbedder(model="newer")).trace.legs_missing == (
        "vector: no vectors of newer yet",
    )


def test_every_concept_has_legs_of_its_own() -> None:
    load_invented()
    found = retrieve("qué pasa", given=extraction("what happens", "loyal things stay", "ten life"))
    assert "text: concept 1" in legs(found, "606.1")
    assert "text: concept 2" in legs(found, "119.1")


def test_a_cards_keyword_brings_its_rule_though_nobody_names_it() -> None:
    load_invented()
    found = retrieve("does it stay?", make_card("", keywords=("Glowing", "Landfall")))
    assert "keywords of the cards" in legs(found, "702.2")


def test_a_keyword_in_the_question_brings_its_rule() -> None:
    load_invented()
    assert "keywords asked" in legs(retrieve("my bird glows, so what?"), "702.2")


def test_a_rule_number_in_the_question_is_found_whatever_else_is_said() -> None:
    load_invented()
    found = retrieve("hat hat hat, but 606.1 says otherwise")
    assert shown(found)[0] == "606.1"


def test_numbers_that_are_no_rule_of_the_edition_are_never_shown() -> None:
    load_invented()
    assert "999.9" not in shown(retrieve("what does 999.9 say"))


def test_a_ruling_is_searched_for_the_rule_it_paraphrases() -> None:
    load_invented()
    card = make_card("", "A loyal thing stays.")
    assert "text: ruling 1" in legs(retrieve("what now?", card), "606.1")


def test_a_note_brings_its_rules_and_is_in_the_context() -> None:
    load_invented()
    card = make_card("")
    CardNote.objects.create(card_id=card.id, text="Trips everybody.", rules=["606.1"])
    found = retrieve("what now?", card)
    assert "notes" in legs(found, "606.1")
    assert [(note.text, note.rules) for note in found.context.notes] == [("Trips everybody.", ("606.1",))]


def test_the_rule_a_found_rule_names_comes_with_it() -> None:
    load_invented()
    assert "cross-references" in legs(retrieve("each player has a hat"), "702.2")


def test_a_glossary_term_brings_the_rule_its_entry_names() -> None:
    load_invented()
    found = retrieve("hat?")
    assert "glossary" in legs(found, "100.1")
    assert [entry.term for entry in found.context.glossary] == ["Hat"]


def test_terms_of_the_oracle_text_are_explained_too() -> None:
    load_invented()
    found = retrieve("hat?", make_card("You gain life."))
    assert [entry.term for entry in found.context.glossary] == ["Hat", "Life, Life Total"]


def test_a_category_ranks_within_its_sections_and_single_rules_count_too() -> None:
    load_invented()
    Category.objects.create(key="glow", title="Glow", sections=["702", "606.1"])
    found = retrieve("which thing glows?", given=extraction("which thing glows?", category="glow"))
    places = {
        str(each.id): next(leg.rank for leg in each.legs if leg.leg == "category")
        for each in found.trace.ranked
        if "category" in legs(found, each.id)
    }
    assert places["702.2"] == 1
    assert "606.1" in places
    assert "119.1" not in places


def test_a_huge_section_never_fills_the_budget() -> None:
    many = "".join(f"702.{number}. Things of the kind number {number}.\n\n" for number in range(3, 60))
    load_invented(body=f"{BODY}\n{many}")
    Category.objects.create(key="glow", title="Glow", sections=["702"])
    found = retrieve(
        "players start with ten life; each player has a hat",
        given=extraction("players start with ten life; each player has a hat", category="glow", sections=("702",)),
    )
    assert {"100.1", "119.1"} <= set(shown(found)[:10])


def test_a_guessed_section_is_a_soft_leg() -> None:
    load_invented()
    found = retrieve("things", given=extraction("things", sections=("606",)))
    assert "guessed sections" in legs(found, "606.1")


def test_a_follow_up_is_searched_with_what_was_asked_before() -> None:
    load_invented()
    found = retrieve("and on the second turn?", history=(Exchange("can I see through walls?", "Yes."),))
    assert "text: history 1" in legs(found, "702.2")


def test_history_in_the_context_is_bounded() -> None:
    load_invented()
    history = tuple(Exchange(f"question {number}", "long " * 500) for number in range(9))
    found = retrieve("hat", history=history, budget=Budget(history=2, history_characters=40))
    assert [each.question for each in found.context.history] == ["question 7", "question 8"]
    assert all(len(each.answer) <= 40 for each in found.context.history)


def test_no_history_is_asked_for_and_none_comes() -> None:
    load_invented()
    assert retrieve("hat", history=(Exchange("a", "b"),), budget=Budget(history=0)).context.history == ()


def test_rulings_are_bounded_per_card_most_relevant_first() -> None:
    load_invented()
    card = make_card("", "Of walls.", "Of hats and their wearers.", "Of nothing.")
    found = retrieve("who are the wearers of hats?", card, budget=Budget(rulings_per_card=1))
    assert [ruling.text for ruling in found.context.rulings] == ["Of hats and their wearers."]


def test_the_budget_shows_a_part_and_the_trace_tells_the_rest() -> None:
    load_invented()
    found = retrieve("players, hats, life, loyal things and glowing words", budget=Budget(chunks=2))
    assert len(shown(found)) == 2
    assert [each.id for each in found.trace.ranked if each.shown] == shown(found)
    assert len(found.trace.ranked) > 2
    assert {stage for stage, _ in found.trace.milliseconds} >= {"text", "read", "rank"}


def test_chunks_carry_title_heading_and_leaves() -> None:
    load_invented()
    chunk = next(each for each in retrieve("glowing").context.rules if each.id == "702.2")
    assert (chunk.section_title, chunk.heading) == ("Keyword Abilities", "Glowing")
    assert [leaf.id for leaf in chunk.leaves] == ["702.2a", "702.2b"]
    assert all(leaf.text in chunk.text for leaf in chunk.leaves)


def test_the_number_of_round_trips_does_not_grow_with_concepts() -> None:
    load_invented()
    embedder = WordEmbedder()
    embed_rules(embedder)
    retrieve("hat", embedder=embedder)
    counts = []
    for concepts in ((), ("ten life", "loyal things", "walls", "words")):
        with CaptureQueriesContext(connection) as captured:
            retrieve("hat", given=extraction("hat", *concepts), embedder=embedder)
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 16


def test_how_players_ask_leads_to_the_rule_by_words_and_by_meaning() -> None:
    load_invented()
    embedder = WordEmbedder()
    embed_rules(embedder)
    AskedPhrase.objects.create(number="702.2b", text="is my bird visible behind two walls")
    embed_asked(embedder)
    found = retrieve("is it visible behind two walls", embedder=embedder)
    assert {"asked text: question 1", "asked vector: question 1"} <= legs(found, "702.2")


def test_a_query_of_weight_zero_is_not_asked() -> None:
    load_invented()
    question = Question(text="may a player wear a hat?")
    weights = Weights(question=0.0, english=1.0)
    found = PostgresRetriever(None, weights=weights).retrieve(question, extraction("who wears a hat"), [])
    assert "text: english 1" in legs(found, "100.1")
    assert "text: question 1" not in legs(found, "100.1")


def test_a_number_no_rule_has_is_told_with_what_is_nearest_and_that_is_shown() -> None:
    load_invented()
    found = retrieve("what does rule 702.99 say, and 100.1b, and 100.1z?").context
    assert found.absent == (
        AbsentRule(RuleId("702.99"), (RuleId("702.2"),)),
        AbsentRule(RuleId("100.1z"), (RuleId("100.1"), RuleId("100.1b"))),
    )
    assert {"702.2", "100.1"} <= {chunk.id for chunk in found.rules[:3]}
    assert retrieve("what does rule 100.1b say?").context.absent == ()


def test_a_rule_reworded_after_a_ruling_is_known_and_a_renumbered_one_is_not_taken_for_one() -> None:
    older = BODY.replace("Each player has a hat. See rule 702.2.", "Each player has a cap. See rule 702.2.")
    load_invented(date(2024, 3, 5), body=older)
    load_invented(date(2025, 3, 5))
    load_invented(date(2026, 3, 5), body=BODY.replace("has a hat. See rule 702.2.", "has a hat. See rule 702.1."))
    card = make_card("Wear a hat.", "It wears a hat.")
    Ruling.objects.update(published_at=date(2024, 12, 1))
    assert retrieve("hat", card).context.reworded == (Reworded(RuleId("100.1b"), date(2025, 3, 5)),)
    Ruling.objects.update(published_at=date(2025, 6, 1))
    assert retrieve("hat", card).context.reworded == ()
