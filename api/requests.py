"""What POST /api/judge takes. Strict: wrong types and unknown fields are told, never bent into shape."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
_Name = Annotated[str, StringConstraints(min_length=1, max_length=300)]
_MOST_PINS = 20


class RequestError(ValueError):
    """The body is JSON but no question; str() says which field is wrong and how."""


class PinBody(BaseModel):
    """The asker's pick: *name* is what *span* means."""

    model_config = _STRICT
    span: _Name
    name: _Name


class JudgeBody(BaseModel):
    """A question with what goes with it."""

    model_config = _STRICT
    question: str
    pins: list[PinBody] = []
    private: bool = False
    thread: Annotated[str, StringConstraints(max_length=200)] = ""


def parse_judge_body(data: Any) -> JudgeBody:
    """The request in *data*. Raises RequestError."""
    if not isinstance(data, dict):
        raise RequestError('send a JSON object such as {"question": "..."}')
    try:
        body = JudgeBody.model_validate(data)
    except ValidationError as error:
        raise RequestError("; ".join(_told(one) for one in error.errors()[:5])) from None
    if len(body.pins) > _MOST_PINS:
        raise RequestError(f"pins: at most {_MOST_PINS}")
    return body


def _told(error: Any) -> str:
    place = ".".join(str(part)[:60] for part in error["loc"] if part != "")
    if not place:
        return "a field name cannot be read"
    if error["type"] == "extra_forbidden":
        known = ", ".join((PinBody if len(error["loc"]) > 1 else JudgeBody).model_fields)
        return f"{_printable(place)}: no such field; there are {known}"
    if error["type"] == "missing":
        return f"{place}: missing"
    return f"{place}: {error['msg'][0].lower()}{error['msg'][1:]}"


def _printable(text: str) -> str:
    """*text* as JSON can carry it: a field name may hold a lone surrogate."""
    return text.encode("utf-8", "backslashreplace").decode()
