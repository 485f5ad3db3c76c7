"""What models may cost and have cost, counted in Postgres so that any number of processes share one cap."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db import connection, transaction
from django.db.models import Sum

from calls.models import Reservation, SpendAlert, SpendDay
from llm.errors import CapReached
from llm.messages import Usage
from llm.metering import Purpose
from llm.prices import MICRODOLLARS

log = logging.getLogger(__name__)

_MONEY_LOCK = 0x6D6F6E6579  # advisory lock id: "money" in ASCII
RESERVATION_LIFE = timedelta(minutes=15)  # longer than any request may take with all its retries
ALERT_SECONDS = 5.0  # to tell the operator's webhook

# Reservations of processes that died count for nothing once they have expired; on the database's clock.
_COMMITTED = """
SELECT now(),
       (SELECT coalesce(sum(microdollars), 0) FROM calls_spendday WHERE day >= %(start)s::date),
       (SELECT coalesce(sum(amount), 0) FROM calls_reservation WHERE expires_at > now())
"""
_ADD = """
INSERT INTO calls_spendday AS d
    (day, stage, model, calls, failed, input_tokens, output_tokens, cache_read, cache_written, microdollars)
VALUES ((now() AT TIME ZONE 'UTC')::date, %(stage)s, %(model)s, 1, %(failed)s, %(input)s, %(output)s,
        %(cache_read)s, %(cache_written)s, %(spent)s)
ON CONFLICT (day, stage, model) DO UPDATE SET
    calls = d.calls + 1,
    failed = d.failed + EXCLUDED.failed,
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
    """At most *microdollars* a *period*; None: no cap."""

    microdollars: int | None
    period: Period = Period.DAY
    webhook: str = field(default="", repr=False)  # told once a period when the cap is reached


@dataclass(slots=True)
class _OwnSpend:
    """What this process has committed, for a cap of the process."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    microdollars: int = 0


@dataclass(frozen=True, slots=True)
class PostgresLedger:
    """The Ledger of llm.metering. What is reserved and what is spent never exceed the cap together."""

    cap: Cap
    _own: _OwnSpend = field(default_factory=_OwnSpend)

    def reserve(self, amount: int, purpose: Purpose) -> int:
        """Sets *amount* aside. Raises CapReached."""
        try:
            if self.cap.period is Period.PROCESS:
                self._reserve_own(amount)
            with transaction.atomic():
                if self.cap.microdollars is not None and self.cap.period is not Period.PROCESS:
                    self._check(amount)
                reservation = self._set_aside(amount, purpose)
        except CapReached:
            self._alert_once()
            raise
        if not connection.in_atomic_block:
            connection.close()  # back into the pool: a model takes its time, and other questions need connections
        return reservation

    def settle(self, reservation: int, spent: int, usage: Usage, purpose: Purpose, *, failed: bool) -> None:
        """Writes down what the reservation came to. Safe after it has expired; it counts all the same."""
        values: dict[str, Any] = {
            "stage": purpose.stage,
            "model": purpose.model,
            "failed": int(failed),
            "input": usage.input,
            "output": usage.output,
            "cache_read": usage.cache_read,
            "cache_written": usage.cache_written,
            "spent": spent,
        }
        with transaction.atomic(), connection.cursor() as cursor:
            _lock(cursor)
            row = Reservation.objects.filter(pk=reservation).first()
            Reservation.objects.filter(pk=reservation).delete()
            cursor.execute(_ADD, values)
        if self.cap.period is Period.PROCESS and row is not None:
            with self._own.lock:
                self._own.microdollars += spent - row.amount

    def _reserve_own(self, amount: int) -> None:
        with self._own.lock:
            if self.cap.microdollars is not None and self._own.microdollars + amount > self.cap.microdollars:
                raise CapReached(self._said(self._own.microdollars, amount))
            self._own.microdollars += amount

    def _check(self, amount: int) -> None:
        """Raises CapReached when *amount* does not fit under the cap beside what is spent and set aside."""
        assert self.cap.microdollars is not None
        with connection.cursor() as cursor:
            _lock(cursor)
            start = period_start(self.cap.period)
            cursor.execute(_COMMITTED, {"start": start})
            now, spent, reserved = cursor.fetchone()
        if spent + reserved + amount > self.cap.microdollars:
            left = (period_end(self.cap.period, start) - now.replace(tzinfo=None)).total_seconds()
            raise CapReached(self._said(int(spent + reserved), amount), retry_after=max(1.0, left))

    def _set_aside(self, amount: int, purpose: Purpose) -> int:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM calls_reservation WHERE expires_at < now()")
            cursor.execute(
                "INSERT INTO calls_reservation (amount, stage, model, made_at, expires_at) "
                "VALUES (%s, %s, %s, now(), now() + make_interval(secs => %s)) RETURNING id",
                [amount, purpose.stage, purpose.model, RESERVATION_LIFE.total_seconds()],
            )
            (reservation,) = cursor.fetchone() or (0,)
        return int(reservation)

    def _said(self, committed: int, amount: int) -> str:
        assert self.cap.microdollars is not None
        return (
            f"the spend cap of {dollars(self.cap.microdollars)} a {self.cap.period} leaves no room: "
            f"{dollars(committed)} are spent or set aside, and this request may cost up to {dollars(amount)}"
        )

    def _alert_once(self) -> None:
        """Tells the webhook, once a period whichever process comes first; never holds up or fails a question."""
        if not self.cap.webhook or self.cap.microdollars is None:
            return
        key = f"{self.cap.period}:{period_start(self.cap.period).isoformat()}"
        _, is_first = SpendAlert.objects.get_or_create(period=key)
        if is_first:
            said = {"event": "spend_cap_reached", "period": key, "cap_usd": self.cap.microdollars / MICRODOLLARS}
            threading.Thread(target=_tell, args=(self.cap.webhook, said)).start()


def period_start(period: Period) -> date:
    """The first day (UTC) of the period that the database's clock is in."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT (now() AT TIME ZONE 'UTC')::date")
        (today,) = cursor.fetchone() or (date.min,)
    day: date = today
    return day.replace(day=1) if period is Period.MONTH else day


def period_end(period: Period, start: date) -> datetime:
    """When the period of *start* is over, UTC without a zone."""
    if period is Period.MONTH:
        following = (start.replace(day=28) + timedelta(days=4)).replace(day=1)
    else:
        following = start + timedelta(days=1)
    return datetime(following.year, following.month, following.day)  # noqa: DTZ001  # UTC, compared with UTC


def spent_since(start: date) -> int:
    """Microdollars spent from *start* (UTC) on."""
    total = SpendDay.objects.filter(day__gte=start).aggregate(total=Sum("microdollars"))["total"]
    return int(total or 0)


def dollars(microdollars: int) -> str:
    """*microdollars* as "$0.0123": four places, as one question costs cents."""
    return f"${microdollars / MICRODOLLARS:,.4f}"


def _lock(cursor: Any) -> None:
    """One at a time, until the transaction ends: two processes can never both take the last cent."""
    cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_MONEY_LOCK])


def _tell(webhook: str, said: dict[str, object]) -> None:
    import httpx

    try:
        httpx.post(webhook, json=said, timeout=ALERT_SECONDS).raise_for_status()
    except httpx.HTTPError as error:
        log.warning("the spend alert could not be delivered: %s", type(error).__name__)
