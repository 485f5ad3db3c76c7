"""The pages."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The page was open too long."""
    return HttpResponse("This page has been open for too long. Please load it again.", status=403)
