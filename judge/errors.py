"""The failures the judge raises.

JudgeError
├── InvalidRuleId        the text is no rule number
├── InvalidQuestion      the question cannot be asked as it is (empty, too long)
├── VerdictRejected      a raw verdict did not pass validate(); carries the Rejection
├── Cancelled            the asker has gone away (judge.cancelling)
└── ProviderError        a model or embedding provider failed; carries trouble, retryable and retry_after

Expected outcomes (an ambiguous card, an out-of-scope question) are values, not errors: see judge.replies.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judge.transcripts import Transcript
    from judge.verdict import Rejection


class JudgeError(Exception):
    """The root of everything the judge raises on purpose."""


class InvalidRuleId(JudgeError, ValueError):
    """*text* is no Comprehensive Rules rule or subrule number."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is no rule number; rule numbers look like 702.19 or 702.19b")
        self.text = text


class InvalidQuestion(JudgeError, ValueError):
    """The question cannot be asked as it is; str() says why and what to do."""


class VerdictRejected(JudgeError):
    """A raw verdict did not pass validate(). transcript: what was said to the model, where that is known."""

    transcript: Transcript | None = None

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(str(rejection))
        self.rejection = rejection


class Trouble(StrEnum):
    """What keeps a provider from answering, as far as it matters to the asker."""

    UNREACHABLE = "unreachable"
    SLOW = "slow"  # no answer within the time a question has
    BUSY = "busy"
    MISCONFIGURED = "misconfigured"  # key, model or request is refused: an operator has to act
    OWN_CAP = "own_cap"  # nothing failed: the operator's own spend cap leaves no room


class ProviderError(JudgeError):
    """A model or embedding provider failed.

    retryable: the same request may succeed later. retry_after: seconds the provider asked for, or None. transcript:
    what was said before it failed, where that is known.
    """

    trouble = Trouble.UNREACHABLE
    transcript: Transcript | None = None

    def __init__(self, message: str, *, retryable: bool, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after
