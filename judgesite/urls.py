"""Every door's addresses."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("api.urls")),
    path("", include("web.urls")),
]

handler400 = "judgesite.handlers.bad_request"
handler404 = "web.views.not_found"
handler500 = "judgesite.handlers.broken"
