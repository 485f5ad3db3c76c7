"""Why a model's part in an answer failed, as it is kept for the operator."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from judge.transcripts import Transcript


class FailureKind(StrEnum):
    """What went wrong, coarse enough to count."""

    REJECTED = "rejected"  # both drafts failed the check
    CAP_REACHED = "cap_reached"
    PROVIDER = "provider"
    BUG = "bug"
    RETRIED = "retried"  # the first draft failed the check and the second passed: an answer, and worth a look


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One failed attempt. stage: extract | synth | verify. reasons: the rejections or the error, in order."""

    kind: FailureKind
    stage: str
    reasons: tuple[str, ...]
    rejections: tuple[str, ...] = ()  # the rejections' class names: BadCitation, UncitedRules ...
    transcript: Transcript | None = None
