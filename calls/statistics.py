"""What the judge did and what it cost, by day; every query is bounded by days and uses an index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from calls.models import Call, FailedCall, Reservation, SpendDay
from calls.spending import Cap, Period, dollars, period_start, spent_since


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts of the last *days* days, today among them (UTC). Money in microdollars."""

    days: int
    cap: int | None
    period: str
    spent: int  # in the cap's period
    reserved: int  # set aside for requests under way
    by_model: tuple[dict[str, Any], ...]
    by_day: tuple[dict[str, Any], ...]
    by_door: dict[str, int]
    failures: dict[str, int]
    rejections: dict[str, int]

    @property
    def questions(self) -> int:
        """All that were stored; private ones are counted nowhere."""
        return sum(day["questions"] for day in self.by_day)

    @property
    def extractive(self) -> float:
        """The share answered without a model, in [0, 1]; 0 without questions."""
        return sum(day["extractive"] for day in self.by_day) / self.questions if self.questions else 0.0

    @property
    def retried(self) -> int:
        """Answers that needed a second draft."""
        return self.failures.get("retried", 0)


def statistics(days: int, cap: Cap) -> Statistics:
    """The figures of the last *days* days."""
    start = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days - 1)
    calls = Call.objects.filter(asked_at__gte=start)
    failed = FailedCall.objects.filter(failed_at__gte=start)
    return Statistics(
        days=days,
        cap=cap.microdollars,
        period=cap.period.value,
        spent=0 if cap.period is Period.PROCESS else spent_since(period_start(cap.period)),
        reserved=Reservation.objects.filter(expires_at__gt=timezone.now()).aggregate(all=Sum("amount"))["all"] or 0,
        by_model=tuple(_by_model(start.date())),
        by_day=tuple(_by_day(start)),
        by_door={row["door"]: row["n"] for row in calls.order_by().values("door").annotate(n=Count("pk"))},
        failures={row["kind"]: row["n"] for row in failed.order_by().values("kind").annotate(n=Count("pk"))},
        rejections=dict(Counter(name for names in failed.values_list("rejections", flat=True) for name in names)),
    )


def _by_model(start: date) -> Iterator[dict[str, Any]]:
    totals = {
        name: Sum(name)
        for name in ("calls", "failed", "input_tokens", "output_tokens", "cache_read", "cache_written", "microdollars")
    }
    spent = SpendDay.objects.filter(day__gte=start).order_by().values("stage", "model").annotate(**_named(totals))
    rows: list[dict[str, Any]] = [dict(row) for row in spent]
    for row in sorted(rows, key=lambda row: (-row["total_microdollars"], row["stage"], row["model"])):
        yield {key.removeprefix("total_"): value for key, value in row.items()}


def _named(totals: dict[str, Any]) -> dict[str, Any]:
    return {f"total_{name}": expression for name, expression in totals.items()}


def _by_day(start: datetime) -> Iterator[dict[str, Any]]:
    rows = (
        Call.objects.filter(asked_at__gte=start)
        .order_by()
        .annotate(day=TruncDate("asked_at"))
        .values("day", "kind")
        .annotate(n=Count("pk"))
    )
    counted: dict[date, Counter[str]] = {}
    for row in rows:
        counted.setdefault(row["day"], Counter())[row["kind"]] += row["n"]
    spent = dict(
        SpendDay.objects.filter(day__gte=start.date())
        .order_by()
        .values("day")
        .annotate(all=Sum("microdollars"))
        .values_list("day", "all")
    )
    for day in sorted(counted.keys() | spent.keys(), reverse=True):
        kinds = counted.get(day, Counter())
        yield {
            "day": day.isoformat(),
            "questions": kinds.total(),
            "extractive": kinds[Call.Kind.EXTRACTIVE],
            "microdollars": spent.get(day, 0),
        }


def lines(found: Statistics) -> Iterator[str]:
    """*found* for a terminal."""
    cap = "no cap" if found.cap is None else f"of {dollars(found.cap)} a {found.period}"
    yield f"Spent {dollars(found.spent)} {cap}; {dollars(found.reserved)} set aside for requests under way."
    yield f"The last {found.days} days: {found.questions:,} questions, {found.extractive:.0%} answered without a model."
    if found.by_door:
        yield "By door: " + ", ".join(f"{door} {count:,}" for door, count in sorted(found.by_door.items()))
    for row in found.by_model:
        yield (
            f"{row['stage']:8} {row['model']}: {row['calls']:,} requests ({row['failed']:,} failed), "
            f"{row['input_tokens'] + row['cache_read'] + row['cache_written']:,} tokens in, "
            f"{row['output_tokens']:,} out, {dollars(row['microdollars'])}"
        )
    yield f"Answers that needed a second draft: {found.retried:,}"
    if failures := {kind: count for kind, count in found.failures.items() if kind != "retried"}:
        yield "Failed attempts kept: " + ", ".join(f"{kind} {count:,}" for kind, count in sorted(failures.items()))
    if found.rejections:
        yield "Rejections: " + ", ".join(f"{name} {count:,}" for name, count in sorted(found.rejections.items()))
    for row in found.by_day:
        yield f"{row['day']}: {row['questions']:,} questions, {dollars(row['microdollars'])}"
