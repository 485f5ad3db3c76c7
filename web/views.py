"""The page a question is asked on, and what is shown when a page cannot be."""

from __future__ import annotations

import secrets
from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import cache_control

from calls.asking import Asked, ask, ground
from calls.limits import address_key
from calls.presentation import ReplyObject, reply_object
from judge.errors import InvalidQuestion
from judge.questions import MAX_QUESTION
from web.examples import example_questions
from web.picks import Picks
from web.shown import site, view_of

_STATUS = {"rate_limited": 429, "busy": 503, "error": 503}


# Not no-store: coming back from a citation must show the answer again, not ask to send the question twice.
@method_decorator(cache_control(private=True, no_cache=True), name="dispatch")
class AskView(View):
    """GET the box, POST a question. The page is whole without a line of script."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The empty box with examples; ?q= fills it."""
        question = request.GET.get("q", "")[:MAX_QUESTION]
        state = ground()
        context = {"question": question, "examples": example_questions(state), "thread": _new_thread()}
        return render(request, "web/ask.html", site(state) | context)

    def post(self, request: HttpRequest) -> HttpResponse:
        """The reply to the question, or the box again with what is wrong with it."""
        question, picks = request.POST.get("question", ""), Picks.of(request.POST)
        thread = request.POST.get("thread", "")[:64] or _new_thread()
        kept = {
            "asked": question[:MAX_QUESTION],
            "picks": picks,
            "thread": thread,
            "private": bool(request.POST.get("private")),
        }
        try:
            reply = ask(_asked(request, question, picks, thread))
        except InvalidQuestion as error:
            state = ground()
            context = kept | {"question": kept["asked"], "problem": str(error), "examples": example_questions(state)}
            return render(request, "web/ask.html", site(state) | context, status=400)
        state = ground()
        shown = reply_object(reply, state)
        response = render(request, "web/reply.html", site(state) | kept | {"reply": view_of(shown)})
        if kept["private"]:
            patch_cache_control(response, no_store=True)
        return _with_status(response, shown)


def _asked(request: HttpRequest, question: str, picks: Picks, thread: str) -> Asked:
    return Asked(
        text=question,
        door="web",
        asker=address_key(
            request.META.get("REMOTE_ADDR", ""),
            request.META.get("HTTP_X_FORWARDED_FOR", ""),
            settings.JUDGE_TRUSTED_PROXIES,
        ),
        pins=picks.pins,
        private=bool(request.POST.get("private")),
        thread=thread,
    )


def _new_thread() -> str:
    return secrets.token_urlsafe(16)


def _with_status(response: HttpResponse, shown: ReplyObject) -> HttpResponse:
    response.status_code = _STATUS.get(shown["kind"], HTTPStatus.OK)
    if "retry_after" in shown:
        response["Retry-After"] = str(shown["retry_after"])
    return response


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001  # Django passes it
    """The form's token did not match: cookies are off, or the page is older than the cookie."""
    lines = ["This page was open for too long, or cookies are off for this site.", "Go back, load it again, and ask."]
    return render(request, "web/problem.html", {"title": "Please load the page again", "lines": lines}, status=403)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """The request cannot be read."""
    too_big = isinstance(exception, RequestDataTooBig)
    line = (
        "The question is far too long; a few lines are enough." if too_big else "The browser sent what nobody can read."
    )
    return render(request, "web/problem.html", {"title": "That did not arrive well", "lines": [line]}, status=400)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """There is no such page; a message of ours says what is not there."""
    message = str(exception) if exception and exception.args and isinstance(exception.args[0], str) else ""
    lines = [message or "There is nothing at this address."]
    return render(request, "web/problem.html", {"title": "Not here", "lines": lines}, status=404)


def broken(request: HttpRequest) -> HttpResponse:
    """Something nobody foresaw; the log has it."""
    lines = ["Something broke on our side. The log has the details.", "Asking again in a minute may work."]
    return render(request, "web/problem.html", {"title": "That went wrong", "lines": lines}, status=500)
