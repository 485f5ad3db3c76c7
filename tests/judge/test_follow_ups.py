"""Which questions of a thread go on from the one before."""

from __future__ import annotations

import pytest

from judge.follow_ups import follows_up
from judge.questions import parse_question
from judge.values import Exchange

BEFORE = (Exchange("does the heron die?", "Yes."),)


@pytest.mark.parametrize(
    "text",
    [
        "and what if it also had first strike?",
        "et si c'est exilé à la place ?",
        "Und wenn er stirbt?",
        "それは死亡しますか",
        "ok, but in multiplayer?",
        "does it die?",
        "can my opponent counter it?",
        "would the other one die too",
        "can I respond?",
        "in response?",
        "why?",
    ],
)
def test_what_joins_on_or_points_back_or_is_short_goes_on(text: str) -> None:
    assert follows_up(parse_question(text, history=BEFORE))


@pytest.mark.parametrize(
    ("text", "has_subject"),
    [
        ("what is trample?", True),
        ("legend rule", True),
        ("how does trample work with deathtouch?", True),
        ("can i cast two instants in one turn", False),
        ("Can I block with a tapped creature?", False),
        ("does a creature with vigilance tap when it attacks", True),
        ("When a creature with undying dies, does it come back if it had a counter?", True),
        ("what does rule 702.19b say", False),
    ],
)
def test_a_question_that_is_whole_begins_anew(text: str, has_subject: bool) -> None:
    assert not follows_up(parse_question(text, history=BEFORE), has_subject=has_subject)


def test_without_a_question_before_nothing_goes_on() -> None:
    assert not follows_up(parse_question("and if it dies?"))
