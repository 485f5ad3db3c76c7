"""The allowance and the slots, on real Postgres, with as many askers at once as it takes to find a race."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event

import pytest
from django.db import connection, connections
from django.db.models.functions import Now

from calls.limits import BUSY_SECONDS, Limits, address_key, admitted, charge, client_address
from calls.models import JudgeSlot, RateWindow
from judge.replies import Busy, RateLimited

LIMITS = Limits(questions=5, window=timedelta(days=3650), slots=2, slot_life=timedelta(seconds=60))


def at_once[T](times: int, work: Callable[[], T]) -> list[T]:
    """*work* from that many threads, all let go at the same moment, each with a connection of its own."""
    gate = Barrier(times)

    def one(_: int) -> T:
        gate.wait()
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))


@pytest.mark.django_db(transaction=True)
def test_threads_at_once_get_exactly_the_allowance() -> None:
    waits = at_once(8, lambda: charge("ip:one", LIMITS))

    assert waits.count(0) == LIMITS.questions
    assert all(wait > 0 for wait in waits if wait)
    assert RateWindow.objects.get().count == LIMITS.questions


@pytest.mark.django_db(transaction=True)
def test_processes_at_once_get_exactly_the_allowance() -> None:
    script = (
        "import django; django.setup()\n"
        "from django.conf import settings; from django.db import connections\n"
        f"connections['default'].settings_dict['NAME'] = {connection.settings_dict['NAME']!r}\n"
        "from datetime import timedelta; from calls.limits import Limits, charge\n"
        "limits = Limits(questions=5, window=timedelta(days=3650), slots=2, slot_life=timedelta(seconds=60))\n"
        "print(sum(charge('ip:two', limits) == 0 for _ in range(4)))\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=_environment())
        for _ in range(3)
    ]
    taken = [int(process.communicate(timeout=60)[0]) for process in running]

    assert sum(taken) == LIMITS.questions


def _environment() -> dict[str, str]:
    import os

    return os.environ | {"DJANGO_SETTINGS_MODULE": "judgesite.settings"}


@pytest.mark.django_db
def test_each_asker_has_an_allowance_of_their_own() -> None:
    for _ in range(LIMITS.questions):
        assert charge("ip:greedy", LIMITS) == 0

    assert charge("ip:greedy", LIMITS) > 0
    assert charge("ip:other", LIMITS) == 0


@pytest.mark.django_db
def test_the_wait_is_what_is_left_of_the_window() -> None:
    limits = Limits(questions=1, window=timedelta(seconds=600), slots=1, slot_life=timedelta(seconds=60))
    charge("ip:one", limits)

    assert 1 <= charge("ip:one", limits) <= 600


@pytest.mark.django_db
def test_the_next_window_gives_a_new_allowance_and_old_windows_are_swept() -> None:
    limits = Limits(questions=1, window=timedelta(seconds=600), slots=1, slot_life=timedelta(seconds=60))
    charge("ip:one", limits)
    RateWindow.objects.update(starts_at=Now() - timedelta(seconds=1300))

    assert charge("ip:one", limits) == 0
    assert RateWindow.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_threads_at_once_get_exactly_the_slots() -> None:
    decided = Barrier(6)

    def run() -> bool:
        with admitted(None, LIMITS) as refusal:
            decided.wait(timeout=20)  # nobody leaves before everybody was admitted or refused
            return refusal is None

    assert at_once(6, run).count(True) == LIMITS.slots
    assert not JudgeSlot.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_busy_costs_nothing() -> None:
    held, done = Event(), Event()

    def hold() -> None:
        with admitted(None, one_slot):
            held.set()
            done.wait(20)
        connections.close_all()

    one_slot = Limits(questions=1, window=timedelta(days=3650), slots=1, slot_life=timedelta(seconds=60))
    with ThreadPoolExecutor(1) as pool:
        pool.submit(hold)
        assert held.wait(20)
        with admitted("ip:one", one_slot) as refusal:
            assert refusal == Busy(retry_after=BUSY_SECONDS)
        done.set()

    assert not RateWindow.objects.exists()
    with admitted("ip:one", one_slot) as refusal:
        assert refusal is None


@pytest.mark.django_db(transaction=True)
def test_a_slot_that_comes_free_in_time_is_waited_for() -> None:
    one_slot = Limits(
        questions=9,
        window=timedelta(days=3650),
        slots=1,
        slot_life=timedelta(seconds=60),
        slot_wait=timedelta(seconds=20),
    )

    def run() -> bool:
        with admitted(None, one_slot) as refusal:
            return refusal is None

    assert at_once(4, run) == [True] * 4


@pytest.mark.django_db
def test_a_refused_asker_holds_no_slot_afterwards() -> None:
    limits = Limits(questions=1, window=timedelta(days=3650), slots=1, slot_life=timedelta(seconds=60))
    charge("ip:one", limits)

    with admitted("ip:one", limits) as refusal:
        assert isinstance(refusal, RateLimited)
    assert not JudgeSlot.objects.exists()


@pytest.mark.django_db
def test_a_run_that_fails_gives_its_slot_back() -> None:
    with pytest.raises(RuntimeError), admitted(None, LIMITS):
        raise RuntimeError("the run broke")

    assert not JudgeSlot.objects.exists()


@pytest.mark.django_db
def test_the_slot_of_a_dead_process_comes_free_with_time() -> None:
    limits = Limits(questions=1, window=timedelta(seconds=600), slots=1, slot_life=timedelta(seconds=60))
    JudgeSlot.objects.create(expires_at=Now() - timedelta(seconds=1))

    with admitted(None, limits) as refusal:
        assert refusal is None


@pytest.mark.parametrize(
    ("forwarded", "proxies", "expected"),
    [
        pytest.param("6.6.6.6", 0, "10.0.0.1", id="no proxy trusted: the header is never read"),
        pytest.param("6.6.6.6, 1.2.3.4", 1, "1.2.3.4", id="one proxy: what it wrote, not what the asker did"),
        pytest.param("6.6.6.6, 1.2.3.4, 10.0.0.2", 2, "1.2.3.4", id="two proxies"),
        pytest.param("1.2.3.4", 2, "10.0.0.1", id="fewer hops than proxies"),
        pytest.param("", 1, "10.0.0.1", id="no header"),
        pytest.param("1.2.3.4, unknown", 1, "10.0.0.1", id="no address"),
        pytest.param("1.2.3.4:5678", 1, "1.2.3.4", id="with a port"),
        pytest.param("[2001:db8::1]:443", 1, "2001:db8::1", id="IPv6 with a port"),
    ],
)
def test_the_address_is_counted_from_the_right(forwarded: str, proxies: int, expected: str) -> None:
    assert client_address("10.0.0.1", forwarded, proxies) == expected


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True, id="one /64"),
        pytest.param("2001:db8:1:2::1", "2001:db8:1:3::1", False, id="two /64"),
        pytest.param("::ffff:1.2.3.4", "1.2.3.4", True, id="IPv4 in IPv6"),
        pytest.param("fe80::1%eth0", "fe80::2", True, id="zone"),
        pytest.param("1.2.3.4", "1.2.3.5", False, id="two IPv4"),
        pytest.param("", "unix:", True, id="no address"),
    ],
)
def test_keys_tell_households_apart(one: str, other: str, same: bool) -> None:
    assert (address_key(one, "", 0) == address_key(other, "", 0)) is same


def test_a_key_does_not_show_the_address() -> None:
    assert "1.2.3.4" not in address_key("1.2.3.4", "", 0)
