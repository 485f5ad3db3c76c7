"""What the judge did and what it cost, by day (UTC); every query is bounded by days and uses an index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Now, TruncDate

from calls.models import Call, FailureDay, Reservation, SpendDay
from calls.spending import Cap, Period, dollars, period_start, spent_since
from judge.failures import FailureKind

_COUNTERS = (
    "calls",
    "failed",
    "retries",
    "input_tokens",
    "output_tokens",
    "cache_read",
    "cache_written",
    "microdollars",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts of the last *days* days, today among them (UTC). Money in microdollars."""

    days: int
    cap: int | None
    period: str
    today: int  # spent
    month: int
    reserved: int  # set aside for requests under way
    by_model: tuple[dict[str, Any], ...]  # a stage and a model each, the dearest first
    by_day: tuple[dict[str, Any], ...]  # the newest first
    by_door: dict[str, int]
    by_kind: dict[str, int]
    failures: dict[str, int]  # by judge.failures.FailureKind
    rejections: dict[str, int]

    @property
    def questions(self) -> int:
        """All that were stored; private ones are counted nowhere."""
        return sum(self.by_kind.values())

    @property
    def extractive(self) -> float:
        """The share answered without a model, in [0, 1]; 0 without questions."""
        return self.by_kind.get(Call.Kind.EXTRACTIVE, 0) / self.questions if self.questions else 0.0

    @property
    def spent(self) -> int | None:
        """Spent in the period of the cap; None where each process has a cap of its own."""
        return {Period.DAY.value: self.today, Period.MONTH.value: self.month}.get(self.period)

    def total(self, counter: str) -> int:
        """Calls, retries, tokens and so on of all models together."""
        return sum(row[counter] for row in self.by_model)

    def json(self) -> dict[str, Any]:
        """As `stats --json` gives it."""
        totals = {counter: self.total(counter) for counter in _COUNTERS}
        derived = {"questions": self.questions, "extractive_share": self.extractive, "spent": self.spent}
        return asdict(self) | derived | {"requests": totals}


def statistics(days: int, cap: Cap) -> Statistics:
    """The figures of the last *days* days, by the database's clock."""
    today = period_start(Period.DAY)
    start = today - timedelta(days=days - 1)
    calls = Call.objects.filter(asked_at__gte=datetime.combine(start, time(), UTC)).order_by()
    failed = FailureDay.objects.filter(day__gte=start).order_by()
    counted = _questions(calls)
    return Statistics(
        days=days,
        cap=cap.microdollars,
        period=cap.period.value,
        today=spent_since(today),
        month=spent_since(period_start(Period.MONTH)),
        reserved=Reservation.objects.filter(expires_at__gt=Now()).aggregate(all=Sum("amount"))["all"] or 0,
        by_model=tuple(_by_model(start)),
        by_day=tuple(_by_day(start, counted)),
        by_door=_summed((door, n) for (_, door, _), n in counted.items()),
        by_kind=_summed((kind, n) for (_, _, kind), n in counted.items()),
        failures=_summed(failed.filter(rejection="").values_list("kind", "count")),
        rejections=_summed(failed.exclude(rejection="").values_list("rejection", "count")),
    )


def _questions(calls: QuerySet[Call]) -> dict[tuple[date, str, str], int]:
    """How many by day, door and kind: one pass over the index call_day answers all that is asked of calls."""
    dated = calls.annotate(day=TruncDate("asked_at", tzinfo=UTC)).values("day", "door", "kind")
    return {(row["day"], row["door"], row["kind"]): row["n"] for row in dated.annotate(n=Count("*"))}


def _summed(counts: Iterator[tuple[str, int]] | QuerySet[FailureDay, tuple[str, int]]) -> dict[str, int]:
    """The sums by name, the names in order."""
    sums: Counter[str] = Counter()
    for name, count in counts:
        sums[name] += count
    return dict(sorted(sums.items()))


def _by_model(start: date) -> Iterator[dict[str, Any]]:
    sums = {f"all_{name}": Sum(name) for name in _COUNTERS}
    spent = SpendDay.objects.filter(day__gte=start).order_by().values("stage", "model").annotate(**sums)
    rows: list[dict[str, Any]] = [{name.removeprefix("all_"): value for name, value in row.items()} for row in spent]
    yield from sorted(rows, key=lambda row: (-row["microdollars"], row["stage"], row["model"]))


def _by_day(start: date, counted: dict[tuple[date, str, str], int]) -> Iterator[dict[str, Any]]:
    spent = SpendDay.objects.filter(day__gte=start).order_by().values("day")
    money = {row["day"]: row for row in spent.annotate(requests=Sum("calls"), money=Sum("microdollars"))}
    kinds: dict[date, Counter[str]] = {}
    for (day, _, kind), n in counted.items():
        kinds.setdefault(day, Counter())[kind] += n
    for day in sorted(kinds.keys() | money.keys(), reverse=True):
        asked, paid = kinds.get(day, Counter()), money.get(day, {"requests": 0, "money": 0})
        yield {
            "day": day.isoformat(),
            "questions": asked.total(),
            "extractive": asked[Call.Kind.EXTRACTIVE],
            "requests": paid["requests"],
            "microdollars": paid["money"],
        }


def lines(found: Statistics) -> Iterator[str]:
    """*found* for a terminal."""
    yield f"Spent today {dollars(found.today)}, this month {dollars(found.month)}. {_cap(found)}"
    yield f"The last {found.days} days: {found.questions:,} questions, {found.extractive:.0%} answered without a model."
    if found.by_door:
        yield f"By door: {_listed(found.by_door)}. By kind: {_listed(found.by_kind)}."
    if found.by_model:
        yield f"Requests to models: {_requests({name: found.total(name) for name in _COUNTERS})}"
    for row in found.by_model:
        yield f"  {row['stage']} by {row['model']}: {_requests(row)}"
    yield f"Answers that needed a second draft: {found.failures.get(FailureKind.RETRIED, 0):,}"
    if failures := {kind: count for kind, count in found.failures.items() if kind != FailureKind.RETRIED}:
        yield f"Failed attempts: {_listed(failures)}"
    if found.rejections:
        yield f"Rejections: {_listed(found.rejections)}"
    for row in found.by_day:
        yield (
            f"{row['day']}: {row['questions']:,} questions ({row['extractive']:,} without a model), "
            f"{row['requests']:,} requests, {dollars(row['microdollars'])}"
        )


def _cap(found: Statistics) -> str:
    aside = f"{dollars(found.reserved)} set aside for requests under way."
    if found.cap is None:
        return f"There is no cap; {aside}"
    used = "" if found.spent is None or not found.cap else f", {found.spent / found.cap:.0%} of it spent"
    return f"The cap is {dollars(found.cap)} a {found.period}{used}; {aside}"


def _requests(row: dict[str, Any]) -> str:
    read = row["input_tokens"] + row["cache_read"] + row["cache_written"]
    return (
        f"{row['calls']:,} ({row['failed']:,} failed, {row['retries']:,} retries), "
        f"{read:,} tokens in, {row['output_tokens']:,} out, {dollars(row['microdollars'])}"
    )


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
