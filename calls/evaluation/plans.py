"""`manage.py benchmark plans`: every query one question makes, with the plan Postgres runs it by on the loaded data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from calls.evaluation import speed

Query = tuple[str, Any]


def run(file: Path, calls: int, stdout: speed.Output) -> None:
    """Prints the queries of the question of *file* that has the most card names, each with its plan and its time.

    calls: how many made-up calls stand in the table meanwhile, to see that none of the plans reads them all.
    Raises CommandError for what cannot be run.
    """
    embedder = speed.embedder_here()
    job = max(speed.jobs_of(file, embedder), key=lambda job: len(job[2]))
    with transaction.atomic():
        if calls > 0:
            speed.make_calls(calls)
        speed.answer(job, embedder)  # what is read once a process is read now
        queries: list[Query] = []
        with connection.execute_wrapper(_noting(queries)):
            speed.answer(job, embedder)
        stdout.write(f"{job[0].text}\n{len(queries)} queries")
        for sql, params in queries:
            stdout.write(f"\n{' '.join(sql.split())}")
            for line in _plan(sql, params):
                stdout.write(f"    {line}")
        transaction.set_rollback(True)


def _noting(queries: list[Query]) -> Callable[..., Any]:
    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        queries.append((sql, params))
        return execute(sql, params, many, context)

    return note


def _plan(sql: str, params: Any) -> list[str]:
    """The lines of the plan; a statement before the last, as one that sets a threshold, is run and not explained."""
    *settings, query = sql.strip().rstrip(";").split(";")
    if settings:
        return [f"not explained: {len(settings) + 1} statements in one"]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF) {query}", params)
        return [line for (line,) in cursor.fetchall()]
