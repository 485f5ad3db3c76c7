"""How a stage asks its model: effort, room and time."""

from __future__ import annotations

from dataclasses import dataclass

from llm.messages import Effort


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOptions:
    """max_tokens bounds thinking and text together. timeout: seconds for a request, retries included."""

    effort: Effort = Effort.MEDIUM
    max_tokens: int = 4_096
    timeout: float = 60.0
