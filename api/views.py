"""The REST door."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, TypedDict, override

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import refusal
from api.parsers import BODY_LIMIT
from api.requests import RequestError, parse_judge_body
from calls.about import about
from calls.adapters.corpus import bulk_files, row_counts
from calls.asking import Asked, ask, ground
from calls.limits import address_key
from calls.presentation import notices, reply_object
from calls.wiring import corpus
from judge.errors import InvalidQuestion
from judge.values import Pin

STATUS = {
    "rate_limited": status.HTTP_429_TOO_MANY_REQUESTS,
    "busy": status.HTTP_503_SERVICE_UNAVAILABLE,
    "error": status.HTTP_503_SERVICE_UNAVAILABLE,
}


class _Asker(TypedDict):
    door: str
    asker: str | None


class JudgeView(APIView):
    """POST a question, get a reply (docs/API.md)."""

    @override
    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """A body sent in chunks has no Content-Length, and the framework would take it for no body at all."""
        if request.headers.get("Transfer-Encoding") and not request.META.get("CONTENT_LENGTH"):
            request.META["CONTENT_LENGTH"] = str(BODY_LIMIT)  # only looked at for being more than none
        return super().initialize_request(request, *args, **kwargs)

    def post(self, request: Request) -> Response:
        """The reply; whatever was decided is 200, only refusals and failures have a status of their own."""
        try:
            body = parse_judge_body(request.data)
            reply = ask(
                Asked(
                    text=body.question,
                    **_asker(request),
                    pins=[Pin(pin.span, pin.name) for pin in body.pins],
                    private=body.private,
                    thread=body.thread,
                )
            )
        except (RequestError, InvalidQuestion) as error:
            return refusal(status.HTTP_400_BAD_REQUEST, str(error))
        shown = reply_object(reply, ground())
        headers = {"Retry-After": str(shown["retry_after"])} if "retry_after" in shown else None
        return Response(shown, status=STATUS.get(shown["kind"], status.HTTP_200_OK), headers=headers)


def _asker(request: Request) -> _Asker:
    """By which door it came and who is charged: the owner's shell, who can read the token, is not."""
    if constant_time_compare(request.META.get("HTTP_X_JUDGE_OWNER", ""), settings.JUDGE_OWNER_TOKEN):
        return {"door": "cli", "asker": None}
    remote, forwarded = request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", "")
    return {"door": "api", "asker": address_key(remote, forwarded, settings.JUDGE_TRUSTED_PROXIES)}


class HealthView(APIView):
    """Whether the judge can answer, and what it stands on."""

    def get(self, _request: Request) -> Response:
        """200 while the database answers, 503 otherwise."""
        try:
            state, counts = corpus().state(), row_counts()
        except DatabaseError:
            down = {"ok": False, "database": "unreachable"}
            return Response(down, status=status.HTTP_503_SERVICE_UNAVAILABLE)
        return Response(
            {
                "ok": state.edition is not None,
                "database": "ok",
                "edition": state.edition.isoformat() if state.edition else None,
                "sample": state.sample,
                "counts": counts,
                "embedding": {"done": state.embedded, "total": state.to_embed},
                "notices": notices(state),
            }
        )


class AboutView(APIView):
    """The source this judge runs, who runs it, and how fresh its data is."""

    def get(self, _request: Request) -> Response:
        """200; the data is left out while the database cannot be reached."""
        shown: dict[str, Any] = asdict(about())
        try:
            state = corpus().state()
            shown["edition"] = state.edition.isoformat() if state.edition else None
            shown["sample"] = state.sample
            shown["data"] = bulk_files()
        except DatabaseError:
            shown["edition"], shown["sample"], shown["data"] = None, False, []
        return Response(shown)


class NothingHere(APIView):
    """Every other address under /api/, whatever the method."""

    @override
    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Answers before a method is looked for."""
        raise NotFound("there is nothing at this address; docs/API.md lists what there is")
