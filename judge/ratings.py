"""How well an earlier call is thought of, and whether it may serve as an example (DESIGN 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

PRIOR_MEAN = 2.0  # what an unknown call is worth, on the scale of Rated
PRIOR_WEIGHT = 3  # and how many ratings that opinion weighs
DISLIKED_BELOW = 1.5
DISLIKED_VOTES = 5


class Rated(IntEnum):
    """What somebody thinks of an answer."""

    INCORRECT = 1
    PARTLY = 2
    CORRECT = 3


@dataclass(frozen=True, slots=True)
class Vote:
    """One person's rating of one call."""

    rated: Rated
    by_judge: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """score: in [1, 3], larger is better. usable: the call may be shown to others as an example."""

    score: float
    votes: int
    usable: bool


def standing(votes: Sequence[Vote], *, approved: bool = False) -> Standing:
    """What *votes*, oldest first, make of a call; *approved*: a curator let it serve as an example.

    The latest judge's word replaces the crowd's score, and a judge's latest "incorrect" excludes the call even when
    a curator had approved it. A call nobody rated or approved is never usable: an unrated stranger's text reaches
    no other asker's prompt.
    """
    judges = [vote.rated for vote in votes if vote.by_judge]
    if judges:
        return Standing(float(judges[-1]), len(votes), judges[-1] is not Rated.INCORRECT)
    score = (PRIOR_MEAN * PRIOR_WEIGHT + sum(vote.rated for vote in votes)) / (PRIOR_WEIGHT + len(votes))
    disliked = score < DISLIKED_BELOW and len(votes) >= DISLIKED_VOTES
    return Standing(score, len(votes), (approved or bool(votes)) and not disliked)
