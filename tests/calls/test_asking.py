"""The one way a door asks."""

from __future__ import annotations

import pytest
from django.db import DataError, OperationalError

from calls.asking import Asked, ask, ground
from calls.models import JudgeSlot, RateWindow
from judge.cancelling import Cancellation, Cancelled
from judge.errors import InvalidQuestion
from judge.replies import Failed, RateLimited
from judge.values import Exchange, Pin
from tests.calls.doors import Says, judge_says
from tests.calls.replies import AMBIGUOUS, answered

__all__ = ["judge_says"]

Caplog = pytest.LogCaptureFixture


def asked(text: str = "does owl look?", *, asker: str | None = "ip:one", **fields: object) -> Asked:
    return Asked(text=text, door="api", asker=asker, **fields)  # type: ignore[arg-type]  # fields of Asked by name


@pytest.mark.django_db
def test_a_question_goes_to_the_judge_as_it_was_asked(judge_says: Says) -> None:
    judge = judge_says(answered())

    assert ask(asked(pins=[Pin("owl", "Pellona, Lantern Owl")], private=True)) == answered()

    ((question, pins),) = judge.asked
    assert (question.text, question.door, question.private) == ("does owl look?", "api", True)
    assert pins == (Pin("owl", "Pellona, Lantern Owl"),)
    assert RateWindow.objects.get().count == 1


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["", " \n\t", "\x00\x01", "?!", "x" * 100_000])
def test_what_is_no_question_is_told_and_costs_nothing(judge_says: Says, text: str) -> None:
    judge = judge_says(answered())

    with pytest.raises(InvalidQuestion):
        ask(asked(text))
    assert not judge.asked
    assert not RateWindow.objects.exists()


@pytest.mark.django_db
def test_a_cancelled_question_is_told_to_the_door_and_frees_its_slot(judge_says: Says, caplog: Caplog) -> None:
    judge_says(Cancelled())

    with pytest.raises(Cancelled):
        ask(asked(), cancel=Cancellation())
    assert not JudgeSlot.objects.exists()
    assert "incident" not in caplog.text


@pytest.mark.django_db
@pytest.mark.parametrize("error", [RuntimeError, DataError])
@pytest.mark.parametrize("private", [True, False])
def test_the_log_has_a_failures_own_words_unless_the_question_is_private(
    judge_says: Says, caplog: Caplog, error: type[Exception], private: bool
) -> None:
    judge_says(error("at the question about a xylophone"))

    assert isinstance(ask(asked(private=private)), Failed)
    assert ("xylophone" in caplog.text) is not private
    assert error.__name__ in caplog.text


@pytest.mark.django_db
def test_a_pin_for_what_the_question_does_not_say_is_told(judge_says: Says) -> None:
    judge_says(AMBIGUOUS)

    with pytest.raises(InvalidQuestion, match="bear"):
        ask(asked(pins=[Pin("bear", "Runeclaw Bear")]))
    assert not JudgeSlot.objects.exists()


@pytest.mark.django_db
def test_an_asker_over_the_allowance_is_refused_before_the_judge_runs(
    judge_says: Says, settings: pytest.FixtureRequest
) -> None:
    settings.JUDGE_QUESTIONS_PER_WINDOW = 1  # type: ignore[attr-defined]  # pytest-django's settings
    judge = judge_says(answered())
    ask(asked())

    assert isinstance(ask(asked()), RateLimited)
    assert len(judge.asked) == 1
    assert ask(asked(asker=None)) == answered()  # the operator's own shell is not charged


@pytest.mark.django_db
def test_what_nobody_foresaw_is_a_failure_with_an_incident_and_frees_the_slot(
    judge_says: Says, caplog: pytest.LogCaptureFixture
) -> None:
    judge_says(ZeroDivisionError("secret"))

    reply = ask(asked())

    assert isinstance(reply, Failed)
    assert reply.incident
    assert reply.incident in reply.reason
    assert "secret" not in reply.reason
    assert reply.incident in caplog.text
    assert not JudgeSlot.objects.exists()


@pytest.mark.django_db
def test_a_database_that_is_down_is_told_in_words(judge_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: object) -> None:
        raise OperationalError("connection refused")

    judge_says(answered())
    monkeypatch.setattr("calls.asking.admitted", down)
    monkeypatch.setattr("calls.adapters.corpus.PostgresCorpus.state", down)

    reply = ask(asked())

    assert isinstance(reply, Failed)
    assert "database" in reply.reason
    assert ground().edition is None


@pytest.mark.django_db
def test_threads_of_two_askers_with_one_name_are_two(judge_says: Says) -> None:
    judge = judge_says(answered())
    for asker in ("ip:one", "ip:one", "ip:two"):
        ask(asked(asker=asker, thread="mine"))

    threads = [question.thread for question, _ in judge.asked]
    assert threads[0] == threads[1] != threads[2]
    assert "mine" not in threads


@pytest.mark.django_db
def test_a_follow_up_brings_the_history_of_its_thread(judge_says: Says) -> None:
    from calls.adapters.store import PostgresCallStore
    from tests.calls.test_store import EXTRACTION

    judge = judge_says(answered())
    ask(asked("first?", thread="t"))
    PostgresCallStore().save(judge.asked[0][0], EXTRACTION, answered())
    ask(asked("and then?", thread="t"))

    assert judge.asked[1][0].history == (Exchange("first?", answered().verdict.answer),)
