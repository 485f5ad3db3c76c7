"""The addresses of the pages; calls.addresses writes the same ones."""

from __future__ import annotations

from django.urls import path

from web import pages, views

urlpatterns = [
    path("", views.AskView.as_view(), name="ask"),
    path("about", pages.about_page, name="about"),
    path("rules/<str:number>", pages.rule, name="rule"),
    path("cards/<str:slug>", pages.card, name="card"),
    path("glossary/<str:slug>", pages.glossary, name="glossary"),
]
