from __future__ import annotations

from rules.renumber import masked_texts, renumberings


def moved(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    return renumberings(masked_texts(old.items()), masked_texts(new.items()))


def test_same_text_under_another_number_moved() -> None:
    assert moved({"702.9a": "It glows."}, {"702.11a": "It glows."}) == {"702.9a": "702.11a"}


def test_rule_numbers_inside_the_text_may_differ() -> None:
    old, new = {"702.9a": "See rules 702.9b–d and 510."}, {"702.11a": "See rules 702.11b–d and 511."}
    assert moved(old, new) == {"702.9a": "702.11a"}


def test_rule_that_stayed_did_not_move() -> None:
    assert moved({"100.1": "Sit.", "100.2": "Stand."}, {"100.1": "Sit.", "100.2": "Stand up."}) == {}


def test_text_that_stands_twice_on_either_side_is_not_chosen() -> None:
    assert moved({"100.1": "Sit.", "100.2": "Sit."}, {"100.3": "Sit."}) == {}
    assert moved({"100.1": "Sit."}, {"100.3": "Sit.", "100.4": "Sit."}) == {}


def test_two_rules_that_changed_places() -> None:
    assert moved({"100.1": "Sit.", "100.2": "Stand."}, {"100.1": "Stand.", "100.2": "Sit."}) == {
        "100.1": "100.2",
        "100.2": "100.1",
    }


def test_reworded_rule_did_not_move() -> None:
    assert moved({"100.1": "Sit."}, {"100.2": "Sit down."}) == {}
