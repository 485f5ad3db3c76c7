"""What is known of models by name: the ones chosen where nobody chose, what they cost, which dials they lack.

US dollars a million tokens, from the providers' pages in November 2026; the operator's own [prices] come before
these. Every family on offer is here, the dear ones too: what has no price is taken to cost what the dearest here
does, and a cap only holds if that is true.
"""

from __future__ import annotations

from typing import Final

# The set-up of ANTHROPIC_API_KEY alone: a cheap model reads the question, a strong one answers it.
CHEAP: Final = "claude-haiku-5-5"
STRONG: Final = "claude-opus-5-5"


def _claude(plain: float, output: float, read: float) -> dict[str, float]:
    """The price of a Claude model; keeping a prompt for five minutes costs a quarter more than reading it."""
    return {"input": plain, "output": output, "cache_read": read, "cache_write": plain * 1.25}


KNOWN_PRICES: Final[dict[str, dict[str, float]]] = {
    "claude-fable-5": _claude(10.0, 50.0, 1.0),
    "claude-mythos-5": _claude(10.0, 50.0, 1.0),
    "claude-opus-5-5": _claude(4.0, 20.0, 0.2),
    "claude-opus-5": _claude(5.0, 25.0, 0.5),
    "claude-opus-4-8": _claude(5.0, 25.0, 0.5),
    "claude-opus-4-7": _claude(5.0, 25.0, 0.5),
    "claude-opus-4-6": _claude(5.0, 25.0, 0.5),
    "claude-opus-4-5": _claude(5.0, 25.0, 0.5),
    "claude-sonnet-5": _claude(2.0, 10.0, 0.2),
    "claude-sonnet-4": _claude(3.0, 15.0, 0.3),
    # Prompts of up to 100,000 tokens; the budget of the material keeps ours far below.
    "claude-haiku-5-5": _claude(0.1, 0.5, 0.01),
    "claude-haiku-4-5": _claude(1.0, 5.0, 0.1),
    "voyage-4": {"input": 0.06},
    "voyage-4-large": {"input": 0.12},
    "voyage-4-lite": {"input": 0.02},
    "voyage-3.5": {"input": 0.06},
    "voyage-3.5-lite": {"input": 0.02},
    "voyage-3-large": {"input": 0.18},
    "text-embedding-3-small": {"input": 0.02},
    "text-embedding-3-large": {"input": 0.13},
}

# Claude models that answer 400 to `effort`, and to adaptive thinking.
_NO_EFFORT = ("claude-haiku-4", "claude-sonnet-4-5", "claude-3")
_NO_ADAPTIVE_THINKING = (*_NO_EFFORT, "claude-opus-4-5")


def takes_effort(model: str) -> bool:
    """Whether the Claude model called *model* has an effort dial; yes for a name nobody knows."""
    return not model.startswith(_NO_EFFORT)


def thinks_adaptively(model: str) -> bool:
    """Whether the Claude model called *model* can be told to think as it sees fit; yes for a name nobody knows."""
    return not model.startswith(_NO_ADAPTIVE_THINKING)
