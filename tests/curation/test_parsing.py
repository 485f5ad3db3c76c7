from __future__ import annotations

from pathlib import Path

import pytest

from curation.parsing import parse_folder


def problems(folder: Path) -> list[str]:
    return [str(problem) for problem in parse_folder(folder).problems]


def with_file(folder: Path, name: str, text: str) -> list[str]:
    (folder / name).write_text(text, encoding="utf-8")
    return problems(folder)


def test_sound_files_have_no_problem(folder: Path) -> None:
    files = parse_folder(folder)
    assert files.problems == ()
    assert files.aliases is not None
    assert [(entry.alias, entry.common_word, entry.place.line) for entry in files.aliases] == [
        ("drake", True, 3),
        ("misty one", False, 6),
    ]


def test_an_unquoted_rule_number_keeps_its_last_zero(folder: Path) -> None:
    with_file(folder, "notes.yaml", "notes:\n- {card: X, text: t, rules: [104.10, 603.2a]}\n")
    notes = parse_folder(folder).notes
    assert notes is not None
    assert notes[0].rules == ("104.10", "603.2a")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        pytest.param("{alias: a, card: X, colour: red}", "unknown key 'colour'", id="unknown key"),
        pytest.param("{alias: a}", "'card' is missing", id="missing field"),
        pytest.param("{alias: a, card: X, common_word: maybe}", "'common_word' must be true or false", id="no bool"),
        pytest.param("{alias: 3, card: X}", "'alias' must be text; write it in quotes", id="number for text"),
        pytest.param("{alias: on, card: X}", "'alias' must be text; write it in quotes", id="yaml's idea of a bool"),
        pytest.param("{alias: [a], card: X}", "'alias' must be text", id="list for text"),
        pytest.param("{alias: '', card: X}", "'alias' is empty", id="empty"),
        pytest.param("{alias: '?!', card: X}", "has no letter or digit", id="folds to nothing"),
        pytest.param('{alias: "a\\0b", card: X}', "holds a control character", id="nul"),
        pytest.param(f"{{alias: {'a' * 201}, card: X}}", "longer than 200 characters", id="too long"),
        pytest.param("{alias: a, card: X, oracle_id: nope}", "'nope' is no UUID", id="bad oracle_id"),
        pytest.param("{alias: a, alias: b, card: X}", "'alias' stands in this entry twice", id="repeated key"),
        pytest.param("just words", "expected an entry with named fields", id="no mapping"),
    ],
)
def test_a_wrong_alias_is_told_with_its_line_and_left_out(folder: Path, entry: str, message: str) -> None:
    told = with_file(folder, "aliases.yaml", f"aliases:\n- {{alias: good, card: X}}\n- {entry}\n")
    assert len(told) == 1
    assert told[0].startswith("aliases.yaml:3: ")
    assert message in told[0]
    aliases = parse_folder(folder).aliases
    assert aliases is not None
    assert [alias.alias for alias in aliases] == ["good"]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        pytest.param("aliases: [a\n", "aliases.yaml:2", "is no valid YAML", id="broken"),
        pytest.param("- a\n", "aliases.yaml:1", "expected 'aliases' with a list", id="a list"),
        pytest.param("", "aliases.yaml", "expected 'aliases' with a list", id="empty"),
        pytest.param("aliasses: []\n", "aliases.yaml:1", "unknown key 'aliasses'; known here: 'aliases'", id="typo"),
        pytest.param("aliases: {a: b}\n", "aliases.yaml:1", "'aliases' must be a list", id="mapping"),
        pytest.param("aliases: []\naliases: []\n", "aliases.yaml:2", "stands in this file twice", id="twice"),
        pytest.param("a: 1\n---\nb: 2\n", "aliases.yaml:2", "is no valid YAML", id="two documents"),
        pytest.param("[" * 5000, "aliases.yaml", "is nested too deeply", id="deep"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_and_not_taken_for_empty(
    folder: Path, text: str, place: str, message: str
) -> None:
    told = with_file(folder, "aliases.yaml", text)
    assert len(told) == 1
    assert told[0].startswith(f"{place}: ")
    assert message in told[0]
    assert parse_folder(folder).aliases is None


def test_bytes_that_are_no_utf8_are_told(folder: Path) -> None:
    (folder / "notes.yaml").write_bytes(b"notes:\n- {card: \xe9}\n")
    assert problems(folder) == ["notes.yaml: is not UTF-8 text"]


def test_a_missing_file_is_told(folder: Path) -> None:
    (folder / "categories.yaml").unlink()
    assert problems(folder) == ["categories.yaml: there is no such file"]
    assert parse_folder(folder).categories is None


def test_an_alias_of_two_cards_is_taken_for_neither(folder: Path) -> None:
    told = with_file(folder, "aliases.yaml", "aliases:\n- {alias: ur-drake, card: X}\n- {alias: Ur Drake, card: Y}\n")
    assert told == [
        "aliases.yaml:2: the alias 'ur-drake' is claimed for different cards: X (line 2), Y (line 3);"
        " none of them is taken"
    ]
    assert parse_folder(folder).aliases == ()


def test_a_repeated_alias_of_one_card_is_taken_once(folder: Path) -> None:
    told = with_file(folder, "aliases.yaml", "aliases:\n- {alias: e-d, card: X}\n- {alias: e d, card: X}\n")
    assert told == ["aliases.yaml:3: the alias 'e d' already stands on line 2"]
    aliases = parse_folder(folder).aliases
    assert aliases is not None
    assert len(aliases) == 1


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        pytest.param("[]", "names no rule that decides it", id="none"),
        pytest.param("['603.']", "'603.' is no rule number", id="period"),
        pytest.param("['603']", "'603' is no rule number", id="section"),
        pytest.param("['603.2A']", "'603.2A' is no rule number", id="capital"),
        pytest.param("['603.2a', 603.2a]", "'603.2a' stands in 'rules' twice", id="twice"),
    ],
)
def test_a_note_needs_rule_numbers_as_the_rules_write_them(folder: Path, rules: str, message: str) -> None:
    told = with_file(folder, "notes.yaml", f"notes:\n- {{card: X, text: t, rules: {rules}}}\n")
    assert len(told) == 1
    assert message in told[0]
    assert parse_folder(folder).notes == ()


def test_a_second_note_on_a_card_and_a_second_category_of_a_key_are_refused(folder: Path) -> None:
    note = "- {card: X, text: t, rules: ['603.2']}\n"
    assert with_file(folder, "notes.yaml", f"notes:\n{note}{note}") == [
        "notes.yaml:3: the card 'X' already has an entry on line 2"
    ]
    category = "- {key: k, title: K, sections: ['603'], keywords: [w]}\n"
    assert "categories.yaml:3: the key 'k' already has an entry on line 2" in with_file(
        folder, "categories.yaml", f"categories:\n{category}{category}"
    )


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        pytest.param("{key: No Key, title: T}", "may hold small letters", id="key"),
        pytest.param("{key: k, title: T, sections: [6]}", "'6' is neither a section", id="section"),
        pytest.param("{key: k, title: T, keywords: words}", "'keywords' must be a list", id="no list"),
        pytest.param(f"{{key: k, title: {'T' * 101}}}", "longer than 100 characters", id="long title"),
    ],
)
def test_a_wrong_category_is_told(folder: Path, entry: str, message: str) -> None:
    told = with_file(folder, "categories.yaml", f"categories:\n- {entry}\n")
    assert len(told) == 1
    assert message in told[0]
