"""What models may cost and have cost, counted in Postgres so that any number of processes share one cap."""

from __future__ import annotations

import logging
import threading
import uuid
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from math import ceil
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.models import Sum

from calls.alerting import Event, tell_once
from calls.models import SpendDay
from llm.errors import CapReached, Crowded
from llm.messages import Usage
from llm.metering import Purpose
from llm.prices import MICRODOLLARS

log = logging.getLogger(__name__)

_MONEY_LOCK = 0x6D6F6E6579  # advisory lock id: "money" in ASCII
RESERVATION_LIFE = timedelta(minutes=15)  # longer than any request may take (judge.toml allows ten minutes)
NEAR = 0.8  # the share of the cap at which the operator is told beforehand

# statement_timestamp(), as now() is when the transaction began: it may have waited for the lock over midnight.
# Reservations of processes that died count for nothing once they have expired. One statement, so one snapshot.
_COMMITTED = """
SELECT extract(epoch FROM date_trunc(%(period)s, clock) + ('1 ' || %(period)s)::interval - clock),
       (SELECT coalesce(sum(microdollars), 0) FROM calls_spendday WHERE day >= date_trunc(%(period)s, clock)::date),
       (SELECT coalesce(sum(amount), 0) FROM calls_reservation WHERE expires_at > statement_timestamp())
FROM (SELECT statement_timestamp() AT TIME ZONE 'UTC' AS clock) AS utc
"""
_FREED_IN = """
SELECT extract(epoch FROM min(expires_at) - statement_timestamp())
FROM (SELECT expires_at, sum(amount) OVER (ORDER BY expires_at, id) AS freed
      FROM calls_reservation WHERE expires_at > statement_timestamp()) AS waiting
WHERE freed >= %s
"""
_SET_ASIDE = """
INSERT INTO calls_reservation (amount, stage, model, made_at, expires_at)
VALUES (%s, %s, %s, statement_timestamp(), statement_timestamp() + make_interval(secs => %s)) RETURNING id
"""
# What another process is removing just now is left to it.
_CLEAR = """
DELETE FROM calls_reservation WHERE id IN (
    SELECT id FROM calls_reservation WHERE expires_at < statement_timestamp() FOR UPDATE SKIP LOCKED)
"""
_ADD = """
INSERT INTO calls_spendday AS d
    (day, stage, model, calls, failed, retries, input_tokens, output_tokens, cache_read, cache_written, microdollars)
VALUES ((statement_timestamp() AT TIME ZONE 'UTC')::date, %(stage)s, %(model)s, 1, %(failed)s, %(retries)s, %(input)s,
        %(output)s, %(cache_read)s, %(cache_written)s, %(spent)s)
ON CONFLICT (day, stage, model) DO UPDATE SET
    calls = d.calls + 1,
    failed = d.failed + EXCLUDED.failed,
    retries = d.retries + EXCLUDED.retries,
    input_tokens = d.input_tokens + EXCLUDED.input_tokens,
    output_tokens = d.output_tokens + EXCLUDED.output_tokens,
    cache_read = d.cache_read + EXCLUDED.cache_read,
    cache_written = d.cache_written + EXCLUDED.cache_written,
    microdollars = d.microdollars + EXCLUDED.microdollars
"""


class Period(StrEnum):
    """What a cap is for. Days and months are UTC's."""

    PROCESS = "process"
    DAY = "day"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Cap:
    """At most *microdollars* a *period*; None: no cap. webhook: whom to tell when it is near and when it is reached."""

    microdollars: int | None
    period: Period = Period.DAY
    webhook: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Committed:
    """What of a cap is gone, in microdollars. seconds: until the period ends; None: not before the process does."""

    spent: int
    reserved: int
    seconds: float | None


