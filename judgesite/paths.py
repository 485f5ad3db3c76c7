"""Where things live: the checkout, JUDGE_HOME (state), JUDGE_DATA_DIR (bulk files)."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def home() -> Path:
    """The folder of all state, JUDGE_HOME or .judge in the checkout; made when missing."""
    path = Path(os.environ.get("JUDGE_HOME") or CHECKOUT / ".judge").expanduser().resolve()
    path.mkdir(parents=True, exist_ok=True)
    return path


def data_dir() -> Path | None:
    """The folder with bulk files that JUDGE_DATA_DIR names, or None. Not checked here."""
    named = os.environ.get("JUDGE_DATA_DIR")
    return Path(named).expanduser().resolve() if named else None


def secret_key() -> str:
    """DJANGO_SECRET_KEY, or a key made once and kept in JUDGE_HOME, readable by its owner only."""
    if key := os.environ.get("DJANGO_SECRET_KEY"):
        return key
    file = home() / "secret_key"
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return file.read_text().strip()
    with os.fdopen(descriptor, "w") as out:
        out.write(secrets.token_urlsafe(50))
    return file.read_text().strip()
