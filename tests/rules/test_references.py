from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.references import find_references, mask_numbers


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        pytest.param("See rule 702.9.", "702.9", id="one"),
        pytest.param("See rule 702.9a, and smile.", "702.9a", id="subrule"),
        pytest.param("(See rule 704.5aa.)", "704.5aa", id="two-letters"),
        pytest.param("See rules 110.2 and 112.2b.", "110.2 112.2b", id="two"),
        pytest.param("see rules 603.7d–f.", "603.7d 603.7e 603.7f", id="letters"),
        pytest.param("see rules 601.2g-h).", "601.2g 601.2h", id="hyphen"),
        pytest.param("the steps in 608.2j–n", "608.2j 608.2k 608.2m 608.2n", id="letters-that-are-skipped"),
        pytest.param("see rules 601.2a–601.2c", "601.2a 601.2b 601.2c", id="whole-numbers"),
        pytest.param("(see rules 119.7–8)", "119.7 119.8", id="rules"),
        pytest.param("712.9–11, and 712.18", "712.9 712.10 712.11 712.18", id="rules-past-ten"),
        pytest.param("Rules 608.3a and b are first.", "608.3a 608.3b", id="and-another-letter"),
        pytest.param("Rules 608.3a, c, and d are first.", "608.3a 608.3c 608.3d", id="listed-letters"),
        pytest.param("by rule 704.5b and a creature", "704.5b", id="the-article-is-no-letter"),
        pytest.param("rules 205.1a–b, 305.7, and 613.1d", "205.1a 205.1b 305.7 613.1d", id="mixed"),
        pytest.param("Yes ([405.6f],[704.3]).", "405.6f 704.3", id="brackets"),
        pytest.param("Yes (405.6f,704.3).", "405.6f 704.3", id="no-space-between"),
        pytest.param("rule 702.9 and again rule 702.9", "702.9", id="each-once"),
        pytest.param("see rules 603.7f–d", "603.7f", id="backwards"),
        pytest.param("see rules 119.8–7", "119.8", id="rules-backwards"),
        pytest.param("1000.5 or 100.1234 or 2.100.5 or 702.9abc", "", id="no-rule-numbers"),
    ],
)
def test_rules_a_text_names(text: str, rules: str) -> None:
    assert find_references(text).rules == tuple(rules.split())


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        pytest.param("See section 8, “Many Players.”", "8", id="section"),
        pytest.param("See rule 510, “Damage,” or rule 104.", "510 104", id="subsections"),
        pytest.param("follow rules 701.42, “Meld,” and 730, “Merging.”", "730", id="after-a-rule"),
        pytest.param("See 706, “Dice.”", "706", id="see"),
        pytest.param('"Blah. ([100])."', "100", id="brackets"),
        pytest.param("Rule 702.9 has 100 words and 200 letters.", "", id="plain-numbers"),
        pytest.param("rule 702.9–11 and section 702.3", "", id="rules-are-no-sections"),
    ],
)
def test_sections_are_kept_apart(text: str, sections: str) -> None:
    assert find_references(text).sections == tuple(sections.split())


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    found = find_references(text)
    assert all(number[:7].split(".")[0].isdigit() for number in found.rules)
    assert not set(found.rules) & set(found.sections)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("See rule 702.9b.", "See rule 702.11c."),
        ("See rules 702.9b–d and 510.", "See rules 702.11c–e and 511."),
        ("See rules 119.7–8.", "See rules 119.8–9."),
    ],
)
def test_texts_that_differ_in_rule_numbers_alone_mask_the_same(before: str, after: str) -> None:
    assert mask_numbers(before) == mask_numbers(after) != before


def test_masking_keeps_other_numbers() -> None:
    assert mask_numbers("It costs {2} and deals 21 damage.") == "It costs {2} and deals 21 damage."
