"""What was said to a model and what it said, for the operator who asks why."""

from __future__ import annotations

from dataclasses import dataclass, replace

from judge.values import RuleId

NO_REPLY = "no reply"  # the stop of a round that the provider failed in


@dataclass(frozen=True, slots=True)
class PromptDigest:
    """A prompt by its file's name and the sha256 of its text."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Round:
    """One request and what came back. asked: the user turn that was new in it. stop: why the model stopped.

    read and written: tokens that were billed, cached ones among those read, thinking among those written.
    """

    asked: str
    replied: str
    stop: str
    read: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One talk with a model, in order. looked_up: the rules its one tool round brought."""

    model: str
    prompts: tuple[PromptDigest, ...] = ()
    rounds: tuple[Round, ...] = ()
    looked_up: tuple[RuleId, ...] = ()

    def then(self, *rounds: Round) -> Transcript:
        """This transcript with *rounds* at its end."""
        return replace(self, rounds=(*self.rounds, *rounds))
