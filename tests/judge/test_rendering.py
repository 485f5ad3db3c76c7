"""Sources in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judge.rendering import card_data, label
from judge.values import (
    CardDataCitation,
    Citation,
    GlossaryCitation,
    OracleTextCitation,
    PriorCallCitation,
    RuleCitation,
    RuleId,
    RulingCitation,
)
from tests.fakes import CONTEXT, EARLIER, NEWT, NEWT_RULING, TWINS


@pytest.mark.parametrize(
    ("citation", "words"),
    [
        (RuleCitation(RuleId("750.9a"), "q"), "rule 750.9a"),
        (RulingCitation(NEWT.id, NEWT_RULING.key, "q"), "ruling on Murk Newt (2030-01-02)"),
        (OracleTextCitation(TWINS.id, 1, "q"), "Oracle text of Wet Twin"),
        (GlossaryCitation("Sodden", "q"), "glossary entry “Sodden”"),
        (CardDataCitation(NEWT.id, "q"), "card data of Murk Newt"),
        (PriorCallCitation(EARLIER.id, "q"), "earlier call 41"),
    ],
)
def test_a_label_names_the_source(citation: Citation, words: str) -> None:
    assert label(citation, CONTEXT) == words


def test_card_data_is_one_fact_a_line() -> None:
    assert card_data(NEWT) == (
        "Name: Murk Newt\n"
        "Mana cost: {2}{G}\n"
        "Type line: Creature — Newt\n"
        "Power/toughness: 2/1\n"
        "Color identity: G\n"
        "Keywords: Sogging\n"
        "Legality in commander: legal\n"
        "Legality in vintage: not legal"
    )


def test_facts_of_a_face_name_it_when_there_are_several() -> None:
    assert "Type line of Dry Twin: Creature — Twin" in card_data(TWINS).split("\n")
    assert "Color identity: colorless" in card_data(replace(TWINS, color_identity=())).split("\n")
