"""Loads that fail halfway: what was there before stays whole. Real transactions on real connections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection, connections

import cards.ingest
from cards.ingest import IngestBusy, IngestError, Outcome, ingest_cards
from cards.models import BulkFile, Card, CardFace, Ruling
from cards.rows import CardRow, card_rows
from sources.folder import FolderSource
from tests.cards.bulk import card, ruling, write

pytestmark = pytest.mark.django_db(transaction=True)

OLD = [card("Gate Warden", oracle_text="Vigilance"), card("Old Moon")]
NEW = [card("Gate Warden", oracle_text="Flying"), card("New Moon"), card("Second Moon")]
RULINGS = [ruling("Gate Warden", "It stays untapped.")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, oracle_cards=OLD, rulings=RULINGS)
    ingest_cards(FolderSource(tmp_path))
    return write(tmp_path, oracle_cards=NEW)


def stored() -> list[object]:
    return [
        list(Card.objects.order_by("oracle_id").values()),
        list(CardFace.objects.order_by("id").values()),
        list(Ruling.objects.order_by("id").values()),
        list(BulkFile.objects.order_by("kind").values()),
    ]


def fail_at_second_card(monkeypatch: pytest.MonkeyPatch, fail: Any) -> None:
    """Runs *fail* while the load is in the middle of its COPY."""
    seen = 0

    def failing(obj: Any) -> tuple[CardRow, ...]:
        nonlocal seen
        seen += 1
        if seen == 2:
            fail()
        return card_rows(obj)

    monkeypatch.setattr(cards.ingest, "card_rows", failing)


def fail_after_merge(monkeypatch: pytest.MonkeyPatch, fail: Any) -> None:
    """Runs *fail* when all rows are written and only the commit is missing."""
    monkeypatch.setattr(cards.ingest, "_remember", lambda *args: fail())


def kill_connection() -> None:
    """Ends the load's server process from outside, as a crash of it would."""
    pid = connection.connection.info.backend_pid
    with psycopg.connect(**_parameters()) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def fill_disk() -> None:
    raise psycopg.errors.DiskFull("could not extend file: No space left on device")


def _parameters() -> dict[str, Any]:
    settings = connections["default"].settings_dict
    found = {"dbname": settings["NAME"], "user": settings["USER"], "password": settings["PASSWORD"],
             "host": settings["HOST"], "port": settings["PORT"]}  # fmt: skip
    return {key: value for key, value in found.items() if value}


@pytest.mark.parametrize("when", [fail_at_second_card, fail_after_merge])
@pytest.mark.parametrize(
    ("fault", "message"),
    [(kill_connection, "nothing was changed. Run it again"), (fill_disk, "disk is full; nothing was changed")],
)
def test_a_fault_in_the_middle_leaves_the_old_rows_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch, when: Any, fault: Any, message: str
) -> None:
    before = stored()

    def fail() -> None:
        fault()
        # After the connection was cut, the next statement is what notices.
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")

    with monkeypatch.context() as patched:
        when(patched, fail if when is fail_after_merge else fault)
        with pytest.raises(IngestError, match=message):
            ingest_cards(FolderSource(folder))
    connection.close()
    assert stored() == before
    assert ingest_cards(FolderSource(folder)).files[0].outcome is Outcome.LOADED
    assert Card.objects.count() == 3


def test_an_interrupted_load_leaves_the_old_rows_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = stored()

    def interrupt() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        fail_at_second_card(patched, interrupt)
        with pytest.raises(KeyboardInterrupt):
            ingest_cards(FolderSource(folder))
    assert stored() == before
    assert ingest_cards(FolderSource(folder)).has_changes


def test_a_second_load_at_once_says_so(folder: Path) -> None:
    before = stored()
    with psycopg.connect(**_parameters(), autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [cards.ingest._LOCK])
        with pytest.raises(IngestBusy, match="being loaded by another process"):
            ingest_cards(FolderSource(folder))
    assert stored() == before
    assert ingest_cards(FolderSource(folder)).has_changes


def test_readers_see_the_old_rows_until_the_load_is_done(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def look() -> None:
        with psycopg.connect(**_parameters()) as other:
            row = other.execute("SELECT count(*) FROM cards_card").fetchone()
            seen.append(row[0] if row else -1)

    fail_at_second_card(monkeypatch, look)
    ingest_cards(FolderSource(folder))
    look()
    assert seen == [2, 3]
