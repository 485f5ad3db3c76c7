from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from judgesite import database
from judgesite.embedded import ROLE, Server
from judgesite.problems import SetupError


@pytest.fixture
def external(server: Server) -> Iterator[Server]:
    """A server with a database `plain`, and a user `guest` who may create no extension in it."""
    with server.in_use():
        with psycopg.connect(host=str(server.socket_dir), user=ROLE, dbname="postgres", autocommit=True) as connection:
            connection.execute("create database plain")
            connection.execute("create role guest login")
        yield server


def _url(server: Server, user: str, name: str = "plain") -> str:
    return f"postgresql://{user}@/{name}?host={server.socket_dir}"


def test_without_a_url_the_embedded_server_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    entry = database.settings()
    assert entry["NAME"] == "judge"
    assert entry["HOST"].startswith("/")


def test_a_url_keeps_escapes_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://jo%40x:p%2Fw@db.example:5433/rules?sslmode=require")
    entry = database.settings()
    assert (entry["USER"], entry["PASSWORD"], entry["HOST"], entry["PORT"]) == ("jo@x", "p/w", "db.example", "5433")
    assert entry["NAME"] == "rules"
    assert entry["OPTIONS"]["sslmode"] == "require"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://user@host", "names no database"),
        ("mysql://user@host/db", "cannot be read"),
        ("postgresql://user@host/db?nonsense=1", "cannot be read"),
    ],
)
def test_an_unusable_url_is_told(url: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(SetupError, match=said):
        database.settings()


def test_missing_extensions_are_created_where_that_is_permitted(
    external: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", _url(external, ROLE))
    database.check_external()
    with psycopg.connect(_url(external, ROLE)) as connection:
        installed = {name for (name,) in connection.execute("select extname from pg_extension")}
    assert {"vector", "pg_trgm"} <= installed


def test_an_extension_that_may_not_be_created_is_named_with_the_command(
    external: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", _url(external, "guest"))
    with pytest.raises(SetupError, match=r"(?s)'plain'.*'vector'.*'guest'.*CREATE EXTENSION vector;"):
        database.check_external()


def test_an_old_server_is_refused(external: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", _url(external, ROLE))
    monkeypatch.setattr(database, "OLDEST_SERVER", 990000)
    with pytest.raises(SetupError, match=r"Postgres 18; the judge needs 99 or newer"):
        database.check_external()


def test_a_database_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://judge@127.0.0.1:1/judge")
    with pytest.raises(SetupError, match="does not answer"):
        database.check_external()
