from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.values import parent_of
from rules.errors import NotComprehensiveRules
from rules.parsed import ParsedEdition, ParsedSubrule
from rules.parser import parse_edition
from tests.rules.cr_text import BODY, CONTENTS, EFFECTIVE, GLOSSARY, cr_bytes, cr_text

COUNTS = {
    "sections": 3,
    "subsections": 5,
    "rules": 5,
    "subrules": 4,
    "examples": 2,
    "with_examples": 1,
    "continuation_lines": 0,
    "glossary": 3,
    "glossary_obsolete": 1,
    "credits": 2,
}


def line_of(edition: ParsedEdition, number: str) -> str:
    return next(line.text for line in edition.lines() if line.number == number)


def test_an_edition_is_read_whole() -> None:
    edition = parse_edition(cr_bytes())
    assert edition.effective == date(2026, 3, 5)
    assert edition.counts() == COUNTS
    assert edition.warnings == ()
    assert not edition.is_sample


def as_published_in_2026(text: str) -> str:
    """No byte order mark; blank lines hold a no-break space; U+2028 within a glossary entry."""
    text = text.replace("\n\n", "\n\xa0\n")
    return text.replace("has.\n2. What", "has.\u20282. What").replace("loses.\nSee", "loses.\u2028See")


def mixed(text: str) -> str:
    """A lone carriage return ends most lines, CRLF and LF some (LF no blank one: after CR it would be CRLF)."""
    ends = ["\r", "\r", "\r\n", "\r", "\n"]
    lines = enumerate(text.split("\n"))
    return "".join(line + (ends[place % 5] if line else "\r") for place, line in lines)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(cr_text().encode("utf-8-sig"), id="byte-order-mark"),
        pytest.param(cr_text().replace("\n", "\r\n").encode(), id="crlf"),
        pytest.param(cr_text().replace("\n", "\r").encode(), id="lone-cr"),
        pytest.param(mixed(cr_text()).encode("utf-8-sig"), id="mixed"),
        pytest.param(as_published_in_2026(cr_text()).encode(), id="no-break-space-blank-lines-and-u2028"),
        pytest.param(cr_text().encode("cp1252"), id="cp1252"),
        pytest.param(cr_text().replace("\n\n", "\n\n\n").encode(), id="doubled-blank-lines"),
        pytest.param(cr_text().replace(".\n", ". \n").encode(), id="trailing-spaces"),
    ],
)
def test_every_way_of_publishing_reads_the_same(data: bytes) -> None:
    edition = parse_edition(data)
    assert edition == parse_edition(cr_bytes())


def test_cp1252_is_not_read_as_its_central_european_sister() -> None:
    body = BODY.replace("The game is for two players.", "A player’s “hat” — ñ, ò and £ — costs 5.")
    edition = parse_edition(cr_text(body=body).encode("cp1252"))
    assert line_of(edition, "100.1") == "A player’s “hat” — ñ, ò and £ — costs 5."


@pytest.mark.parametrize(
    ("written", "number", "text"),
    [
        pytest.param("119.1. Players start with ten life.", "119.1", "Players start with ten life.", id="rule"),
        pytest.param("119.1 Players start.", "119.1", "Players start.", id="rule-without-its-period"),
        pytest.param("119.1.All players start.", "119.1", "All players start.", id="no-space-after-the-period"),
    ],
)
def test_odd_punctuation_after_a_rule_number(written: str, number: str, text: str) -> None:
    edition = parse_edition(cr_bytes(body=BODY.replace("119.1. Players start with ten life.", written)))
    assert line_of(edition, number) == text
    assert edition.warnings == ()


def test_subrule_with_a_period_after_its_letter() -> None:
    edition = parse_edition(cr_bytes(body=BODY.replace("100.1b Each", "100.1b. Each")))
    assert line_of(edition, "100.1b") == "Each player has a hat. See rule 702.2."
    assert edition.warnings == ()


