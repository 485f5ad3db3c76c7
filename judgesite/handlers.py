"""What is answered where no view answers: an error object under /api/, a page everywhere else."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from api.errors import failure, unreadable
from web import views

API = "/api/"


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """A request that cannot be read, or comes under a Host that is not ours."""
    return unreadable(exception) if request.path.startswith(API) else views.bad_request(request, exception)


def broken(request: HttpRequest) -> HttpResponse:
    """Something nobody foresaw; the log has it."""
    return failure() if request.path.startswith(API) else views.broken(request)
