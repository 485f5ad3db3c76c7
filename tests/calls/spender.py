"""What the processes of the spending tests do. Imported by a fork server, so that fifty of them start in a moment.

They are forked from a process that never connected: a fork of the test process would inherit its connection pool.
"""

from __future__ import annotations

import contextlib
import os
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "judgesite.settings")
django.setup()

from django.db import connections  # noqa: E402  # after setup()

from calls.spending import Cap, Period, PostgresLedger  # noqa: E402
from llm.errors import CapReached  # noqa: E402
from llm.messages import Usage  # noqa: E402
from llm.metering import Purpose  # noqa: E402

SYNTH = Purpose("synth", "big")
COST = 1_000


def spend(database: str, requests: int, cap: int) -> int:
    """Reserves, works a moment and settles, *requests* times; how many of them the cap let through."""
    _use(database)
    book, done = PostgresLedger(Cap(cap, Period.DAY)), 0
    for _ in range(requests):
        try:
            reservation = book.reserve(COST, SYNTH)
        except CapReached:
            continue
        time.sleep(0.001)
        book.settle(reservation, COST, Usage(input=1), SYNTH, failed=False)
        done += 1
    connections.close_all()
    return done


def spend_until_full(database: str, cap: int) -> int:
    """Spends half of what it reserves, again and again, until not one more fits; how many requests that were."""
    _use(database)
    book, done = PostgresLedger(Cap(cap, Period.DAY)), 0
    while book.committed().spent + COST <= cap:
        try:
            reservation = book.reserve(COST, SYNTH)
        except CapReached:
            time.sleep(0.005)
            continue
        book.settle(reservation, COST // 2, Usage(input=1), SYNTH, failed=False)
        done += 1
    connections.close_all()
    return done


def be_refused(database: str, webhook: str) -> None:
    """Asks for more than the cap holds, which the operator is to be told."""
    _use(database)
    with contextlib.suppress(CapReached):
        PostgresLedger(Cap(COST, Period.DAY, webhook)).reserve(2 * COST, SYNTH)
    connections.close_all()


def reserve_and_hang(database: str) -> None:
    """Sets money aside and never gets to settle."""
    _use(database)
    PostgresLedger(Cap(5 * COST, Period.DAY)).reserve(COST, SYNTH)
    time.sleep(60)


def _use(database: str) -> None:
    settings = connections.databases["default"]
    settings["NAME"] = database
    settings["OPTIONS"] = {key: value for key, value in settings.get("OPTIONS", {}).items() if key != "pool"}