def test_lettered_rules_need_no_period() -> None:
    assert line_of(parse_edition(cr_bytes()), "100.1a") == "Each player sits."


def test_aa_follows_z_and_l_and_o_are_skipped() -> None:
    letters = [*"abcdefghijkmnpqrstuvwxyz", "aa", "ab"]
    lettered = "\n\n".join(f"119.1{letter} Text {letter}." for letter in letters)
    body = BODY.replace("ten life.\n", f"ten life.\n\n{lettered}\n")
    edition = parse_edition(cr_bytes(body=body))
    life = next(rule for rule in edition.rules if rule.number == "119.1")
    assert [sub.number for sub in life.subrules] == [f"119.1{letter}" for letter in letters]
    assert edition.warnings == ()


def test_examples_belong_to_the_line_above_them() -> None:
    subrule = parse_edition(cr_bytes()).rules[0].subrules[0]
    assert subrule.examples == ("Example: Ana sits on a chair.", "Example: Ben sits on a bench.")
    assert subrule.body == "Each player sits.\nExample: Ana sits on a chair.\nExample: Ben sits on a bench."


def test_example_after_a_blank_line_still_belongs_to_the_subrule_above() -> None:
    body = BODY.replace("through walls.\n", "through walls.\n\nExample: Ana sees it.\n")
    edition = parse_edition(cr_bytes(body=body))
    assert edition.rules[-1].subrules[-1].examples == ("Example: Ana sees it.",)
    assert edition.warnings == ()


@pytest.mark.parametrize("joint", ["\n", "\n  ", "\u2028\xa0\xa0\xa0\xa0 "], ids=["lf", "indented", "u2028"])
def test_second_paragraph_without_a_number_goes_on_with_the_subrule(joint: str) -> None:
    body = BODY.replace("a hat. See", f"a hat.{joint}Some hats are red. See")
    edition = parse_edition(cr_bytes(body=body))
    assert line_of(edition, "100.1b") == "Each player has a hat.\nSome hats are red. See rule 702.2."
    assert edition.counts()["continuation_lines"] == 1
    assert edition.warnings == ()


def test_continuation_line_before_an_example() -> None:
    body = BODY.replace("player sits.\nExample: Ana", "player sits.\n    Sitting is easy.\nExample: Ana")
    first = parse_edition(cr_bytes(body=body)).rules[0].subrules[0]
    assert first.text == "Each player sits.\nSitting is easy."
    assert len(first.examples) == 2


def test_example_that_goes_on_in_a_second_line() -> None:
    body = BODY.replace("on a bench.", "on a bench.\u2028It is his own.")
    first = parse_edition(cr_bytes(body=body)).rules[0].subrules[0]
    assert first.examples[1] == "Example: Ben sits on a bench.\nIt is his own."


def test_wrapped_cross_reference_starts_no_rule() -> None:
    body = BODY.replace("See rule 702.2.", "See rules\n702.2b and others.")
    edition = parse_edition(cr_bytes(body=body))
    assert line_of(edition, "100.1b").endswith("See rules\n702.2b and others.")
    assert line_of(edition, "702.2b").startswith("A thing that glows")


def test_numbered_line_in_the_glossary_is_no_section() -> None:
    edition = parse_edition(cr_bytes())
    life = edition.glossary[1]
    assert life.text == "1. What a player has.\n2. What a player loses.\nSee rule 119, “Life.”"
    assert [section.number for section in edition.sections] == ["1", "100", "119", "6", "600", "606", "7", "702"]


def test_contents_give_no_rows() -> None:
    titles = [section.title for section in parse_edition(cr_bytes()).sections]
    assert len(titles) == len(set(titles)) + 1  # "General" heads two subsections
    assert all(title != "Glossary" for title in titles)


def test_section_without_a_rule() -> None:
    edition = parse_edition(cr_bytes())
    assert not [rule for rule in edition.rules if rule.section == "600"]
    assert edition.warnings == ()


