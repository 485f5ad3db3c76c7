"""Grades an answer against a known one. Used by the evaluation only; the model that answers never sees any of it."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from judge.raw import schema_of
from llm.backends import Chat
from llm.errors import Unreadable
from llm.messages import Effort, OutputSchema, Request, SystemBlock, TextBlock, UserTurn
from llm.prompting import prompt


class RawGrade(BaseModel):
    """What the grader says."""

    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra={"additionalProperties": False})

    why: str
    agrees: bool


_OUTPUT = OutputSchema("grade", schema_of(RawGrade))


@dataclass(frozen=True, slots=True)
class Known:
    """A question and its right answer; key: the core that has to be in any answer."""

    question: str
    answer: str
    key: str


def grade(chat: Chat, known: Known, given: str, timeout: float = 120.0) -> RawGrade:
    """Whether *given* agrees with *known*, and why. Raises ProviderError."""
    told = (
        f"Question: {known.question}\n\nKnown right answer: {known.answer}\n\nKey: {known.key}\n\n"
        f"Answer to grade: {given}"
    )
    request = Request(
        system=(SystemBlock(prompt("grade"), cached=True),),
        turns=(UserTurn((TextBlock(told),)),),
        output=_OUTPUT,
        effort=Effort.LOW,
        max_tokens=1_000,
        timeout=timeout,
    )
    try:
        return RawGrade.model_validate_json(chat.send(request).text)
    except ValidationError as error:
        raise Unreadable("the grade could not be read") from error
