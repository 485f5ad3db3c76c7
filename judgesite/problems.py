"""What the person at the terminal has to put right."""

from __future__ import annotations


class SetupError(Exception):
    """Something only the person running the judge can put right; its text says what and how.

    Commands print it as it is and exit with 1, without a traceback.
    """
