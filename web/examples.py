"""Questions to try, on the empty page."""

from __future__ import annotations

EXAMPLES = (
    "does bob's trigger still happen if he dies in response to it?",
    "If I have Blood Moon and Urborg, Tomb of Yawgmoth, what do my lands tap for?",
    "My 6/6 trampler is blocked by a 2/2 with deathtouch. How much tramples over?",
    "Si je contre un sort avec le flashback, où va-t-il ?",
)


def example_questions() -> tuple[str, ...]:
    """The examples that fit what is loaded."""
    return EXAMPLES