def test_heading_is_a_short_line_without_a_period_that_has_subrules() -> None:
    headings = {rule.number: rule.heading for rule in parse_edition(cr_bytes()).rules}
    assert headings == {"100.1": "", "119.1": "", "606.1": "", "702.1": "", "702.2": "Glowing"}


@pytest.mark.parametrize("heading", ["Glow Your Lamps!", "∞ (Infinity)", "Glow—[text]"])
def test_heading_with_a_mark_at_its_end(heading: str) -> None:
    edition = parse_edition(cr_bytes(body=BODY.replace("702.2. Glowing", f"702.2. {heading}")))
    assert edition.rules[-1].heading == heading


def test_short_sentence_and_list_opener_are_no_headings() -> None:
    for text in ("It glows.", "There are two ways:", "It is called “glow.”"):
        edition = parse_edition(cr_bytes(body=BODY.replace("702.2. Glowing", f"702.2. {text}")))
        assert edition.rules[-1].heading == ""


def test_body_of_a_rule_holds_everything_under_it() -> None:
    assert parse_edition(cr_bytes()).rules[-1].body == (
        "Glowing\n702.2a Glowing is a static ability.\n702.2b A thing that glows can be seen through walls."
    )


@pytest.mark.parametrize(
    ("name", "warned"),
    [
        pytest.param("MagicCompRules 20260305.txt", False, id="agrees"),
        pytest.param("MagicCompRules_20260305.txt", False, id="underscore"),
        pytest.param("rules.txt", False, id="no-date"),
        pytest.param("MagicCompRules 20260319.txt", True, id="reissued-under-the-old-date"),
        pytest.param("MagicCompRules 202603054.txt", True, id="nine-digits"),
    ],
)
def test_date_comes_from_the_text_and_the_name_is_only_checked(name: str, *, warned: bool) -> None:
    edition = parse_edition(cr_bytes(), name)
    assert edition.effective == date(2026, 3, 5)
    assert [name in warning for warning in edition.warnings] == [True] * warned


def test_gap_in_the_numbering_is_a_warning() -> None:
    edition = parse_edition(cr_bytes(body=BODY.replace("702.2a Glowing is a static ability.\n\n", "")))
    assert [warning.split(": ")[1] for warning in edition.warnings] == ["702.2b does not follow 702.2."]


def test_number_that_stands_twice_loses_no_text() -> None:
    body = BODY.replace("through walls.\n", "through walls.\n\n702.2b It also hums.\n")
    edition = parse_edition(cr_bytes(body=body))
    assert line_of(edition, "702.2b") == "A thing that glows can be seen through walls.\n702.2b It also hums."
    assert len(edition.warnings) == 1


def test_subrule_whose_rule_is_missing_is_kept_and_warned_of() -> None:
    edition = parse_edition(cr_bytes(body=BODY.replace("702.2. Glowing\n\n", "")))
    assert edition.rules[-1].subrules[0] == ParsedSubrule(
        edition.rules[-1].subrules[0].number, "Glowing is a static ability."
    )
    assert "702.2 has subrules but does not stand in the file itself." in edition.warnings


def test_lines_that_belong_to_nothing_are_named() -> None:
    body = BODY.replace("600. General\n", "600. General\n\nNothing here.\n\nExample: None.\n")
    warnings = parse_edition(cr_bytes(body=body)).warnings
    assert len(warnings) == 2
    assert "'Nothing here.'" in warnings[0]


def test_heading_worded_otherwise_than_in_the_contents() -> None:
    edition = parse_edition(cr_bytes(body=BODY.replace("606. Loyalty", "606. Being Loyal")))
    assert "606 is 'Being Loyal' here and 'Loyalty' above" in edition.warnings[0]


def test_sample_says_so_before_its_date() -> None:
    effective = f"Sample data: an invented game.\n\n{EFFECTIVE}"
    assert parse_edition(cr_bytes(effective=effective)).is_sample


