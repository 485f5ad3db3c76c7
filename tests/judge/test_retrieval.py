from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.retrieval import (
    FUSION_K,
    Candidate,
    Found,
    Leg,
    folded,
    fuse,
    interleaved,
    ranking,
    shortened,
    summed,
    trimmed,
    within_budget,
)
from judge.values import Budget, Leaf, RuleChunk, RuleId


def leg(name: str, *rules: str, weight: float = 1.0) -> Leg:
    return Leg(name, weight, tuple(Found(RuleId(rule), 10.0 - place) for place, rule in enumerate(rules)))


def chunk(rule: str, length: int) -> RuleChunk:
    return RuleChunk(RuleId(rule), "Game Concepts", "", "x" * length)


def candidates(*rules: str) -> tuple[Candidate, ...]:
    return fuse([leg("only", *rules)])


def test_a_subrule_counts_for_its_rule_at_its_best_score() -> None:
    hits = [Found(RuleId("100.1b"), 2.0), Found(RuleId("100.2"), 3.0), Found(RuleId("100.1a"), 5.0)]
    assert folded(hits) == (Found(RuleId("100.1"), 5.0), Found(RuleId("100.2"), 3.0))


def test_a_rule_two_legs_find_beats_one_that_leads_a_single_leg() -> None:
    fused = fuse([leg("text", "100.1", "100.2"), leg("vector", "100.3", "100.2")])
    assert [each.id for each in fused] == ["100.2", "100.1", "100.3"]


def test_the_score_is_the_weighted_sum_of_reciprocal_ranks() -> None:
    fused = fuse([leg("text", "100.1", "100.2", weight=2.0), leg("vector", "100.2")])
    second = next(each for each in fused if each.id == "100.2")
    assert second.score == pytest.approx(2.0 / (FUSION_K + 2) + 1.0 / (FUSION_K + 1))
    assert [(rank.leg, rank.rank, rank.score) for rank in second.legs] == [("text", 2, 9.0), ("vector", 1, 10.0)]


def test_equal_scores_stand_in_the_order_of_the_rules() -> None:
    fused = fuse([leg("text", "702.19"), leg("vector", "702.9")])
    assert [each.id for each in fused] == ["702.9", "702.19"]


def test_the_fused_list_ends_at_its_limit() -> None:
    assert [each.id for each in fuse([leg("text", "100.1", "100.2", "100.3")], limit=2)] == ["100.1", "100.2"]


def test_legs_added_up_before_fuse_like_the_rest() -> None:
    legs = [leg("text", "100.1", "100.2"), leg("vector", "100.2", "100.3"), leg("notes", "100.3", "100.4")]
    assert fuse(legs, before=summed(legs[:2]), counted=2) == fuse(legs)


def test_no_legs_find_nothing() -> None:
    assert fuse([]) == ()


def test_a_long_section_does_not_push_out_a_short_one() -> None:
    long = [Found(RuleId(f"702.{number}"), 1.0) for number in range(1, 100)]
    short = [Found(RuleId("601.2"), 0.1)]
    assert [hit.id for hit in interleaved([long, short], limit=4)] == ["702.1", "601.2", "702.2", "702.3"]


def test_the_budget_counts_chunks() -> None:
    chunks = {RuleId(f"100.{number}"): chunk(f"100.{number}", 10) for number in range(1, 6)}
    shown = within_budget(candidates(*chunks), chunks, Budget(chunks=3))
    assert [each.id for each in shown] == ["100.1", "100.2", "100.3"]


def test_a_rule_too_long_for_what_is_left_is_passed_over_and_shorter_ones_still_come() -> None:
    chunks = {
        RuleId("100.1"): chunk("100.1", 60),
        RuleId("100.2"): chunk("100.2", 50),
        RuleId("100.3"): chunk("100.3", 40),
    }
    shown = within_budget(candidates("100.1", "100.2", "100.3"), chunks, Budget(characters=100))
    assert [each.id for each in shown] == ["100.1", "100.3"]


def test_a_number_that_is_no_rule_of_the_edition_takes_no_place() -> None:
    shown = within_budget(candidates("999.1", "100.1"), {RuleId("100.1"): chunk("100.1", 5)}, Budget(chunks=1))
    assert [each.id for each in shown] == ["100.1"]


def test_the_trace_tells_shown_from_cut() -> None:
    fused = candidates("100.1", "100.2")
    assert [(each.id, each.shown) for each in ranking(fused, [chunk("100.2", 1)])] == [
        ("100.1", False),
        ("100.2", True),
    ]


RULES = st.sampled_from([f"{section}.{number}" for section in (100, 601, 702) for number in range(1, 30)])


@given(st.lists(st.lists(RULES, unique=True, max_size=20), max_size=6), st.integers(0, 500), st.integers(0, 12))
def test_whatever_is_found_stays_within_the_budget_and_keeps_its_order(
    found: list[list[str]], characters: int, most: int
) -> None:
    fused = fuse([leg(str(number), *rules) for number, rules in enumerate(found)])
    chunks = {each.id: chunk(each.id, 1 + int(each.id[4:]) * 7) for each in fused}
    shown = within_budget(fused, chunks, Budget(chunks=most, characters=characters))
    assert len(shown) <= most
    assert sum(len(each.text) for each in shown) <= characters
    order = [each.id for each in fused]
    assert len(set(order)) == len(order)
    assert [each.score for each in fused] == sorted((each.score for each in fused), reverse=True)
    assert [order.index(each.id) for each in shown] == sorted(order.index(each.id) for each in shown)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [("short", 10, "short"), ("one two three", 9, "one two…"), ("unbroken", 5, "unbr…"), ("exactly", 7, "exactly")],
)
def test_shortening_keeps_whole_words_and_says_that_it_cut(text: str, limit: int, expected: str) -> None:
    assert shortened(text, limit) == expected


def test_a_long_rule_keeps_the_subrules_asked_for_by_number() -> None:
    leaves = tuple(Leaf(RuleId(f"704.5{letter}"), f"{letter} " * 60) for letter in "abcdefgh")
    long = RuleChunk(
        RuleId("704.5"), "Checks", "", "\n".join(["Checks", *(f"{leaf.id} {leaf.text}" for leaf in leaves)]), leaves
    )
    scores = {RuleId("704.5c"): 1.0}
    assert [leaf.id for leaf in trimmed(long, scores, 300).leaves] == ["704.5a", "704.5c"]
    asked = [RuleId("704.5g"), RuleId("704.5h")]
    shown = trimmed(long, scores, 300, asked)
    assert [leaf.id for leaf in shown.leaves] == asked
    assert shown.abridged
    assert "704.5g g g" in shown.text
    (chunk,) = within_budget(candidates("704.5"), {long.id: long}, Budget(characters=720), scores, asked)
    assert [leaf.id for leaf in chunk.leaves][-2:] == asked
