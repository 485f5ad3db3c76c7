from __future__ import annotations

import pytest

from rules.glossary import ability_words, parse_glossary, term_forms


@pytest.mark.parametrize(
    ("term", "forms"),
    [
        pytest.param("Hat", ("Hat",), id="plain"),
        pytest.param("Hat, Hatted", ("Hat", "Hatted"), id="comma"),
        pytest.param("Hat, “Hats with Other”", ("Hat", "Hats with Other"), id="quoted"),
        pytest.param("Hat, “Hat—[text],” “Hat with [name]”", ("Hat", "Hat—[text]", "Hat with [name]"), id="two-quoted"),
        pytest.param(
            "Take Off, Taken, Taken-Off Hat (Obsolete)", ("Take Off", "Taken", "Taken-Off Hat"), id="obsolete"
        ),
        pytest.param("Intervening “Hat” Clause", ("Intervening “Hat” Clause",), id="quotes-inside"),
    ],
)
def test_forms_a_term_lists(term: str, forms: tuple[str, ...]) -> None:
    assert term_forms(term) == forms


def test_obsolete_terms_are_marked_and_keep_their_name() -> None:
    (entry,), _ = parse_glossary(["Old Hat (Obsolete)", "Once said for hat."])
    assert entry.is_obsolete
    assert entry.term == "Old Hat (Obsolete)"


def test_numbered_paragraphs_after_a_blank_line_belong_to_the_entry_above() -> None:
    entries, warnings = parse_glossary(["Life", "1. What one has.", "", "2. What one loses.", "", "Hat", "Worn."])
    assert [(entry.term, entry.text) for entry in entries] == [
        ("Life", "1. What one has.\n2. What one loses."),
        ("Hat", "Worn."),
    ]
    assert len(warnings) == 1


def test_blank_line_between_a_term_and_its_text() -> None:
    (entry,), _ = parse_glossary(["Hat", "", "What each player wears."])
    assert entry.text == "What each player wears."


def test_term_that_stands_twice_is_one_entry_with_both_texts() -> None:
    (entry,), warnings = parse_glossary(["Hat", "Worn.", "", "Hat", "Also thrown."])
    assert entry.text == "Worn.\nAlso thrown."
    assert "twice" in warnings[0]


def test_term_without_a_definition_is_named() -> None:
    _, warnings = parse_glossary(["Hat"])
    assert warnings == ("Glossary: 'Hat' has no definition.",)


def test_ability_words_end_at_the_last_of_the_list() -> None:
    text = (
        "Ability words mean nothing. The ability words are glow, hat’s dilemma, shine 4, and will of the hat. "
        "These words, and others, are fine."
    )
    assert ability_words(text) == ("glow", "hat’s dilemma", "shine 4", "will of the hat")


def test_text_without_the_list_has_no_ability_words() -> None:
    assert ability_words("Abilities have words.") == ()
