"""Failures nobody expected: the log gets the traceback, the asker gets the number to tell the operator."""

from __future__ import annotations

import logging
import secrets

_log = logging.getLogger(__name__)


def log_incident(stage: str, error: Exception) -> str:
    """The id under which *error* was logged with its traceback; eight hex digits, easy to read out."""
    incident = secrets.token_hex(4)
    _log.error("incident %s while %s", incident, stage, exc_info=error)
    return incident
