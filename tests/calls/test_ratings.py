"""Ratings, the examples they allow, and calls that are retired and come back."""

from __future__ import annotations

from datetime import date
from uuid import UUID

import pytest

from calls.adapters.examples import prior_calls, remember
from calls.adapters.store import PostgresCallStore, card_texts
from calls.models import Call, CallVector, Rating
from calls.ratings import NoSuchCall, approve, rate, withdraw
from calls.rechecking import Rechecked, recheck_calls
from cards.models import Card, CardFace
from judge.ratings import Rated
from judge.values import CategoryKey, Extraction, Question
from rules.embedding import embed_rules
from tests.calls.replies import OWL, answered, extractive
from tests.rules.cr_text import BODY
from tests.rules.invented import WordEmbedder, load_invented

pytestmark = pytest.mark.django_db

MARCH, APRIL, MAY = date(2026, 3, 5), date(2026, 4, 9), date(2026, 5, 14)


def extraction(english: str = "what?", category: str = "triggers") -> Extraction:
    return Extraction(spans=(), question_en=english, concepts=(), sections=(), primary=CategoryKey(category))


def saved(door: str = "web") -> int:
    return PostgresCallStore().save(Question(text="Does the owl look?", door=door), extraction(), answered())


def examples(category: str = "triggers") -> list[int]:
    return [call.id for call in prior_calls(extraction(category=category), [OWL], None, 5)]


def test_only_a_rated_call_becomes_an_example() -> None:
    call = saved()
    assert examples() == []

    rate(call, "discord:1", Rated.CORRECT)

    assert examples() == [call]
    assert examples(category="combat") == []
    assert prior_calls(extraction(), [], None, 5) == ()


def test_an_approved_call_serves_until_a_judge_calls_it_incorrect() -> None:
    call = saved()
    approve(call)
    assert examples() == [call]

    rate(call, "user:7", Rated.INCORRECT, is_judge=True)

    assert examples() == []


def test_agents_and_extractive_answers_never_serve() -> None:
    plain = PostgresCallStore().save(Question(text="?"), extraction(), extractive())
    for call in (saved(door="agent"), plain):
        rate(call, "user:7", Rated.CORRECT, is_judge=True)

    assert examples() == []


def test_rating_again_replaces_and_one_person_counts_once() -> None:
    call = saved()
    rate(call, "discord:1", Rated.INCORRECT)
    stands = rate(call, "discord:1", Rated.CORRECT)

    assert (stands.votes, stands.score) == (1, 2.25)
    assert Rating.objects.count() == 1


def test_who_leaves_takes_the_ratings_along() -> None:
    calls = [saved(), saved()]
    for call in calls:
        rate(call, "discord:1", Rated.CORRECT)
    rate(calls[0], "discord:2", Rated.CORRECT)

    assert withdraw("discord:1") == 2
    assert examples() == [calls[0]]
    assert withdraw("discord:1") == 0


def test_a_call_that_is_not_there_cannot_be_rated() -> None:
    with pytest.raises(NoSuchCall, match="no call 404"):
        rate(404, "discord:1", Rated.CORRECT)


def test_the_nearest_question_comes_first() -> None:
    load_invented(MARCH)
    embedder = WordEmbedder()
    embed_rules(embedder)
    store = PostgresCallStore(embedder)
    asked = ("hat and wall", "life", "hat")
    calls = {text: store.save(Question(text=text), extraction(text), answered()) for text in asked}
    for call in calls.values():
        rate(call, "discord:1", Rated.CORRECT)

    found = prior_calls(extraction("where is my hat"), [OWL], embedder, 2)

    assert [call.question for call in found] == ["hat", "hat and wall"]


def test_no_vector_is_kept_before_rules_have_any() -> None:
    remember(saved(), "hat", WordEmbedder())

    assert not CallVector.objects.exists()


def stored_call(quote: str, rule: str, answer: str = "So it is.", edition: date = MARCH, **fields: object) -> Call:
    return Call.objects.create(
        kind=Call.Kind.ANSWER,
        question="?",
        answer=answer,
        confidence="high",
        category="triggers",
        source="cr",
        answer_language="en",
        citations=[{"kind": "rule", "id": rule, "quote": quote}],
        edition=edition,
        door="web",
        **fields,
    )


def test_a_call_is_retired_when_its_quote_is_gone_and_comes_back_with_it() -> None:
    load_invented(MARCH)
    call = stored_call("Players start with ten life.", "119.1")
    assert recheck_calls() == Rechecked(checked=1)

    load_invented(APRIL, body=BODY.replace("with ten life", "with nine life"))
    assert recheck_calls() == Rechecked(checked=1, retired=1)
    call.refresh_from_db()
    assert call.retired_at is not None
    assert call.retired_because == "citation 1: rule 119.1 no longer says what was quoted"
    assert recheck_calls() == Rechecked(checked=1)

    load_invented(MAY)
    assert recheck_calls() == Rechecked(checked=1, restored=1)
    call.refresh_from_db()
    assert call.retired_at is None
    assert call.retired_because == ""


def test_a_rule_that_only_moved_takes_citation_quote_and_prose_along() -> None:
    load_invented(MARCH)
    call = stored_call("Players start with ten life.", "119.1", answer="By 119.1 you have ten [1].")
    moved = BODY.replace("119.1. Players start", "119.1. Life is good.\n\n119.2. Players start")
    load_invented(APRIL, body=moved)

    assert recheck_calls() == Rechecked(checked=1, renumbered=1)

    call.refresh_from_db()
    assert call.citations[0]["id"] == "119.2"
    assert call.answer == "By 119.2 you have ten [1]."
    assert (call.edition, call.cited_edition) == (MARCH, APRIL)
    assert recheck_calls() == Rechecked(checked=1)


def test_a_changed_card_text_retires_the_call() -> None:
    load_invented(MARCH)
    row = Card.objects.create(
        oracle_id=OWL.id, name=OWL.name, folded="pellona", layout="normal", keywords=[], fingerprint="x"
    )
    printed = OWL.faces[0]
    face = CardFace.objects.create(
        card=row,
        index=0,
        name=printed.name,
        folded="pellona",
        mana_cost=printed.mana_cost,
        type_line=printed.type_line,
        oracle_text=printed.oracle_text,
        power=printed.power,
        toughness=printed.toughness,
    )
    call = stored_call("Players start with ten life.", "119.1", card_texts=card_texts([OWL]))
    assert recheck_calls() == Rechecked(checked=1)

    face.oracle_text = "Flying"
    face.save()

    assert recheck_calls().retired == 1
    call.refresh_from_db()
    assert call.retired_because == "the text of Pellona, Lantern Owl has changed"


def test_a_citation_of_a_card_that_is_gone_says_so() -> None:
    load_invented(MARCH)
    call = stored_call("Each player has a hat.", "100.1b", card_texts={str(UUID(int=9)): "0123"})

    assert recheck_calls().retired == 1
    call.refresh_from_db()
    assert call.retired_because == f"the card {UUID(int=9)} is gone"


def test_without_rules_nothing_is_retired() -> None:
    stored_call("Players start with ten life.", "119.1")

    assert recheck_calls() == Rechecked()
