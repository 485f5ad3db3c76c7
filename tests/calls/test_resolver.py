"""The resolver and the local extractor on real Postgres, with invented cards."""

from __future__ import annotations

import uuid
from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calls.adapters.extractor import LocalExtractor, means_card
from calls.adapters.resolver import DatabaseResolver
from cards.models import Card, CardFace, PrintedName
from curation.models import CardAlias
from judge.folding import fold_name
from judge.questions import drop_invented_spans
from judge.values import Ambiguous, CardSpan, Exchange, NotFound, Question, Resolved, Rung
from rules.models import Edition, GlossaryTerm

pytestmark = pytest.mark.django_db


def add(name: str, type_line: str = "Creature — Test", *, funny: bool = False) -> Card:
    card = Card.objects.create(
        oracle_id=uuid.uuid4(), name=name, folded=fold_name(name), layout="normal", is_funny=funny, fingerprint="x"
    )
    for index, face in enumerate(name.split(" // ")):
        CardFace.objects.create(card=card, index=index, name=face, folded=fold_name(face), type_line=type_line)
    return card


@pytest.fixture(autouse=True)
def _cards() -> None:
    warden = add("Mirelight Warden")
    add("Gorse // Bramble", "Instant")
    add("Gorse", "Instant")
    add("Séraphe Aénor")
    add("Kovash, Tide Keeper", "Legendary Creature — Test")
    add("Kovash of the Deep", "Legendary Creature — Test")
    add("Vennar of Long Fields", "Legendary Creature — Test")
    add("Shelter", "Instant")
    CardAlias.objects.create(alias="dave", folded="dave", card=warden)
    PrintedName.objects.create(card=warden, name="Wächter des Moors", folded=fold_name("Wächter des Moors"), lang="de")


def one(text: str, *, exact: bool = False) -> Resolved | Ambiguous | NotFound:
    (found,) = DatabaseResolver().resolve([CardSpan(text, exact=exact)])
    return found


@pytest.mark.parametrize(
    ("text", "name", "rung"),
    [
        ("dave's", "Mirelight Warden", Rung.ALIAS_STRIPPED),
        ("mire-light warden", "Mirelight Warden", Rung.EXACT),
        ("waechter", None, None),
        ("wachter des moors", "Mirelight Warden", Rung.PRINTED),
        ("gorse", "Gorse", Rung.EXACT),
        ("bramble", "Gorse // Bramble", Rung.EXACT),
        ("seraphe aenor", "Séraphe Aénor", Rung.EXACT),
        ("vennar", "Vennar of Long Fields", Rung.SHORT),
        ("mireligt warden", "Mirelight Warden", Rung.FUZZY),
    ],
)
def test_names_are_found_in_the_database(text: str, name: str | None, rung: Rung | None) -> None:
    found = one(text)
    if name is None:
        assert not isinstance(found, Resolved)
    else:
        assert isinstance(found, Resolved)
        assert (found.card.name, found.matched_via) == (name, rung)


def test_a_short_name_of_two_legends_is_asked() -> None:
    assert isinstance(one("kovash"), Ambiguous)


def test_a_retired_nickname_names_nothing() -> None:
    from django.utils import timezone

    CardAlias.objects.update(retired_at=timezone.now())
    assert isinstance(one("dave"), NotFound)


def test_many_spans_cost_no_more_queries_than_one() -> None:
    spans = [CardSpan("gorse"), CardSpan("dave"), CardSpan("seraphe aenor")]
    with CaptureQueriesContext(connection) as single:
        DatabaseResolver().resolve(spans[:1])
    with CaptureQueriesContext(connection) as many:
        DatabaseResolver().resolve(spans)
    assert len(many) == len(single)


def test_names_are_read_out_of_a_question() -> None:
    found = LocalExtractor().extract(Question(text="does dave trigger if he blocks a mirelight warden or Kovash?"))
    assert {span.text for span in found.spans} >= {"dave", "Kovash"}


def test_an_everyday_word_is_a_card_only_with_evidence() -> None:
    assert means_card("i cast Shelter on it", "Shelter")
    assert not means_card("i shelter behind my creature", "shelter")


@pytest.fixture
def _terms() -> None:
    """An edition in which "shelter", "gorse token", "vigilance" and "swamp" are terms of the rules."""
    edition = Edition.objects.create(effective=date(2099, 1, 1), sha256="x", file_name="x.txt", is_current=True)
    for at, term in enumerate(("Shelter", "Gorse Token", "Vigilance", "Swamp")):
        GlossaryTerm.objects.create(
            edition=edition, term=term, folded=fold_name(term), text="An invented term.", position=at
        )


