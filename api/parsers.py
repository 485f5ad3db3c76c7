"""JSON in, bounded and strict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, override

from rest_framework import status
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser

BODY_LIMIT = 64 * 1024  # bytes; a question has a few thousand characters at most
_MOST_DIGITS = 100  # no field takes a number; Python itself balks at some thousands, in its own words


class BodyTooLarge(APIException):
    """More than BODY_LIMIT bytes were sent."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = f"the request is larger than {BODY_LIMIT // 1024} kB; a question is a few lines of text"


class BoundedJSONParser(BaseParser):
    """Reads at most BODY_LIMIT bytes, whatever Content-Length says or leaves out."""

    media_type = "application/json"

    @override
    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The decoded value. Raises BodyTooLarge, ParseError."""
        body = stream.read(BODY_LIMIT + 1)
        if len(body) > BODY_LIMIT:
            raise BodyTooLarge
        try:
            return json.loads(body.decode("utf-8-sig"), parse_constant=_no_constant, parse_int=_whole_number)
        except UnicodeDecodeError:
            raise ParseError("the body is not UTF-8") from None
        except RecursionError:
            raise ParseError("the JSON is nested too deeply") from None
        except ValueError as error:  # JSONDecodeError or _NotJSON
            raise ParseError(f"the body is not JSON: {error}") from None


class _NotJSON(ValueError):
    """What Python would read as JSON and nobody means."""


def _whole_number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise _NotJSON(f"a number has more than {_MOST_DIGITS} digits")
    return int(digits)


def _no_constant(name: str) -> Any:
    raise _NotJSON(f"{name} is no JSON")