def test_file_that_stops_without_a_line_end() -> None:
    assert parse_edition(cr_bytes().rstrip(b"\n")).warnings == (
        "The file does not end in a line end; its last credits paragraph may be cut off.",
    )


WHOLE = cr_bytes()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b" \r\n\n", "empty", id="blank"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00", "neither UTF-8 nor cp1252|binary", id="binary"),
        pytest.param(b"\x1f\x8b\x08\x00" + bytes(range(256)), "binary|neither", id="gzip"),
        pytest.param(cr_text().encode("utf-16"), "binary|neither", id="utf-16"),
        pytest.param(b"<!DOCTYPE html><title>404</title>", "begins '<!DOCTYPE html>", id="html-page"),
        pytest.param(b"Tournament Rules\n\nEffective today\n", "begins 'Tournament Rules'", id="other-document"),
        pytest.param(cr_bytes(effective="Valid from March."), "effective as of", id="no-date"),
        pytest.param(cr_bytes(effective=EFFECTIVE.replace("March 5", "March 35")), "its date is none", id="bad-date"),
        pytest.param(WHOLE[: WHOLE.index(b"606. Loyalty")], "before the end of the contents", id="cut-in-contents"),
        pytest.param(WHOLE[: WHOLE.index(b"702.2b A thing")], "before the glossary", id="cut-in-body"),
        pytest.param(WHOLE[: WHOLE.index(b"Old Hat (O")], "before the credits", id="cut-in-glossary"),
        pytest.param(WHOLE[: WHOLE.index(b"Written for")], "before the text of the credits", id="cut-before-credits"),
        pytest.param(
            cr_text().encode()[: cr_text().encode().index("“Life".encode()) + 1],
            "middle of a character",
            id="cut-in-a-character",
        ),
        pytest.param(
            cr_text().encode().replace("“Life".encode(), b"\x93Life"), "broken byte", id="utf-8-with-a-broken-byte"
        ),
        pytest.param(cr_bytes(contents=CONTENTS + "703. Actions\n"), "not in it: 703", id="a-section-is-missing"),
        pytest.param(cr_bytes(contents="Nothing.\n"), "contents list no sections", id="empty-contents"),
        pytest.param(cr_bytes(glossary=""), "glossary is empty", id="empty-glossary"),
        pytest.param(cr_text().replace("Contents\n", "Index\n").encode(), "before the contents", id="no-contents"),
    ],
)
def test_what_is_no_whole_rules_text_is_one_clear_error(data: bytes, says: str) -> None:
    with pytest.raises(NotComprehensiveRules, match=says) as caught:
        parse_edition(data)
    assert "nothing was changed" in str(caught.value)


def test_cut_anywhere_before_the_credits_is_refused() -> None:
    whole = cr_bytes()
    for end in range(whole.index(b"Written for")):
        with pytest.raises(NotComprehensiveRules):
            parse_edition(whole[:end])


@given(st.binary(max_size=300))
def test_no_bytes_give_anything_but_the_one_error(data: bytes) -> None:
    with pytest.raises(NotComprehensiveRules):
        parse_edition(data)


LINES = cr_text().split("\n")


@given(st.lists(st.tuples(st.integers(0, len(LINES) - 1), st.integers(0, len(LINES) - 1)), max_size=4))
def test_shuffled_lines_are_read_or_refused_and_no_number_comes_twice(swaps: list[tuple[int, int]]) -> None:
    lines = list(LINES)
    for one, other in swaps:
        lines[one], lines[other] = lines[other], lines[one]
    try:
        edition = parse_edition("\n".join(lines).encode())
    except NotComprehensiveRules:
        return
    numbers = [line.number for line in edition.lines()]
    assert len(numbers) == len(set(numbers))
    assert len({term.term for term in edition.glossary}) == len(edition.glossary)
    assert all(parent_of(sub.number) == rule.number for rule in edition.rules for sub in rule.subrules)


def test_broken_byte_fixture_is_a_curly_quote() -> None:
    assert "“Life" in GLOSSARY
