"""`manage.py benchmark retrieval`: how long resolving and retrieving take, and what of it is SQL and embedding.

Every question runs through the product's own extraction, resolver and retriever; extraction is not timed here.
With --calls, that many made-up calls stand in the table while the clock runs, in a transaction that is rolled back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from django.core.management.base import CommandError
from django.db import connection, transaction

from calls.adapters.resolver import DatabaseResolver
from calls.adapters.retriever import PostgresRetriever
from calls.model_wiring import configured_embedder
from calls.wiring import settle_heap
from eval.gold import GoldQuestion, read_gold
from eval.reading import BadSet
from judge.ports import Embedder
from judge.questions import brackets
from judge.values import CardSpan, Extraction, Question, Resolved, Space, Vector
from llm.local import UnknownEmbedder
from rules.models import Edition

_WARM_UP = 5  # questions before the clock counts: what is read once a process, connections, plans
_SHARES = (50, 95)  # percentiles


class Output(Protocol):
    """What the command writes lines to."""

    def write(self, msg: str) -> object:
        """Writes one line."""
        ...


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of one question: in all, inside SQL, inside the embedder."""

    total: float
    sql: float
    embedding: float

    @property
    def beside(self) -> float:
        """Everything but embedding."""
        return self.total - self.embedding


@dataclass(slots=True)
class Stopwatch:
    """Adds up milliseconds; use as an execute_wrapper of a connection, or around a call."""

    milliseconds: float = 0.0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        """What *execute* gives, timed."""
        with self.running():
            return execute(sql, params, many, context)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Counts the time spent inside."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.milliseconds += (time.perf_counter() - begun) * 1000


class TimedEmbedder:
    """*embedder*, and how long it took for queries; one that keeps query vectors keeps them here too."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.clock = Stopwatch()

    @property
    def space(self) -> Space:
        """The embedder's own."""
        return self._embedder.space

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """The embedder's own."""
        return self._embedder.documents(texts)

    def query(self, text: str) -> Vector:
        """The embedder's own, timed."""
        with self.clock.running():
            return self._embedder.query(text)


type Job = tuple[Question, Extraction, tuple[CardSpan, ...]]


def run(file: Path, calls: int, stdout: Output) -> None:
    """Prints the percentiles over the questions of *file*. calls: how many made-up ones stand in the table meanwhile.

    Raises CommandError for what cannot be run.
    """
    embedder = embedder_here()
    jobs = jobs_of(file, embedder)
    if calls <= 0:
        _report(_timed(jobs, embedder), stdout)
        return
    if embedder is not None and embedder.space.provider != "local":  # its money is counted in transactions of its own
        raise CommandError(
            "Made-up calls need vectors from this machine: run it with --calls 0, or another embed stage."
        )
    with transaction.atomic():
        begun = time.perf_counter()
        make_calls(calls)
        stdout.write(f"{calls:,} calls made in {time.perf_counter() - begun:.0f} s, gone again at the end")
        _report(_timed(jobs, embedder), stdout)
        transaction.set_rollback(True)


def make_calls(count: int) -> None:
    """Fills the table of calls with *count* invented ones, one in ten rated, and lets the planner know."""
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO calls_call (kind, question, answer, confidence, category, source, answer_language,
                                       citations, cards, context, trace, edition, door, thread, asked_at, model,
                                       claims, transcript, card_texts, score, votes, is_approved, is_usable,
                                       retired_because)
               SELECT 'answer', 'made-up question ' || n, 'made-up answer ' || n, 'high', 'other', 'cr', 'en',
                      '[]', '{}', '{}', '{}', '2026-01-01', 'benchmark', 'thread ' || n %% 1000,
                      now() - n * interval '1 second', 'made-up', '[]', '{}', '{}', 2.25, 1, false, n %% 10 = 0, ''
               FROM generate_series(1, %s) AS n""",
            [count],
        )
        cursor.execute("ANALYZE calls_call")


def jobs_of(file: Path, embedder: Embedder | None) -> list[Job]:
    """Every question of *file* with its extraction and spans."""
    from calls.adapters.extractor import LocalExtractor

    if Edition.objects.current() is None:
        raise CommandError("No rules are loaded yet; run ingest_rules first.")
    try:
        questions = read_gold(file)
    except BadSet as error:
        raise CommandError(str(error)) from None
    if not questions:
        raise CommandError(f"{file} holds no questions")
    extractor = LocalExtractor(embedder)
    return [_job(each, extractor) for each in questions]


def _job(gold: GoldQuestion, extractor: Any) -> Job:
    question = Question(text=gold.question, history=gold.history)
    extraction = extractor.extract(question)
    spans = {span.text: span for span in (*brackets(question), *extraction.spans)}
    return question, extraction, tuple(spans.values())


def embedder_here() -> Embedder | None:
    """The embedder set up here, None for none. Raises CommandError."""
    try:
        return configured_embedder()
    except UnknownEmbedder as error:
        raise CommandError(str(error)) from None


def _timed(jobs: Sequence[Job], embedder: Embedder | None) -> list[Timing]:
    """One timing a question, each put once, so that its texts are embedded as for a first asker."""
    for job in jobs[:_WARM_UP]:
        answer(job, embedder)
    settle_heap()  # as the server does once it is warm
    return [answer(job, embedder) for job in jobs]


def answer(job: Job, embedder: Embedder | None) -> Timing:
    """*job* resolved and retrieved, timed."""
    question, extraction, spans = job
    timed = None if embedder is None else TimedEmbedder(embedder)
    whole, sql = Stopwatch(), Stopwatch()
    with connection.execute_wrapper(sql), whole.running():
        resolutions = DatabaseResolver().resolve(spans) if spans else ()
        found = {each.card.id: each for each in resolutions if isinstance(each, Resolved)}
        PostgresRetriever(timed).retrieve(question, extraction, tuple(found.values()))
    return Timing(whole.milliseconds, sql.milliseconds, timed.clock.milliseconds if timed else 0.0)


def _report(timings: Sequence[Timing], stdout: Output) -> None:
    for name, values in (
        ("resolve + retrieve beside embedding", [each.beside for each in timings]),
        ("embedding", [each.embedding for each in timings]),
        ("bare SQL", [each.sql for each in timings]),
        ("all together", [each.total for each in timings]),
    ):
        figures = ", ".join(f"p{share} {percentile(values, share):.1f} ms" for share in _SHARES)
        stdout.write(f"{name:<36} {figures}")
    total = sum(each.total for each in timings)
    bare = sum(each.sql + each.embedding for each in timings)
    stdout.write(
        f"{len(timings)} questions: {total:.0f} ms, {total / max(bare, 0.001):.2f} times bare SQL and embedding"
    )


def percentile(values: Sequence[float], share: int) -> float:
    """The smallest of *values* that *share* percent of them do not pass; values may not be empty."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]
