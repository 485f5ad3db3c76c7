"""The addresses under /api/."""

from __future__ import annotations

from django.urls import path, re_path

from api.views import AboutView, HealthView, JudgeView, NothingHere

urlpatterns = [
    path("judge", JudgeView.as_view(), name="api-judge"),
    path("health", HealthView.as_view(), name="api-health"),
    path("about", AboutView.as_view(), name="api-about"),
    re_path(r"", NothingHere.as_view()),
]
