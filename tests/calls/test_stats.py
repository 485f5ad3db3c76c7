"""What `manage.py stats` tells."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from calls.adapters.failures import PostgresFailureStore
from calls.evaluation.speed import make_calls
from calls.models import Call, FailedCall, FailureDay, SpendDay
from calls.spending import Cap, Period, PostgresLedger, period_start
from calls.statistics import lines, statistics
from judge.failures import Failure, FailureKind
from judge.values import Question
from llm.messages import Usage
from llm.metering import Purpose

pytestmark = pytest.mark.django_db

CAP = Cap(2_000_000, Period.DAY)
SYNTH = Purpose("synth", "big")


def told(**options: object) -> str:
    out = io.StringIO()
    call_command("stats", stdout=out, **options)
    return out.getvalue()


def spent(microdollars: int, days_ago: int = 0, stage: str = "synth") -> None:
    day = period_start(Period.DAY) - timedelta(days=days_ago)
    SpendDay.objects.create(day=day, stage=stage, model="big", calls=1, microdollars=microdollars)


def failed(kind: FailureKind, *rejections: str, newest: int = 500) -> None:
    failure = Failure(kind=kind, stage="synth", reasons=(), rejections=rejections)
    PostgresFailureStore(newest=newest).keep(Question(text="?", door="web"), failure)


def test_nothing_done_is_told_as_nothing() -> None:
    assert "0 questions, 0% answered without a model" in told()


def test_questions_are_counted_by_door_and_kind() -> None:
    make_calls(3)
    Call.objects.filter(question="made-up question 1").update(kind=Call.Kind.EXTRACTIVE, door="web")

    found = statistics(7, CAP)

    assert (found.questions, round(found.extractive, 2)) == (3, 0.33)
    assert found.by_door == {"benchmark": 2, "web": 1}
    assert found.by_kind == {"answer": 2, "extractive": 1}
    assert "By door: benchmark 2, web 1. By kind: answer 2, extractive 1." in told()


def test_requests_retries_tokens_and_money_are_counted_by_stage_and_model() -> None:
    book = PostgresLedger(CAP)
    for purpose, failed_, cost in ((SYNTH, True, 0), (replace(SYNTH, is_retry=True), False, 700)):
        book.settle(book.reserve(900, purpose), cost, Usage(10, 5, 2, 1), purpose, failed=failed_)
    extract = Purpose("extract", "small")
    book.settle(book.reserve(900, extract), 3, Usage(1, 1), extract, failed=False)
    book.reserve(2_500, SYNTH)

    synth, extracted = statistics(7, CAP).by_model

    assert synth == {
        "stage": "synth",
        "model": "big",
        "calls": 2,
        "failed": 1,
        "retries": 1,
        "input_tokens": 20,
        "output_tokens": 10,
        "cache_read": 4,
        "cache_written": 2,
        "microdollars": 700,
    }
    assert (extracted["stage"], extracted["microdollars"]) == ("extract", 3)
    text = told()
    assert "Spent today $0.0007, this month $0.0007" in text
    assert "The cap is $2.0000 a day, 0% of it spent; $0.0025 set aside for requests under way." in text
    assert "Requests to models: 3 (1 failed, 1 retries), 27 tokens in, 11 out, $0.0007" in text
    assert "  synth by big: 2 (1 failed, 1 retries), 26 tokens in, 10 out, $0.0007" in text


def test_what_is_spent_is_held_against_the_cap_of_its_period() -> None:
    month = period_start(Period.MONTH)
    SpendDay.objects.create(day=month, stage="extract", model="m", microdollars=500_000)
    SpendDay.objects.create(day=month - timedelta(days=1), stage="extract", model="m", microdollars=7_000_000)
    spent(100_000)

    today = 600_000 if month == period_start(Period.DAY) else 100_000
    for cap, used in ((CAP, today), (replace(CAP, period=Period.MONTH), 600_000)):
        found = statistics(1, cap)
        assert (found.today, found.month, found.spent) == (today, 600_000, used)
        assert f"{used / 20_000:.0f}% of it spent" in "\n".join(lines(found))
    assert "The cap is $2.0000 a process; $" in "\n".join(lines(statistics(1, replace(CAP, period=Period.PROCESS))))
    assert "There is no cap" in "\n".join(lines(statistics(1, Cap(None))))


def test_failures_are_counted_by_kind_and_rejections_by_reason() -> None:
    failed(FailureKind.RETRIED, "BadCitation")
    failed(FailureKind.REJECTED, "BadCitation", "Empty", "BadCitation")
    failed(FailureKind.PROVIDER)

    found = statistics(7, CAP)

    assert found.failures == {"provider": 1, "rejected": 1, "retried": 1}
    assert found.rejections == {"BadCitation": 3, "Empty": 1}
    text = told()
    assert "Answers that needed a second draft: 1" in text
    assert "Failed attempts: provider 1, rejected 1\nRejections: BadCitation 3, Empty 1" in text


def test_what_is_no_longer_kept_still_counts() -> None:
    for _ in range(3):
        failed(FailureKind.PROVIDER, newest=1)

    assert FailedCall.objects.count() == 1
    assert statistics(7, CAP).failures == {"provider": 3}


def test_only_the_days_asked_for_count() -> None:
    make_calls(2)
    Call.objects.update(asked_at=timezone.now())
    Call.objects.filter(question="made-up question 1").update(asked_at=F("asked_at") - timedelta(days=3))
    spent(5)
    spent(7, days_ago=3)
    failed(FailureKind.PROVIDER)
    failed(FailureKind.REJECTED, "Empty")
    FailureDay.objects.filter(kind="rejected").update(day=F("day") - timedelta(days=3))

    near, far = statistics(3, CAP), statistics(4, CAP)

    assert (near.questions, near.total("microdollars"), near.failures, near.rejections) == (1, 5, {"provider": 1}, {})
    assert (far.questions, far.total("microdollars")) == (2, 12)
    assert (far.failures, far.rejections) == ({"provider": 1, "rejected": 1}, {"Empty": 1})
    assert [(day["questions"], day["microdollars"]) for day in far.by_day] == [(1, 5), (1, 7)]


def test_json_holds_what_is_told() -> None:
    make_calls(3)
    spent(5)

    found = json.loads(told(json=True, days=2))

    assert (found["days"], found["questions"], found["extractive_share"]) == (2, 3, 0.0)
    assert (found["today"], found["spent"], found["cap"], found["period"]) == (5, 5, 2_000_000, "day")
    assert (found["requests"]["calls"], found["by_day"][0]["requests"]) == (1, 1)


def test_calls_of_other_days_are_not_looked_at() -> None:
    make_calls(20_000)
    with connection.cursor() as cursor, CaptureQueriesContext(connection) as queries:
        cursor.execute("UPDATE calls_call SET asked_at = asked_at - id % 200 * interval '1 day'")
        cursor.execute("ANALYZE calls_call")
        statistics(1, CAP)
        (query,) = (each["sql"] for each in queries if 'FROM "calls_call"' in each["sql"])
        cursor.execute(f"EXPLAIN {query}")
        plan = "\n".join(row[0] for row in cursor.fetchall())

    assert "call_day" in plan
    assert "Seq Scan" not in plan


def test_a_senseless_number_of_days_says_so() -> None:
    for days in (0, -1, 367):
        with pytest.raises(CommandError, match="between 1 and 366"):
            told(days=days)
