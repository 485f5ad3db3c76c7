"""The one way a door asks: admitted by the limits, answered by the judge, never an exception for the asker."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import DatabaseError
from django.utils.crypto import salted_hmac

from calls.limits import admitted, limits_from_settings
from calls.wiring import corpus, judge, store
from judge.cancelling import Cancellation, Cancelled
from judge.errors import InvalidQuestion
from judge.incidents import log_incident, without_words
from judge.questions import parse_question
from judge.replies import Failed, Reply
from judge.stages import OnStage
from judge.values import CorpusState, Pin

log = logging.getLogger(__name__)

_UNREACHABLE = "The judge's database cannot be reached right now. Please try again in a minute."
_BROKE = "Something broke on our side. The operator finds it in the log as {incident}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came in by a door. asker: the key its allowance is counted under, None for the operator's own shell."""

    text: str
    door: str
    asker: str | None
    pins: Sequence[Pin] = ()
    private: bool = False
    thread: str = ""  # as the door names the conversation


def ask(asked: Asked, on_stage: OnStage | None = None, cancel: Cancellation | None = None) -> Reply:
    """The reply. *on_stage* hears how the run gets on; *cancel* ends it, and the call to a model it waits on.

    Raises InvalidQuestion, which costs nothing, and Cancelled; every other failure is logged and becomes Failed.
    """
    try:
        thread = _thread_key(asked)
        question = parse_question(
            asked.text,
            history=store().history(thread),
            private=asked.private,
            door=asked.door,
            thread=thread,
        )
        with admitted(asked.asker, limits_from_settings()) as refusal:
            return refusal or judge().answer(question, asked.pins, on_stage, cancel)
    except (InvalidQuestion, Cancelled):
        raise
    except DatabaseError as error:
        said = without_words(error) if asked.private else error
        log.error("the database failed while a question was asked", exc_info=said)  # noqa: TRY400 - not its own words
        return Failed(_UNREACHABLE)
    except Exception as error:  # the door answers in its own shape; the log has it
        incident = log_incident("answering a question", without_words(error) if asked.private else error)
        return Failed(_BROKE.format(incident=incident), incident)


def ground() -> CorpusState:
    """What the judge stands on; nothing where the database cannot be reached (D82)."""
    try:
        return corpus().state()
    except DatabaseError:
        log.exception("the database cannot be reached")
        return CorpusState(edition=None)


def _thread_key(asked: Asked) -> str:
    """The conversation as it is stored, "" for none.

    Hashed with door and asker, so nobody reads another's history by naming their thread.
    """
    if not asked.thread:
        return ""
    named = "\n".join((asked.door, asked.asker or "", asked.thread))
    return salted_hmac("calls.thread", named, algorithm="sha256").hexdigest()[:40]