@pytest.mark.usefixtures("_terms")
@pytest.mark.parametrize(
    "text",
    [
        "does Shelter stop my creature tapping",
        "Can I counter a spell with Shelter?",
        "what is Shelter?",
        "Gorse Token?",
    ],
)
def test_a_term_of_the_rules_that_is_a_name_too_is_the_term(text: str) -> None:
    assert LocalExtractor().extract(Question(text=text)).spans == ()


@pytest.mark.usefixtures("_terms")
@pytest.mark.parametrize("text", ["I cast Shelter on it", "does my card Shelter tap it", "after Shelter resolves"])
def test_a_term_of_the_rules_that_is_called_a_card_is_the_card(text: str) -> None:
    assert LocalExtractor().extract(Question(text=text)).spans == (CardSpan("Shelter"),)
    assert means_card(text, "Shelter")


@pytest.mark.usefixtures("_terms")
@pytest.mark.parametrize(
    ("text", "name"), [("I control a bear and Swamp", "Swamp"), ("on détruit mon Marais", "Marais")]
)
def test_a_basic_land_is_a_card_though_its_type_is_a_term(text: str, name: str) -> None:
    card = add("Swamp", "Basic Land — Swamp")
    PrintedName.objects.create(card=card, name="Marais", folded="marais", lang="fr")
    assert LocalExtractor().extract(Question(text=text)).spans == (CardSpan(name),)


@pytest.mark.usefixtures("_terms")
def test_a_term_in_another_language_is_the_term_though_the_card_is_printed_so() -> None:
    card = add("Vigilance", "Enchantment")
    PrintedName.objects.create(card=card, name="Wachsamkeit", folded="wachsamkeit", lang="de")
    asked = "kann ich einen Zauberspruch mit Wachsamkeit neutralisieren"
    assert LocalExtractor().extract(Question(text=asked)).spans == ()
    cast = LocalExtractor().extract(Question(text="ich wirke Wachsamkeit auf meine Kreatur"))
    assert cast.spans == (CardSpan("Wachsamkeit"),)


def test_a_capitalised_unknown_name_is_surely_meant() -> None:
    found = LocalExtractor().extract(Question(text="does Zorbrax Vuundil have trample"))
    assert CardSpan("Zorbrax Vuundil", sure=True) in found.spans


def test_a_follow_up_is_about_the_cards_of_the_question_before() -> None:
    history = (
        Exchange("does dave trigger if Kovash dies?", "Yes, says Mirelight Warden."),
        Exchange("and twice?", "No."),
    )
    found = LocalExtractor().extract(Question(text="and what if he blocks?", history=history))
    assert found.spans == (CardSpan("dave"),)  # Kovash was two cards, and stays a question of then
    assert drop_invented_spans(found.spans, Question(text="and what if he blocks?", history=history)) == found.spans


@pytest.mark.parametrize("text", ["what is trample?", "can i cast two instants in one turn"])
def test_a_question_of_its_own_inherits_no_card(text: str) -> None:
    history = (Exchange("does dave trigger?", "Yes."),)
    assert LocalExtractor().extract(Question(text=text, history=history)).spans == ()


def test_a_follow_up_that_names_a_card_is_about_that_card() -> None:
    history = (Exchange("does dave trigger?", "Yes."),)
    found = LocalExtractor().extract(Question(text="and [[Gorse]]?", history=history))
    assert found.spans == ()
    found = LocalExtractor().extract(Question(text="and a Mirelight Warden?", history=()))
    assert [span.text for span in found.spans] == ["Mirelight Warden"]


def test_a_bracketed_name_of_an_earlier_question_is_carried_and_blocks_nothing() -> None:
    history = (Exchange("does [[Gorse]] resolve?", "Yes."),)
    found = LocalExtractor().extract(Question(text="why?", history=history))
    assert found.spans == (CardSpan("Gorse", exact=True),)


def test_a_face_that_is_the_short_name_of_another_card_is_offered_first() -> None:
    front = add("Umbrel // Umbrel Ascended", "Legendary Creature — Test")
    add("Umbrel, Last Ember", "Legendary Creature — Test")
    found = one("umbrel")
    assert isinstance(found, Ambiguous)
    assert found.candidates[0].id == front.oracle_id
    assert isinstance(one("Umbrel", exact=True), Resolved)


def test_a_nickname_that_is_a_word_is_taken_only_where_no_noun_or_verb_can_stand() -> None:
    CardAlias.objects.create(
        alias="anchor", folded="anchor", card=Card.objects.get(name="Mirelight Warden"), common_word=True
    )
    assert means_card("anchor with a shield out", "anchor")
    assert means_card("can he anchor my token", "anchor")
    assert not means_card("is there a anchor here", "anchor")
    assert not means_card("can i anchor the gap", "anchor")
