"""The ledger: one cap for every process, on real Postgres."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F, Sum

from calls.models import Reservation, SpendAlert, SpendDay
from calls.spending import Cap, Period, PostgresLedger, period_start, spent_since
from llm.errors import CapReached
from llm.messages import Usage
from tests.calls.spender import COST, SYNTH, reserve_and_hang, spend
from tests.loopback import Answer, loopback


def ledger(cap: int | None = 5_000, period: Period = Period.DAY, webhook: str = "") -> PostgresLedger:
    return PostgresLedger(Cap(cap, period, webhook))


def committed() -> int:
    reserved = Reservation.objects.aggregate(total=Sum("amount"))["total"] or 0
    return reserved + spent_since(period_start(Period.DAY))


@pytest.mark.django_db
@pytest.mark.parametrize("period", list(Period))
def test_what_is_settled_below_the_reservation_leaves_room(period: Period) -> None:
    book = ledger(5_000, period)
    first = book.reserve(4_000, SYNTH)
    with pytest.raises(CapReached, match=r"\$0\.0040 are spent or set aside"):
        book.reserve(2_000, SYNTH)

    book.settle(first, 1_500, Usage(input=10, output=5), SYNTH, failed=False)

    book.reserve(3_500, SYNTH)
    with pytest.raises(CapReached):
        book.reserve(1, SYNTH)


@pytest.mark.django_db
def test_a_day_keeps_calls_tokens_and_money_by_stage_and_model() -> None:
    book = ledger(None)
    for failed in (False, True):
        book.settle(book.reserve(9, SYNTH), 7, Usage(1, 2, 3, 4), SYNTH, failed=failed)

    row = SpendDay.objects.get()
    assert (row.stage, row.model, row.calls, row.failed, row.microdollars) == ("synth", "big", 2, 1, 14)
    assert (row.input_tokens, row.output_tokens, row.cache_read, row.cache_written) == (2, 4, 6, 8)


@pytest.mark.django_db
def test_the_cap_says_when_there_is_room_again() -> None:
    with pytest.raises(CapReached) as caught:
        ledger(0).reserve(1, SYNTH)

    assert caught.value.retry_after is not None
    assert 1 <= caught.value.retry_after <= 86_400


@pytest.mark.django_db
def test_a_dead_processs_reservation_is_freed_and_still_counts_when_settled_late() -> None:
    book = ledger(5_000)
    dead = book.reserve(5_000, SYNTH)
    Reservation.objects.update(expires_at=F("made_at") - timedelta(seconds=1))

    book.reserve(5_000, SYNTH)
    book.settle(dead, 4_000, Usage(), SYNTH, failed=False)

    assert spent_since(period_start(Period.DAY)) == 4_000


@pytest.mark.django_db
def test_last_months_money_does_not_count() -> None:
    SpendDay.objects.create(
        day=period_start(Period.MONTH) - timedelta(days=1), stage="s", model="m", microdollars=9_999
    )

    ledger(10, Period.MONTH).reserve(10, SYNTH)


@pytest.mark.django_db
def test_the_operator_is_told_once_a_period() -> None:
    with loopback() as server:
        server.answers["/alert"] = [Answer(b"ok")]
        book = ledger(0, webhook=f"{server.url}/alert")
        for _ in range(3):
            with pytest.raises(CapReached):
                book.reserve(1, SYNTH)
        until = time.monotonic() + 5
        while not server.bodies and time.monotonic() < until:
            time.sleep(0.02)

    assert SpendAlert.objects.count() == 1
    assert [json.loads(body)["event"] for body in server.bodies] == ["spend_cap_reached"]


@pytest.mark.django_db
def test_a_webhook_that_fails_hurts_nobody() -> None:
    with pytest.raises(CapReached):
        ledger(0, webhook="http://127.0.0.1:9/alert").reserve(1, SYNTH)


def crowd_context() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.calls.spender"])
    return context


@pytest.mark.django_db(transaction=True)
def test_fifty_processes_never_overspend_and_use_the_cap_up() -> None:
    cap = 60 * COST + COST // 2
    with crowd_context().Pool(50) as crowd:
        done = crowd.starmap_async(spend, [(connection.settings_dict["NAME"], 4, cap)] * 50, chunksize=1).get(120)

    assert sum(done) == 60
    assert committed() == 60 * COST
    assert not Reservation.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_process_killed_between_reserve_and_settle_gives_its_money_back() -> None:
    process = crowd_context().Process(target=reserve_and_hang, args=(connection.settings_dict["NAME"],))
    process.start()
    until = time.monotonic() + 20
    while not Reservation.objects.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()

    assert committed() == COST
    with connection.cursor() as cursor:  # fifteen minutes later
        cursor.execute("UPDATE calls_reservation SET expires_at = now() - interval '1 second'")
    ledger().reserve(5_000, SYNTH)
    assert committed() == 5_000


@pytest.mark.django_db(transaction=True)
def test_no_connection_is_held_while_a_model_thinks() -> None:
    ledger().reserve(COST, SYNTH)

    assert connection.connection is None
