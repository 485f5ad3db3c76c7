"""Failures nobody expected: the log gets the traceback, the asker gets the number to tell the operator."""

from __future__ import annotations

import logging
import secrets

_log = logging.getLogger(__name__)


class Wordless(Exception):
    """Stands for an error whose own words may hold a private question; its traceback is kept."""


def without_words(error: Exception) -> Exception:
    """*error* by its class's name and its traceback alone, for what was asked in private: a message may quote it."""
    return Wordless(type(error).__name__).with_traceback(error.__traceback__)


def log_trouble(doing: str, error: Exception) -> None:
    """Tells the operator what was foreseen and still is for them to know: a model that could not be asked."""
    _log.warning("%s: %s: %s", doing, type(error).__name__, error)


def log_incident(stage: str, error: Exception) -> str:
    """The id under which *error* was logged with its traceback; eight hex digits, easy to read out."""
    incident = secrets.token_hex(4)
    _log.error("incident %s while %s", incident, stage, exc_info=error)
    return incident
