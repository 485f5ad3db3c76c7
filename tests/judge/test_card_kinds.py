from __future__ import annotations

import pytest

from judge.card_kinds import kind_of, sentences, with_kinds
from judge.values import Card, CardSpan, Resolved, Rung
from tests.fakes import BOLT, NEWT, TWINS, card, face


def typed(text: str, *found: tuple[str, Card]) -> str:
    return with_kinds(text, [Resolved(CardSpan(span), each, Rung.SHORT) for span, each in found])


@pytest.mark.parametrize(
    ("type_line", "kind"),
    [
        ("Legendary Creature — Newt Noble", "legendary creature"),
        ("Artifact Creature — Golem", "creature"),
        ("Legendary Planeswalker — Somebody", "legendary planeswalker"),
        ("Instant", "instant spell"),
        ("Sorcery — Lesson", "sorcery spell"),
        ("Basic Land — Swamp", "land"),
        ("Artifact — Equipment", "equipment"),
        ("Legendary Artifact — Vehicle", "vehicle"),
        ("Enchantment — Aura", "aura"),
        ("Enchantment — Saga", "saga"),
        ("Legendary Artifact", "artifact"),
        ("Enchantment", "enchantment"),
        ("Conspiracy", "card"),
        ("", "card"),
    ],
)
def test_a_card_is_called_what_players_call_its_kind(type_line: str, kind: str) -> None:
    assert kind_of(card(9, "Thing", face("Thing", type_line=type_line))) == kind


def test_names_spans_and_faces_are_replaced_and_the_rest_stays() -> None:
    text = "If Murk Newt blocks Dry Twin, can I thunder it with Thunder Bolt?"
    found = typed(text, ("murk", NEWT), ("dry twin", TWINS), ("bolt", BOLT))
    assert found == "If creature blocks creature, can I thunder it with instant spell?"


@pytest.mark.parametrize("written", ["Murk Newts", "murk newt's", "MURK NEWT’S", "[[Murk Newt]]"])
def test_plural_possessive_case_and_brackets_are_folded(written: str) -> None:
    assert typed(f"do {written} die", ("newt", NEWT)) == "do creature die"


def test_the_longest_name_goes_first_and_nothing_is_replaced_twice() -> None:
    creature = card(8, "Creature", face("Creature", type_line="Land"))
    assert typed("Murk Newt and Creature", ("Newt", NEWT), ("Creature", creature)) == "creature and land"


def test_without_cards_the_words_stay_as_they_are() -> None:
    assert typed("does  it\ndie?") == "does it die?"


def test_a_name_inside_a_word_is_left_alone() -> None:
    assert typed("newtonian", ("newt", NEWT)) == "newtonian"


def test_sentences_are_given_when_there_are_two_that_say_something() -> None:
    assert sentences("I attack with a creature. It dies before damage! Now?") == (
        "I attack with a creature.",
        "It dies before damage!",
    )
    assert sentences("I attack with a creature. Now?") == ()
