"""The verify stage: a cheap model's second look at whether each claim follows from its quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from judge.cancelling import Cancellation
from judge.errors import VerdictRejected
from judge.raw import decoded, schema_of
from judge.rejections import Malformed
from judge.support import Claim, Support
from llm.backends import Chat
from llm.material import words
from llm.messages import Effort, OutputSchema, Request, Stop, SystemBlock, TextBlock, UserTurn
from llm.prompting import prompt
from llm.stages import StageOptions


class _Raw(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra={"additionalProperties": False})


class RawFinding(_Raw):
    """What a model makes of one statement."""

    number: int
    verdict: Literal["supported", "weak", "unsupported"]


class RawFindings(_Raw):
    """What a model makes of every statement."""

    findings: tuple[RawFinding, ...]


PROMPTS = ("verify",)
VERIFY = StageOptions(effort=Effort.LOW, max_tokens=2_000, timeout=30.0)
_OUTPUT = OutputSchema("findings", schema_of(RawFindings))


@dataclass(frozen=True, slots=True)
class ModelVerifier:
    """The Verifier of judge.ports that asks a model."""

    chat: Chat
    options: StageOptions = VERIFY

    def verify(self, claims: Sequence[Claim], cancel: Cancellation | None = None) -> tuple[Support, ...]:
        """One finding a claim, in order; a claim without quotes is not sent and stays uncited.

        Raises ProviderError, VerdictRejected(Malformed) or Cancelled.
        """
        sent = [claim for claim in claims if claim.quotes]
        if not sent:
            return tuple(Support.UNCITED for _ in claims)
        response = self.chat.send(verify_request(sent, self.options, cancel))
        if response.stop is not Stop.END:
            raise VerdictRejected(Malformed(f"the second look ended with {response.stop}"))
        found = iter(_decoded(response.text, len(sent)))
        return tuple(next(found) if claim.quotes else Support.UNCITED for claim in claims)


def verify_request(claims: Sequence[Claim], options: StageOptions, cancel: Cancellation | None = None) -> Request:
    """What is asked about *claims*, each with a quote at least."""
    statements = "\n\n".join(_statement(number, claim) for number, claim in enumerate(claims, start=1))
    return Request(
        system=(SystemBlock(prompt("verify"), cached=True),),
        turns=(UserTurn((TextBlock(f"<statements>\n{statements}\n</statements>"),)),),
        output=_OUTPUT,
        effort=options.effort,
        max_tokens=options.max_tokens,
        timeout=options.timeout,
        cancel=cancel,
    )


def _statement(number: int, claim: Claim) -> str:
    """One statement and its quotes, a line each, so that none can pose as another."""
    quotes = "\n".join(f"Quote: {_line(quote)}" for quote in claim.quotes)
    return f"{number}. {_line(claim.text)}\n{quotes}"


def _line(text: str) -> str:
    return words(" ".join(text.split()))


def _decoded(text: str, wanted: int) -> list[Support]:
    """The finding of each statement; one left out counts as weak, as nobody vouched for it.

    Raises VerdictRejected(Malformed).
    """
    raw = decoded(RawFindings, text)
    supported = {finding.number for finding in raw.findings if finding.verdict == "supported"}
    doubted = {finding.number for finding in raw.findings if finding.verdict != "supported"}
    return [Support.SUPPORTED if number in supported - doubted else Support.WEAK for number in range(1, wanted + 1)]
