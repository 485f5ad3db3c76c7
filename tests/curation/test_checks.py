from __future__ import annotations

from curation.checks import mapped_sections, uncovered_sections

SECTIONS = [("1", "Concepts"), ("104", "Ending"), ("206", "Decoration"), ("603", "Triggers"), ("604", "New")]


def test_a_section_that_nobody_thought_of_is_told_by_number_and_title() -> None:
    assert uncovered_sections(SECTIONS, frozenset({"104", "603"}), frozenset({"206"})) == ("604. New",)


def test_a_rule_maps_its_section() -> None:
    assert mapped_sections(["603.2a", "104"]) == {"603", "104"}


def test_nothing_is_uncovered_when_every_section_is_spoken_for() -> None:
    assert uncovered_sections(SECTIONS, frozenset({"104", "603", "604"}), frozenset({"206"})) == ()
