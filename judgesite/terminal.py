"""Lines for the person at the terminal."""

from __future__ import annotations

import sys


def say(line: str) -> None:
    """Prints *line* on stderr at once; stdout is for results."""
    print(line, file=sys.stderr, flush=True)
