from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from eval.answers import Quoted, score
from eval.gold import GoldQuestion
from judge.values import Context, Leaf, RuleChunk, RuleCitation, RuleId

DAMP = RuleChunk(
    RuleId("750.9"),
    "Invented",
    "Damp",
    "750.9. Damp\n750.9a Damp newts glow.\n750.9b Dry newts sleep.",
    (Leaf(RuleId("750.9a"), "Damp newts glow."), Leaf(RuleId("750.9b"), "Dry newts sleep.")),
)
GOLD = GoldQuestion(
    id="q", question="?", language="en", kind="rules", cards=(), expected=((RuleId("750.9b"), RuleId("760.1")),)
)
CONTEXT = Context(edition=date(2026, 1, 1), rules=(DAMP,))


def quoted(*quotes: tuple[str, str], gold: GoldQuestion = GOLD) -> Quoted:
    return Quoted(gold, tuple(RuleCitation(RuleId(rule), text) for rule, text in quotes), CONTEXT)


@pytest.mark.parametrize(
    ("rule", "text", "is_quoted"),
    [
        pytest.param("750.9b", "Dry newts sleep.", True, id="the subrule"),
        pytest.param("760.1", "Anything at all.", True, id="another of the alternatives"),
        pytest.param("750.9", "Dry newts\nsleep.", True, id="its rule, with the words of the subrule"),
        pytest.param("750.9", "Damp newts glow.", False, id="its rule, with the words of another"),
        pytest.param("750.9a", "Damp newts glow.", False, id="the subrule beside it"),
    ],
)
def test_a_decisive_subrule_counts_when_it_is_what_is_quoted(rule: str, text: str, is_quoted: bool) -> None:
    assert (quoted((rule, text)).missed == ()) is is_quoted


def test_a_decisive_rule_counts_with_any_of_its_subrules() -> None:
    gold = replace(GOLD, expected=((RuleId("750.9"),),))
    assert quoted(("750.9a", "Damp newts glow."), gold=gold).missed == ()


def test_the_figures_are_over_rules_and_over_questions() -> None:
    both = replace(GOLD, expected=((RuleId("750.9b"),), (RuleId("750.9a"),)))
    figures = score(
        [quoted(("750.9a", "Damp newts glow."), gold=both), quoted(), quoted(("760.1", "x"), ("761.1", "y"))]
    )
    assert (figures.n, figures.decisive, figures.none) == (3, 4, 1)
    assert (figures.quoted, figures.quotes) == (0.5, 1.0)


def test_no_answers_score_nothing() -> None:
    assert score([]).quoted == score([]).quotes == 0.0
