"""Where log lines go: everything to JUDGE_HOME/log, what a person should see to the terminal."""

from __future__ import annotations

import logging
import os
from typing import Any, override

from judgesite import paths

_LEVELS = {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}


class OneLine(logging.Formatter):
    """A record as one readable line; its traceback is in the file."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        """Level and message only."""
        record.message = record.getMessage()
        return self.formatMessage(record)


def logging_settings() -> dict[str, Any]:
    """Django's LOGGING: judge.log, five files of 5 MB; warnings, one line each and no traceback, to stderr."""
    level = os.environ.get("JUDGE_LOG_LEVEL", "INFO").upper()
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "file": {"format": "{asctime} {levelname} {process} {name}: {message}", "style": "{"},
            "terminal": {"()": "judgesite.log.OneLine", "format": "{levelname}: {message}", "style": "{"},
        },
        "handlers": {
            "file": {
                "class": "logging.handlers.RotatingFileHandler",
                "formatter": "file",
                "filename": str(paths.log_dir() / "judge.log"),
                "maxBytes": 5_000_000,
                "backupCount": 5,
                "delay": True,
                "encoding": "utf-8",
            },
            "terminal": {"class": "logging.StreamHandler", "formatter": "terminal", "level": "WARNING"},
        },
        "root": {"handlers": ["file", "terminal"], "level": level if level in _LEVELS else "INFO"},
        "loggers": {
            # Django's own handlers would print and mail beside ours; a 404 is for the file.
            "django": {"handlers": [], "propagate": True},
            "django.request": {"handlers": ["file"], "propagate": False},
            "psycopg.pool": {"handlers": ["file"], "propagate": False},  # what fails for it fails for us, and is told
            "httpx": {"level": "WARNING"},  # it tells every address at INFO, and that of the spend alert is a secret
            "uvicorn.access": {"handlers": ["file"], "propagate": False},
        },
    }
