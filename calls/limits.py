"""Who may ask now: an allowance an asker, and a number of judge runs in flight. All of it lives in Postgres.

Any number of web processes share the same counters, on the database's clock. A slot is taken before the asker is
charged, so "busy" never costs anybody a question (D81).
"""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from calls.models import JudgeSlot
from judge.replies import Busy, RateLimited

log = logging.getLogger(__name__)

_SLOT_LOCK = 0x6A75646765  # advisory lock id: "judge" in ASCII
BUSY_SECONDS = 5  # when to come back
SLOT_WAIT = timedelta(seconds=1.5)  # short enough that a page with a queue behind it still feels answered
_LOOK_AGAIN = 0.1  # seconds between two looks for a free slot

# One statement, so two processes can never both take the last question of a window.
_CHARGE = """
INSERT INTO calls_ratewindow AS w (key, starts_at, count)
VALUES (%(key)s, date_bin(%(window)s, now(), timestamptz '2000-01-01 00:00:00+00'), 1)
ON CONFLICT (key, starts_at) DO UPDATE SET count = w.count + 1 WHERE w.count < %(limit)s
RETURNING count
"""
_SECONDS_LEFT = """
SELECT ceil(extract(epoch FROM date_bin(%(window)s, now(), timestamptz '2000-01-01 00:00:00+00') + %(window)s - now()))
"""
_FORGET = "DELETE FROM calls_ratewindow WHERE starts_at < now() - 2 * %(window)s"


@dataclass(frozen=True, slots=True)
class Limits:
    """questions: allowed a window and asker. slots: runs in flight. slot_life: after it a dead run's slot is free.

    slot_wait: how long to stand in line for a slot before it is "busy"; a run takes a fraction of a second.
    """

    questions: int
    window: timedelta
    slots: int
    slot_life: timedelta
    slot_wait: timedelta = timedelta(0)


def limits_from_settings() -> Limits:
    """The limits the operator set, or the defaults (judgesite.settings)."""
    return Limits(
        questions=settings.JUDGE_QUESTIONS_PER_WINDOW,
        window=timedelta(seconds=settings.JUDGE_WINDOW_SECONDS),
        slots=settings.JUDGE_SLOTS,
        slot_life=timedelta(seconds=settings.JUDGE_SLOT_SECONDS),
        slot_wait=SLOT_WAIT,
    )


@contextmanager
def admitted(asker: str | None, limits: Limits) -> Iterator[Busy | RateLimited | None]:
    """None while a judge slot is held for the block, or the refusal, with nothing held.

    asker: the key to charge (see address_key); None is never charged, only counted in flight.
    """
    slot = _wait_for_slot(limits)
    if slot is None:
        yield Busy(retry_after=BUSY_SECONDS)
        return
    try:
        wait = 0 if asker is None else charge(asker, limits)
        yield RateLimited(retry_after=wait) if wait else None
    finally:
        _free_slot(slot)


def charge(asker: str, limits: Limits) -> int:
    """Takes one question off *asker*'s allowance: 0, or the seconds until there is one again (nothing taken)."""
    values: dict[str, Any] = {"key": asker, "window": limits.window, "limit": limits.questions}
    with connection.cursor() as cursor:
        cursor.execute(_CHARGE, values)
        taken = cursor.fetchone()
        if taken is None:
            cursor.execute(_SECONDS_LEFT, values)
            return max(1, int(cursor.fetchone()[0]))
        if taken[0] == 1:  # the first question of a window pays for the sweep
            cursor.execute(_FORGET, values)
    return 0


def _wait_for_slot(limits: Limits) -> int | None:
    """The id of a slot, taken at once or within slot_wait; None when there was none."""
    until = time.monotonic() + limits.slot_wait.total_seconds()
    while (slot := _take_slot(limits)) is None and time.monotonic() < until:
        time.sleep(_LOOK_AGAIN)
    return slot


def _take_slot(limits: Limits) -> int | None:
    """The id of a slot taken, or None when all are. Counting and taking happen under one lock."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_SLOT_LOCK])
        JudgeSlot.objects.filter(expires_at__lte=Now()).delete()
        if JudgeSlot.objects.count() >= limits.slots:
            return None
        return JudgeSlot.objects.create(expires_at=Now() + limits.slot_life).pk


def _free_slot(slot: int) -> None:
    """Gives the slot back. A failure is logged only: the answer is there, and the slot expires by itself."""
    try:
        JudgeSlot.objects.filter(pk=slot).delete()
    except DatabaseError:
        log.exception("judge slot %s could not be freed; it expires by itself", slot)


def address_key(remote: str, forwarded_for: str, trusted_proxies: int) -> str:
    """The key an address is charged under: a keyed hash, so no table holds the addresses of askers (D83).

    IPv6 counts by /64, the block one household gets. What is no address at all shares one key.
    """
    network = _network(client_address(remote, forwarded_for, trusted_proxies))
    return "ip:" + salted_hmac("calls.limits", network, algorithm="sha256").hexdigest()[:32]


def client_address(remote: str, forwarded_for: str, trusted_proxies: int) -> str:
    """The asker's address: *remote*, or entry *trusted_proxies* from the right of X-Forwarded-For.

    What stands further left was written by the asker and is never read. A header shorter than the proxies
    counted, or an entry that is no address, did not come through them: *remote* counts then.
    """
    hops = [hop.strip() for hop in forwarded_for.split(",")] if forwarded_for else []
    if not 0 < trusted_proxies <= len(hops):
        return remote
    hop = _without_port(hops[-trusted_proxies])
    return hop if _parsed(hop) else remote


def _without_port(hop: str) -> str:
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None


def _network(address: str) -> str:
    parsed = _parsed(address)
    if parsed is None:
        return "unknown"
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