@dataclass(slots=True)
class _OwnSpend:
    """What this process has spent and set aside, for a cap of the process. Postgres's copy would outlive it."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    spent: int = 0
    reserved: dict[int, int] = field(default_factory=dict)  # by reservation
    name: str = field(default_factory=lambda: uuid.uuid4().hex[:8])


@dataclass(frozen=True, slots=True)
class PostgresLedger:
    """The Ledger of llm.metering. What is reserved and what is spent never exceed the cap together (D93)."""

    cap: Cap
    _own: _OwnSpend = field(default_factory=_OwnSpend)

    def reserve(self, amount: int, purpose: Purpose) -> int:
        """Sets *amount* aside. Raises CapReached. Not for within a transaction, which could take it back."""
        try:
            if self.cap.period is Period.PROCESS:
                reservation = self._reserve_own(amount, purpose)
            else:
                with transaction.atomic(durable=True):
                    self._check(amount)
                    reservation = _set_aside(amount, purpose)
        except Crowded:
            raise  # a crowd passes, and is no matter for the operator
        except CapReached:
            self._tell(Event.REACHED)
            raise
        finally:
            if not connection.in_atomic_block:
                connection.close()  # back into the pool: what comes next takes its time, and other questions need it
        return reservation

    def settle(self, reservation: int, spent: int, usage: Usage, purpose: Purpose, *, failed: bool) -> None:
        """Writes down what the reservation came to. Safe after it has expired; it counts all the same."""
        values: dict[str, Any] = {
            "stage": purpose.stage,
            "model": purpose.model,
            "failed": int(failed),
            "retries": int(purpose.is_retry),
            "input": usage.input,
            "output": usage.output,
            "cache_read": usage.cache_read,
            "cache_written": usage.cache_written,
            "spent": spent,
        }
        with self._own.lock:
            self._own.reserved.pop(reservation, None)
            self._own.spent += spent
        # Without the money lock: whoever looks sees the reservation or what it came to, never neither.
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("DELETE FROM calls_reservation WHERE id = %s", [reservation])
            cursor.execute(_ADD, values)
        self._tell(Event.NEAR)

    def committed(self) -> Committed:
        """What of the cap is gone in its period."""
        if self.cap.period is Period.PROCESS:
            with self._own.lock:
                return Committed(self._own.spent, sum(self._own.reserved.values()), None)
        with connection.cursor() as cursor:
            cursor.execute(_COMMITTED, {"period": self.cap.period.value})
            seconds, spent, reserved = cursor.fetchone() or (0, 0, 0)
        return Committed(int(spent), int(reserved), float(seconds))

    def _reserve_own(self, amount: int, purpose: Purpose) -> int:
        with self._own.lock:
            self._refuse(amount, self.committed())
            with transaction.atomic(durable=True):
                reservation = _set_aside(amount, purpose)
            self._own.reserved[reservation] = amount
        return reservation

    def _check(self, amount: int) -> None:
        """Raises CapReached when *amount* does not fit under the cap, and lets no other process look until then."""
        if self.cap.microdollars is None or amount == 0:  # what costs nothing always fits
            return
        with connection.cursor() as cursor:
            # One at a time, until the transaction ends: two processes can never both take the last cent.
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_MONEY_LOCK])
        self._refuse(amount, self.committed())

    def _refuse(self, amount: int, gone: Committed) -> None:
        """Raises CapReached when *amount* does not fit beside what is *gone*."""
        cap = self.cap.microdollars
        if cap is None or amount == 0 or gone.spent + gone.reserved + amount <= cap:
            return
        said = f"the spend cap of {dollars(cap)} a {self.cap.period} leaves no room: "
        costs = f"this request may cost up to {dollars(amount)}"
        if amount > cap:
            raise CapReached(f"{said}{costs}, which is more than all of it")
        said += f"{dollars(gone.spent)} are spent and {dollars(gone.reserved)} set aside, and {costs}"
        if gone.spent + amount > cap:
            raise CapReached(said, retry_after=_at_least_one(gone.seconds))
        raise Crowded(said, retry_after=self._freed_in(gone.spent + gone.reserved + amount - cap))

    def _freed_in(self, wanted: int) -> float | None:
        """Seconds until reservations of *wanted* microdollars are over at the latest; most end much sooner."""
        if self.cap.period is Period.PROCESS:
            return RESERVATION_LIFE.total_seconds()
        with connection.cursor() as cursor:
            cursor.execute(_FREED_IN, [wanted])
            (seconds,) = cursor.fetchone() or (None,)
        return _at_least_one(seconds)

    def _tell(self, event: Event) -> None:
        """Tells the operator's webhook, once a period, when *event* is so; no question fails with it."""
        cap, period = self.cap.microdollars, self.cap.period
        if not self.cap.webhook or not cap:  # a cap of 0 is reached on purpose
            return
        try:
            if event is Event.REACHED or self.committed().spent >= NEAR * cap:
                since = self._own.name if period is Period.PROCESS else period_start(period).isoformat()
                tell_once(self.cap.webhook, event, period.value, since, cap)
        except (DatabaseError, RuntimeError) as error:  # no database, no thread to be had
            log.warning("the spend alert could not be sent: %s", type(error).__name__)


def _set_aside(amount: int, purpose: Purpose) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_CLEAR)
        cursor.execute(_SET_ASIDE, [amount, purpose.stage, purpose.model, RESERVATION_LIFE.total_seconds()])
        (reservation,) = cursor.fetchone() or (0,)
    return int(reservation)


def _at_least_one(seconds: float | None) -> float | None:
    return None if seconds is None else float(max(1, ceil(seconds)))


def period_start(period: Period) -> date:
    """The first day (UTC) of the period that the database's clock is in."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT (statement_timestamp() AT TIME ZONE 'UTC')::date")
        (today,) = cursor.fetchone() or (date.min,)
    day: date = today
    return day.replace(day=1) if period is Period.MONTH else day


def spent_since(start: date) -> int:
    """Microdollars spent from *start* (UTC) on."""
    total = SpendDay.objects.filter(day__gte=start).aggregate(total=Sum("microdollars"))["total"]
    return int(total or 0)


def dollars(microdollars: int) -> str:
    """*microdollars* as "$0.0123": four places, as one question costs cents."""
    return f"${microdollars / MICRODOLLARS:,.4f}"
