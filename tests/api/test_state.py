"""GET /api/health and GET /api/about."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from calls.about import about
from cards.models import BulkFile, Card
from rules.models import Edition

pytestmark = pytest.mark.django_db


def test_health_says_what_the_judge_stands_on(edition: Edition, owl: Card) -> None:
    response = Client().get("/api/health")

    assert response.status_code == 200
    shown = response.json()
    assert shown["ok"] is True
    assert shown["database"] == "ok"
    assert (shown["edition"], shown["sample"]) == ("2031-02-03", False)
    assert shown["counts"] == {"cards": 1, "rulings": 1, "rules": 2, "subrules": 1, "glossary": 1}
    assert shown["embedding"] == {"done": 0, "total": 3}


def test_health_of_a_judge_without_rules_is_not_ok() -> None:
    shown = Client().get("/api/health").json()

    assert (shown["ok"], shown["edition"]) == (False, None)


def test_health_tells_sample_data(edition: Edition) -> None:
    Edition.objects.update(is_sample=True)

    assert Client().get("/api/health").json()["sample"] is True


def test_health_is_503_while_the_database_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("calls.adapters.corpus.PostgresCorpus.state", down)
    response = Client().get("/api/health")

    assert response.status_code == 503
    assert response.json() == {"ok": False, "database": "unreachable"}


def test_about_offers_the_source_and_names_the_operator(edition: Edition, settings: Any) -> None:
    settings.JUDGE_SOURCE_URL, settings.JUDGE_COMMIT = "https://example.org/judge", "c0ffee"
    settings.JUDGE_OPERATOR = "The Example Guild"
    BulkFile.objects.create(kind="rulings", origin="x", sha256="0" * 64, updated_at="2031-02-01T09:00:00+00:00", rows=7)
    BulkFile.objects.create(
        kind="all_cards", origin="x", sha256="0" * 64, updated_at="7 bytes, changed 1900000000000000000", rows=8
    )
    about.cache_clear()
    try:
        shown = Client().get("/api/about").json()
    finally:
        about.cache_clear()

    assert shown["repository"] == "https://example.org/judge"
    assert (shown["commit"], shown["licence"]) == ("c0ffee", "AGPL-3.0-or-later")
    assert (shown["operator"], shown["edition"]) == ("The Example Guild", "2031-02-03")
    assert shown["version"]
    files = [(file["kind"], file["rows"], file["updated_at"]) for file in shown["data"]]
    assert files == [("all_cards", 8, "2030-03-17T17:46:40+00:00"), ("rulings", 7, "2031-02-01T09:00:00+00:00")]


@pytest.mark.parametrize(
    ("remote", "repository"),
    [
        ("https://me:secret@example.org/judge.git", "https://example.org/judge"),
        ("git@example.org:judge.git", ""),
        ("/srv/judge", ""),
        ("", ""),
    ],
)
def test_without_a_setting_the_source_is_the_checkouts_origin(
    monkeypatch: pytest.MonkeyPatch, settings: Any, remote: str, repository: str
) -> None:
    settings.JUDGE_SOURCE_URL = ""
    monkeypatch.setattr("calls.about._git", lambda *arguments: remote if "get-url" in arguments else "c0ffee")
    about.cache_clear()
    try:
        assert about().repository == repository
    finally:
        about.cache_clear()


def test_about_offers_the_source_even_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("calls.adapters.corpus.PostgresCorpus.state", down)
    response = Client().get("/api/about")

    assert response.status_code == 200
    assert response.json()["licence"] == "AGPL-3.0-or-later"
