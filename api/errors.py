"""Errors of the API in one shape: {"kind": "error", "message": "..."}."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, override

from django.core.exceptions import DisallowedHost
from django.http import Http404, JsonResponse
from rest_framework import status
from rest_framework.exceptions import APIException, MethodNotAllowed, UnsupportedMediaType
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

log = logging.getLogger(__name__)

_BROKEN = "something broke on our side; the log has the details"


def one_shape(error: Exception, _context: dict[str, Any]) -> Response:
    """*error* as a response; what nobody foresaw is logged and answered without details."""
    if isinstance(error, MethodNotAllowed):
        return refusal(error.status_code, "this address does not take that method")
    if isinstance(error, UnsupportedMediaType):
        return refusal(error.status_code, "send JSON, with Content-Type: application/json")
    if isinstance(error, APIException):
        return refusal(error.status_code, str(error.detail))
    if isinstance(error, Http404):
        return refusal(status.HTTP_404_NOT_FOUND, "there is nothing at this address; docs/API.md lists them")
    log.error("the API failed", exc_info=error)
    return refusal(status.HTTP_500_INTERNAL_SERVER_ERROR, _BROKEN)


def unreadable(exception: Exception | None) -> JsonResponse:
    """The one shape for a request under /api/ that is refused before a view is looked for."""
    host = isinstance(exception, DisallowedHost)
    message = "this judge is not called by that Host" if host else "the request cannot be read"
    return JsonResponse({"kind": "error", "message": message}, status=status.HTTP_400_BAD_REQUEST)


def failure() -> JsonResponse:
    """The one shape for an error outside every view."""
    return JsonResponse({"kind": "error", "message": _BROKEN}, status=status.HTTP_500_INTERNAL_SERVER_ERROR)


def refusal(code: int, message: str) -> Response:
    """An error response of the one shape."""
    return Response({"kind": "error", "message": message}, status=code)


class JSONAlways(BaseContentNegotiation):
    """JSON whatever Accept says: a browser or a bare curl gets an answer, not a 406."""

    @override
    def select_parser(self, request: Request, parsers: Iterable[Any]) -> Any:
        """The parser of the request's content type, or None."""
        sent = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == sent), None)

    @override
    def select_renderer(self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None) -> Any:
        """The one renderer there is."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type
