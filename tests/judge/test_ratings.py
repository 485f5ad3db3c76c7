"""What ratings make of a call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.ratings import Rated, Vote, standing

GOOD, SO_SO, BAD = Vote(Rated.CORRECT), Vote(Rated.PARTLY), Vote(Rated.INCORRECT)
JUDGE_GOOD, JUDGE_BAD = Vote(Rated.CORRECT, by_judge=True), Vote(Rated.INCORRECT, by_judge=True)


def test_a_call_nobody_rated_is_never_an_example() -> None:
    assert not standing([]).usable


def test_a_curator_can_let_an_unrated_call_serve() -> None:
    assert standing([], approved=True).usable


@pytest.mark.parametrize(
    ("votes", "score"),
    [([], 2.0), ([GOOD], 2.25), ([BAD], 1.75), ([GOOD] * 3, 2.5), ([GOOD, SO_SO, BAD], 2.0)],
    ids=["none", "one good", "one bad", "three good", "mixed"],
)
def test_few_votes_move_the_score_little(votes: list[Vote], score: float) -> None:
    assert standing(votes).score == pytest.approx(score)


def test_a_disliked_call_is_excluded_from_the_fifth_vote_on() -> None:
    assert [standing([BAD] * n).usable for n in (3, 4, 5, 9)] == [True, True, False, False]


def test_the_latest_judge_replaces_the_crowd() -> None:
    assert standing([BAD] * 9 + [JUDGE_GOOD]).score == 3.0
    assert standing([JUDGE_BAD, JUDGE_GOOD, BAD]).usable


def test_a_judges_incorrect_excludes_at_once_even_what_a_curator_approved() -> None:
    assert not standing([GOOD] * 50 + [JUDGE_BAD], approved=True).usable


@given(st.lists(st.sampled_from([GOOD, SO_SO, BAD, JUDGE_GOOD, JUDGE_BAD])))
def test_a_score_stays_on_the_scale(votes: list[Vote]) -> None:
    assert 1.0 <= standing(votes).score <= 3.0
