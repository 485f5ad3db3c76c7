"""A model's failed attempts, kept for the operator: so many of the newest, none older than so many days."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from datetime import timedelta

from django.db import connection, transaction
from django.db.models.functions import Now

from calls.models import FailedCall
from judge.failures import Failure
from judge.values import Question

KEPT = 500
KEPT_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresFailureStore:
    """The FailureStore of judge.ports over the FailedCall table. newest 0: nothing is kept."""

    newest: int = KEPT
    age: timedelta = KEPT_FOR

    def keep(self, question: Question, failure: Failure) -> None:
        """Stores *failure* and lets go of what is too old or too many. Not for a private question (ValueError)."""
        if question.private:
            raise ValueError("a private question leaves no trace")
        told = failure.transcript
        with transaction.atomic():
            _count(failure)
            FailedCall.objects.create(
                question=question.text,
                door=question.door,
                kind=failure.kind.value,
                stage=failure.stage,
                reasons=list(failure.reasons),
                rejections=list(failure.rejections),
                model=told.model if told else "",
                prompts={prompt.name: prompt.sha256 for prompt in told.prompts} if told else {},
                rounds=[asdict(each) for each in (told.rounds if told else ())],
            )
            prune_failures(self.newest, self.age)


def _count(failure: Failure) -> None:
    """Adds *failure* to its day, and each of its rejections: in order, so that no two processes block each other."""
    counted = Counter(["", *failure.rejections])
    with connection.cursor() as cursor:
        cursor.executemany(
            """INSERT INTO calls_failureday AS d (day, kind, rejection, count)
               VALUES ((now() AT TIME ZONE 'UTC')::date, %s, %s, %s)
               ON CONFLICT (day, kind, rejection) DO UPDATE SET count = d.count + EXCLUDED.count""",
            [(failure.kind.value, name, times) for name, times in sorted(counted.items())],
        )


def prune_failures(newest: int = KEPT, age: timedelta = KEPT_FOR) -> int:
    """Deletes what is older than *age* or beyond the *newest*; how many those were."""
    old, _ = FailedCall.objects.filter(failed_at__lte=Now() - age).delete()
    kept = FailedCall.objects.order_by("-failed_at", "-pk").values_list("pk", flat=True)[:newest]
    many, _ = FailedCall.objects.exclude(pk__in=list(kept)).delete()
    return old + many
