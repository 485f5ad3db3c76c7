"""Questions to try, on the empty page."""

from __future__ import annotations

from judge.values import CorpusState

EXAMPLES = (
    "does bob's trigger still happen if he dies in response to it?",
    "If I have Blood Moon and Urborg, Tomb of Yawgmoth, what do my lands tap for?",
    "My 6/6 trampler is blocked by a 2/2 with deathtouch. How much tramples over?",
    "Si je lance un sort avec le flashback et qu'il est contrecarré, où va-t-il ?",
)
# About the invented cards of data/sample.
SAMPLE_EXAMPLES = (
    "Does Emberfang Drake's trigger still happen if it dies in response?",
    "Glowmoss Ram is blocked and the blocker dies. Where does its damage go?",
    "Can Gatewatch Heron block Orlena?",
)


def example_questions(state: CorpusState) -> tuple[str, ...]:
    """The examples that fit what is loaded; none while nothing can be answered."""
    if state.edition is None or not state.cards:
        return ()
    return SAMPLE_EXAMPLES if state.sample else EXAMPLES
