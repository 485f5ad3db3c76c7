"""The ledger: one cap for every process, on real Postgres."""

from __future__ import annotations

import contextlib
import json
import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from multiprocessing.pool import AsyncResult
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import F, Sum

from calls.models import Reservation, SpendAlert, SpendDay
from calls.spending import Cap, Period, PostgresLedger, period_start, spent_since
from llm.errors import CapReached, Crowded
from llm.messages import Usage
from tests.calls.spender import COST, SYNTH, be_refused, reserve_and_hang, spend, spend_until_full
from tests.loopback import Answer, Loopback, loopback


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
    with pytest.raises(CapReached, match=r"\$0\.0000 are spent and \$0\.0040 set aside"):
        book.reserve(2_000, SYNTH)

    book.settle(first, 1_500, Usage(input=10, output=5), SYNTH, failed=False)

    book.reserve(3_500, SYNTH)
    with pytest.raises(CapReached):
        book.reserve(1, SYNTH)


@pytest.mark.django_db
def test_a_day_keeps_calls_tokens_and_money_by_stage_and_model() -> None:
    book = ledger(None)
    for failed in (False, True):
        purpose = replace(SYNTH, is_retry=failed)
        book.settle(book.reserve(9, purpose), 7, Usage(1, 2, 3, 4), purpose, failed=failed)

    row = SpendDay.objects.get()
    assert (row.stage, row.model, row.microdollars) == ("synth", "big", 14)
    assert (row.calls, row.failed, row.retries) == (2, 1, 1)
    assert (row.input_tokens, row.output_tokens, row.cache_read, row.cache_written) == (2, 4, 6, 8)


def refusal(book: PostgresLedger, amount: int) -> CapReached:
    with pytest.raises(CapReached) as caught:
        book.reserve(amount, SYNTH)
    return caught.value


def spent(amount: int, day: date | None = None) -> None:
    SpendDay.objects.create(day=day or period_start(Period.DAY), stage="s", model="m", microdollars=amount)


@pytest.mark.django_db
@pytest.mark.parametrize("period", [Period.DAY, Period.MONTH])
def test_money_that_is_gone_comes_back_when_the_period_ends(period: Period) -> None:
    spent(5_000)
    refused = refusal(ledger(5_000, period), 1)
    assert not isinstance(refused, Crowded)
    wait = refused.retry_after

    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    following = today + timedelta(days=1)
    if period is Period.MONTH:
        following = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    assert wait == pytest.approx((following - datetime.now(UTC)).total_seconds(), abs=30)


@pytest.mark.django_db
def test_money_set_aside_comes_back_when_enough_reservations_are_over() -> None:
    book = ledger(5_000)
    for amount, minutes in ((1_000, 2), (2_000, 5), (2_000, 9)):
        held = book.reserve(amount, SYNTH)
        Reservation.objects.filter(pk=held).update(expires_at=F("made_at") + timedelta(minutes=minutes))

    assert isinstance(refusal(book, 1_000), Crowded)
    assert refusal(book, 1_000).retry_after == pytest.approx(120, abs=10)
    assert refusal(book, 1_001).retry_after == pytest.approx(300, abs=10)
    assert refusal(book, 5_000).retry_after == pytest.approx(540, abs=10)


@pytest.mark.django_db
@pytest.mark.parametrize("period", list(Period))
def test_what_the_whole_cap_does_not_cover_is_promised_no_time(period: Period) -> None:
    refused = refusal(ledger(5_000, period), 5_001)

    assert refused.retry_after is None
    assert "more than all of it" in str(refused)


@pytest.mark.django_db
def test_a_process_that_has_spent_its_cap_is_promised_no_time() -> None:
    book = ledger(5_000, Period.PROCESS)
    book.settle(book.reserve(5_000, SYNTH), 5_000, Usage(), SYNTH, failed=False)

    assert refusal(book, 1).retry_after is None


@pytest.mark.django_db
def test_a_process_counts_what_is_settled_after_its_reservation_was_cleared() -> None:
    book = ledger(5_000, Period.PROCESS)
    held = book.reserve(5_000, SYNTH)
    Reservation.objects.all().delete()
    book.settle(held, 1_000, Usage(), SYNTH, failed=False)

    assert (book.committed().spent, book.committed().reserved) == (1_000, 0)
    book.reserve(4_000, SYNTH)


@pytest.mark.django_db
@pytest.mark.parametrize("period", list(Period))
def test_what_costs_nothing_fits_under_a_cap_that_is_used_up(period: Period) -> None:
    spent(9_999)
    ledger(0, period).reserve(0, SYNTH)


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
    spent(9_999, period_start(Period.MONTH) - timedelta(days=1))

    ledger(10, Period.MONTH).reserve(10, SYNTH)


@pytest.fixture
def hook() -> Iterator[Loopback]:
    """The operator's webhook, at /secret."""
    with loopback() as server:
        server.answers["/secret"] = [Answer(b"ok")]
        yield server


def told(hook: Loopback, wanted: int) -> list[dict[str, Any]]:
    """What *hook* was told, once there are *wanted* alerts and a moment has passed in which more could have come."""
    until = time.monotonic() + 10
    while len(hook.bodies) < wanted and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.2)
    return [json.loads(body) for body in hook.bodies]


