"""A model's failed attempts, kept for the operator: the newest 500, none older than 30 days."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from calls.models import FailedCall
from judge.failures import Failure
from judge.values import Question

KEPT = 500
KEPT_FOR = timedelta(days=30)


class PostgresFailureStore:
    """The FailureStore of judge.ports over the FailedCall table."""

    def keep(self, question: Question, failure: Failure) -> None:
        """Stores *failure* and lets go of what is too old or too many. Not for a private question (ValueError)."""
        if question.private:
            raise ValueError("a private question leaves no trace")
        told = failure.transcript
        with transaction.atomic():
            FailedCall.objects.create(
                question=question.text,
                door=question.door,
                kind=failure.kind.value,
                stage=failure.stage,
                reasons=list(failure.reasons),
                rejections=list(failure.rejections),
                model=told.model if told else "",
                prompts={prompt.name: prompt.sha256 for prompt in told.prompts} if told else {},
                rounds=[
                    {"asked": each.asked, "replied": each.replied, "stop": each.stop}
                    for each in (told.rounds if told else ())
                ],
            )
            prune_failures()


def prune_failures() -> int:
    """Deletes what is older than KEPT_FOR or beyond the newest KEPT; how many those were."""
    old, _ = FailedCall.objects.filter(failed_at__lt=Now() - KEPT_FOR).delete()
    newest = FailedCall.objects.order_by("-failed_at", "-pk").values("pk")
    last = newest[KEPT - 1 : KEPT].first()
    if last is None:
        return old
    kept = FailedCall.objects.order_by("-failed_at", "-pk").values_list("pk", flat=True)[:KEPT]
    many, _ = FailedCall.objects.exclude(pk__in=list(kept)).delete()
    return old + many
