"""What every remote door must offer: the source it runs (repository, commit, licence) and who runs it."""

from __future__ import annotations

import subprocess
import tomllib
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit, urlunsplit

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
        repository=settings.JUDGE_SOURCE_URL or _web_address(_git("remote", "get-url", "origin")),
        commit=settings.JUDGE_COMMIT or _git("rev-parse", "HEAD"),
        licence=LICENCE,
        operator=settings.JUDGE_OPERATOR,
    )


def _web_address(remote: str) -> str:
    """*remote* where a browser can follow it, without the user and password it may hold; "" otherwise."""
    parts = urlsplit(remote)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.removesuffix(".git"), "", ""))


def _git(*arguments: str) -> str:
    """What git says about the checkout, or "" where it is none or git is missing."""
    command = ["git", "-C", str(settings.BASE_DIR), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)  # noqa: S603  # no outside input
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