@pytest.mark.django_db
@pytest.mark.parametrize("period", list(Period))
def test_the_operator_is_told_once_a_period(hook: Loopback, period: Period) -> None:
    book = ledger(2_000_000, period, f"{hook.url}/secret")
    for _ in range(3):
        refusal(book, 2_000_001)

    (alert,) = told(hook, 1)
    assert (alert["event"], alert["period"], alert["cap_usd"]) == ("spend_cap_reached", period.value, 2.0)
    assert alert["text"] == alert["content"]
    assert f"spend cap of $2.00 a {period}" in alert["text"]


@pytest.mark.django_db
def test_the_operator_is_told_anew_of_another_cap(hook: Loopback) -> None:
    for cap in (1_000, 2_000, 1_000):
        refusal(ledger(cap, webhook=f"{hook.url}/secret"), 2_001)

    assert [alert["cap_usd"] for alert in told(hook, 2)] == [0.001, 0.002]


@pytest.mark.django_db
def test_the_operator_is_told_beforehand_once_four_fifths_are_spent(hook: Loopback) -> None:
    book = ledger(1_000, webhook=f"{hook.url}/secret")
    for amount in (799, 1, 100):
        book.settle(book.reserve(amount, SYNTH), amount, Usage(), SYNTH, failed=False)
        assert SpendAlert.objects.exists() is (amount != 799)

    assert [alert["event"] for alert in told(hook, 1)] == ["spend_cap_near"]


@pytest.mark.django_db
@pytest.mark.parametrize("period", list(Period))
def test_a_crowd_of_requests_under_way_is_no_cap_reached(hook: Loopback, period: Period) -> None:
    book = ledger(1_000, period, f"{hook.url}/secret")
    book.reserve(900, SYNTH)
    assert isinstance(refusal(book, 900), Crowded)

    assert told(hook, 0) == []


@pytest.mark.django_db
def test_a_cap_of_nothing_is_no_news(hook: Loopback) -> None:
    refusal(ledger(0, webhook=f"{hook.url}/secret"), 1)

    assert told(hook, 0) == []


@pytest.mark.django_db
@pytest.mark.parametrize("answer", [Answer(b"no", 500), Answer(b"", 302, {"location": "/elsewhere"}), None])
def test_a_webhook_that_fails_hurts_nobody_and_its_address_is_in_no_log(
    hook: Loopback, answer: Answer | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    hook.answers["/secret"] = [answer] if answer else []
    refusal(ledger(1, webhook=f"{hook.url}/secret" if answer else "http://[::secret/"), 2)

    until = time.monotonic() + 10
    while "could not be delivered" not in caplog.text and time.monotonic() < until:
        time.sleep(0.02)
    assert "could not be delivered" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.django_db
def test_a_database_that_cannot_say_whether_to_alert_hurts_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OperationalError("the disk is full")

    monkeypatch.setattr("calls.spending.tell_once", broken)
    assert isinstance(refusal(ledger(1, webhook="http://127.0.0.1:9/"), 2), CapReached)


@pytest.mark.django_db(transaction=True)
def test_processes_tell_the_operator_once_between_them(hook: Loopback) -> None:
    with crowd_context().Pool(8) as crowd:
        crowd.starmap(be_refused, [(connection.settings_dict["NAME"], f"{hook.url}/secret")] * 8, chunksize=1)

        assert len(told(hook, 1)) == 1


@pytest.mark.django_db(transaction=True)
def test_money_is_not_set_aside_in_a_transaction_that_may_be_taken_back() -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        ledger().reserve(1, SYNTH)


def crowd_context() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.calls.spender"])
    return context


@pytest.mark.django_db(transaction=True)
def test_fifty_processes_never_overspend_and_use_the_cap_up() -> None:
    cap = 60 * COST + COST // 2
    with crowd_context().Pool(50) as crowd:
        running = crowd.starmap_async(spend, [(connection.settings_dict["NAME"], 4, cap)] * 50, chunksize=1)
        assert highest(running, cap) <= cap
        done = running.get()

    assert sum(done) == 60
    assert committed() == 60 * COST
    assert not Reservation.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_fifty_processes_that_spend_less_than_they_reserve_use_the_cap_up_too() -> None:
    cap = 30 * COST + COST // 4
    with crowd_context().Pool(50) as crowd:
        running = crowd.starmap_async(spend_until_full, [(connection.settings_dict["NAME"], cap)] * 50, chunksize=1)
        assert highest(running, cap) <= cap
        done = running.get()

    assert committed() == sum(done) * COST // 2
    assert cap - COST < committed() <= cap
    assert not Reservation.objects.exists()


def highest(running: AsyncResult[list[int]], cap: int) -> int:
    """The most that was spent and set aside at any time until *running* was done, looked at all the while."""
    book, most, until = ledger(cap), 0, time.monotonic() + 120
    while not running.ready() and time.monotonic() < until:
        seen = book.committed()
        most = max(most, seen.spent + seen.reserved)
        time.sleep(0.005)
    assert running.ready()
    return most


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
def test_no_connection_is_held_while_a_model_thinks_or_a_crowd_is_waited_for() -> None:
    for cap in (COST, COST):
        with contextlib.suppress(Crowded):
            ledger(cap).reserve(COST, SYNTH)
        assert connection.connection is None
