"""Which database the judge uses: DATABASE_URL where set, the embedded server otherwise."""

from __future__ import annotations

import os
from typing import Any

from judgesite import embedded
from judgesite.problems import SetupError

OLDEST_SERVER = 160000  # server_version_num; what the migrations and the tests were run on
_NEEDED = ("vector", "pg_trgm")
# Django's names for what a connection string calls otherwise; the rest goes through to psycopg as it is.
_DJANGO_NAMES = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}


def settings() -> dict[str, Any]:
    """Django's DATABASES entry. Raises SetupError when DATABASE_URL cannot be read."""
    entry: dict[str, Any] = {
        "ENGINE": "django.db.backends.postgresql",
        "CONN_MAX_AGE": 0,  # the pool keeps connections
        "OPTIONS": {"pool": {"min_size": 1, "max_size": 8, "timeout": 10}},
    }
    if url := os.environ.get("DATABASE_URL"):
        for key, value in _parse(url).items():
            if key in _DJANGO_NAMES:
                entry[_DJANGO_NAMES[key]] = value
            else:
                entry["OPTIONS"][key] = value
        return entry
    return entry | {"HOST": str(embedded.server().socket_dir), "USER": embedded.ROLE, "NAME": embedded.DATABASE}


def check_external() -> None:
    """Nothing when the database of DATABASE_URL can serve the judge. Raises SetupError saying what it lacks."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        return
    import psycopg

    _parse(url)
    try:
        with psycopg.connect(url, connect_timeout=10, autocommit=True) as connection:
            _check_version(connection)
            for name in _NEEDED:
                _check_extension(connection, name)
    except psycopg.OperationalError as error:
        raise SetupError(f"DATABASE_URL: the database does not answer: {str(error).strip()}") from error


def _check_version(connection: Any) -> None:
    version = connection.info.server_version
    if version < OLDEST_SERVER:
        raise SetupError(
            f"DATABASE_URL: the server is Postgres {version // 10000}; "
            f"the judge needs {OLDEST_SERVER // 10000} or newer"
        )


def _check_extension(connection: Any, name: str) -> None:
    """Makes sure extension *name* is there, creating it where that is permitted."""
    import psycopg

    query = (
        "select installed_version is not null, name is not null from (select 1) one "
        "left join pg_available_extensions on name = %s"
    )
    installed, available = connection.execute(query, [name]).fetchone()
    if installed:
        return
    database = connection.info.dbname
    if not available:
        package = "pgvector (Debian: postgresql-NN-pgvector)" if name == "vector" else "postgresql-contrib"
        raise SetupError(f"DATABASE_URL: the server has no extension '{name}'; install {package} on it")
    try:
        connection.execute(f'create extension if not exists "{name}"')
    except psycopg.Error as error:
        raise SetupError(
            f"DATABASE_URL: database '{database}' lacks the extension '{name}', and user '{connection.info.user}' "
            f"may not create it. Let an administrator run in that database: CREATE EXTENSION {name};"
        ) from error


def _parse(url: str) -> dict[str, Any]:
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = {key: value for key, value in conninfo_to_dict(url).items() if value is not None}
    except ProgrammingError as error:
        raise SetupError(f"DATABASE_URL cannot be read as a connection string: {str(error).strip()}") from error
    if not parts.get("dbname"):
        raise SetupError("DATABASE_URL names no database; write postgresql://user:password@host/database")
    return parts


def migrate() -> None:
    """Brings the schema up to date; quick and silent when it is."""
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)


def close() -> None:
    """Closes this process's connections, pool included, so that the server can stop in peace."""
    from django.db import connections

    for connection in connections.all(initialized_only=True):
        connection.close()
        close_pool = getattr(connection, "close_pool", None)
        if close_pool is not None:
            close_pool()
