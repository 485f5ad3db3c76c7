"""Calls as they are kept, and the history read back from them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import F

from calls.adapters.store import HISTORY_EXCHANGES, PostgresCallStore, citation_json
from calls.models import Call
from judge.values import (
    CallId,
    CardDataCitation,
    CategoryKey,
    Exchange,
    Extraction,
    GlossaryCitation,
    PriorCallCitation,
    Question,
)
from tests.calls.replies import OWL, answered, extractive

EXTRACTION = Extraction(
    spans=(), question_en="what?", concepts=(), sections=(), primary=CategoryKey("triggers"), answer_language="fr"
)


def save(text: str, thread: str = "") -> CallId:
    return PostgresCallStore().save(Question(text=text, door="web", thread=thread), EXTRACTION, answered())


@pytest.mark.django_db
def test_a_call_keeps_all_that_explains_it() -> None:
    call = Call.objects.get(pk=save("Does the owl look?", "t"))

    assert (call.kind, call.confidence, call.category) == ("answer", "high", "triggers")
    assert (call.question, call.door, call.thread, call.answer_language) == ("Does the owl look?", "web", "t", "fr")
    assert call.cards == [OWL.id]
    assert call.edition.isoformat() == "2031-02-03"
    assert [one["kind"] for one in call.citations] == ["rule", "ruling", "oracle_text"]
    assert call.citations[0] == {
        "kind": "rule",
        "id": "113.7a",
        "quote": "A triggered ability stays on the stack without its source.",
    }
    assert call.context["rules"] == ["113.7"]
    assert call.context["rulings"] == [{"card": str(OWL.id), "key": "abcdef0123456789"}]
    assert call.trace["ranked"] == [
        {"id": "113.7", "score": 1.5, "legs": [{"leg": "text", "rank": 1, "score": 7.25}], "shown": True}
    ]
    assert call.trace["milliseconds"] == {"extract": 1.5}


@pytest.mark.django_db
def test_an_extractive_answer_is_marked_as_one() -> None:
    call = PostgresCallStore().save(Question(text="?"), EXTRACTION, extractive())

    assert Call.objects.get(pk=call).kind == "extractive"


@pytest.mark.parametrize(
    ("citation", "stored"),
    [
        (GlossaryCitation("Ability", "text"), {"kind": "glossary", "term": "Ability", "quote": "text"}),
        (CardDataCitation(OWL.id, "2/1"), {"kind": "card_data", "card": str(OWL.id), "quote": "2/1"}),
        (PriorCallCitation(CallId(3), "Yes."), {"kind": "prior_call", "id": 3, "quote": "Yes."}),
    ],
)
def test_every_kind_of_citation_is_stored_with_what_it_names(citation: object, stored: object) -> None:
    assert citation_json(citation) == stored  # type: ignore[arg-type]  # one of the union, by parametrisation


@pytest.mark.django_db
def test_history_is_the_last_exchanges_of_the_thread_oldest_first() -> None:
    for number in range(HISTORY_EXCHANGES + 2):
        save(f"question {number}", "mine")
    save("somebody else's", "theirs")

    history = PostgresCallStore().history("mine")

    assert [exchange.question for exchange in history] == [f"question {number}" for number in range(2, 7)]
    assert history[-1] == Exchange("question 6", answered().verdict.answer)


@pytest.mark.django_db
def test_history_forgets_after_two_hours() -> None:
    save("old", "mine")
    Call.objects.update(asked_at=F("asked_at") - timedelta(hours=2, seconds=1))
    save("new", "mine")

    assert [exchange.question for exchange in PostgresCallStore().history("mine")] == ["new"]


@pytest.mark.django_db
def test_no_thread_has_no_history() -> None:
    save("a question outside any thread")

    assert PostgresCallStore().history("") == ()
