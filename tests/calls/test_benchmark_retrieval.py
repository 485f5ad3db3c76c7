from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db import connection

from calls.evaluation import speed
from calls.evaluation.speed import Stopwatch, percentile
from calls.models import Call
from rules.embedding import embed_rules
from tests.rules.invented import WordEmbedder, load_invented

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path, settings: LazySettings) -> Path:
    settings.JUDGE_EMBEDDER = "none"
    path = tmp_path / "gold.yaml"
    path.write_text(
        "questions:\n- {id: hats, question: may each player wear a hat, cards: [], expected_rules: ['100.1']}\n",
        encoding="utf-8",
    )
    return path


def benchmark(file: Path, *arguments: str) -> str:
    out = io.StringIO()
    call_command("benchmark", "retrieval", "--questions", str(file), *arguments, stdout=out)
    return out.getvalue()


def test_the_figures_are_printed_with_what_they_are_compared_to(file: Path) -> None:
    load_invented()
    printed = benchmark(file)
    for name in ("resolve + retrieve beside embedding", "embedding", "bare SQL", "all together"):
        assert re.search(rf"^{re.escape(name)} +p50 [\d.]+ ms, p95 [\d.]+ ms$", printed, re.MULTILINE)
    assert re.search(r"^1 questions: \d+ ms, [\d.]+ times bare SQL and embedding$", printed, re.MULTILINE)


def test_embedding_is_timed_apart(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_invented()
    embedder = WordEmbedder()
    embed_rules(embedder)
    monkeypatch.setattr(speed, "configured_embedder", lambda: embedder)
    assert float(re.search(r"^embedding +p50 ([\d.]+) ms", benchmark(file), re.MULTILINE)[1]) >= 0.0  # type: ignore[index]  # it is printed


def test_made_up_calls_are_there_meanwhile_and_gone_at_the_end(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_invented()
    seen: list[int] = []
    timed = speed._timed

    def counting(jobs: Any, embedder: Any) -> Any:
        seen.append(Call.objects.count())
        return timed(jobs, embedder)

    monkeypatch.setattr(speed, "_timed", counting)
    assert "50 calls made" in benchmark(file, "--calls", "50")
    assert seen == [50]
    assert Call.objects.count() == 0


def test_sql_is_counted_by_the_connection() -> None:
    clock = Stopwatch()
    with connection.execute_wrapper(clock), connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(0.02)")
    assert clock.milliseconds >= 20


@pytest.mark.parametrize(("share", "value"), [(50, 2.0), (95, 4.0), (25, 1.0), (100, 4.0)])
def test_a_percentile_is_one_of_the_values(share: int, value: float) -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], share) == value


@pytest.mark.parametrize("text", ["nonsense: [", "questions: []"])
def test_what_cannot_be_timed_is_told(file: Path, text: str) -> None:
    load_invented()
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError):
        benchmark(file)


def test_without_rules_there_is_nothing_to_time(file: Path) -> None:
    with pytest.raises(CommandError, match="ingest_rules"):
        benchmark(file)


def test_the_plans_of_a_questions_queries_are_printed_and_no_call_is_left(file: Path) -> None:
    load_invented()
    out = io.StringIO()
    call_command("benchmark", "plans", "--questions", str(file), "--calls", "20", stdout=out)
    assert "rules_indexrevision" in out.getvalue()
    assert "Execution Time" in out.getvalue()
    assert not Call.objects.exists()
