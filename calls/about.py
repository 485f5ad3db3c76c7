"""What every remote door must offer: the source it runs (repository, commit, licence) and who runs it."""

from __future__ import annotations

import subprocess
import tomllib
from dataclasses import dataclass
from functools import cache

from django.conf import settings

NAME = "The Judge"
LICENCE = "AGPL-3.0-or-later"


@dataclass(frozen=True, slots=True)
class About:
    """repository, commit and operator are "" where nobody said and nothing tells."""

    name: str
    version: str
    repository: str
    commit: str
    licence: str
    operator: str


@cache
def about() -> About:
    """This program and its operator; read once a process."""
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]
    return About(
        name=NAME,
        version=project["version"],
        repository=settings.JUDGE_SOURCE_URL,
        commit=settings.JUDGE_COMMIT or _checked_out(),
        licence=LICENCE,
        operator=settings.JUDGE_OPERATOR,
    )


def _checked_out() -> str:
    """The commit of the checkout, or "" where it is none or git is missing."""
    command = ["git", "-C", str(settings.BASE_DIR), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)  # noqa: S603  # no outside input
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
