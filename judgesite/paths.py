"""Where things live: the checkout, JUDGE_HOME (state), JUDGE_DATA_DIR (bulk files)."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from judgesite.problems import SetupError

CHECKOUT = Path(__file__).resolve().parent.parent


def home() -> Path:
    """The folder of all state, JUDGE_HOME or .judge in the checkout; made when missing. Raises SetupError."""
    path = Path(os.environ.get("JUDGE_HOME") or CHECKOUT / ".judge").expanduser().resolve()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"JUDGE_HOME: cannot make the folder {path}: {error.strerror}") from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise SetupError(f"JUDGE_HOME: the folder {path} is not writable for this user; set JUDGE_HOME to one that is")
    return path


def log_dir() -> Path:
    """The folder of log files in JUDGE_HOME; made when missing."""
    path = home() / "log"
    path.mkdir(exist_ok=True)
    return path


def data_dir() -> Path | None:
    """The folder with bulk files that JUDGE_DATA_DIR names, or None. Not checked here."""
    named = os.environ.get("JUDGE_DATA_DIR")
    return Path(named).expanduser().resolve() if named else None


def readable_data_dir() -> Path | None:
    """The folder JUDGE_DATA_DIR names, or None when it is not set. Raises SetupError when it cannot be read."""
    folder = data_dir()
    if folder is None:
        return None
    if not folder.exists():
        raise SetupError(f"JUDGE_DATA_DIR: there is no folder {folder}; correct it, or unset it to use the network")
    if not folder.is_dir():
        raise SetupError(f"JUDGE_DATA_DIR: {folder} is a file; it must be the folder that holds the bulk files")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise SetupError(f"JUDGE_DATA_DIR: the folder {folder} is not readable for this user")
    return folder


def data_dir_problem() -> str | None:
    """What is wrong with the folder JUDGE_DATA_DIR names, or None."""
    try:
        readable_data_dir()
    except SetupError as problem:
        return str(problem)
    return None


def secret_key() -> str:
    """DJANGO_SECRET_KEY, or a key made once and kept in JUDGE_HOME, readable by its owner only."""
    return os.environ.get("DJANGO_SECRET_KEY") or _secret("secret_key")


def owner_token() -> str:
    """What the owner's shell shows the running judge; made once and kept in JUDGE_HOME, readable by its owner only."""
    return _secret("owner_token")


def _secret(name: str) -> str:
    file = home() / name
    if not file.exists():
        _keep_secret(file, secrets.token_urlsafe(50))
    return file.read_text().strip()


def _keep_secret(file: Path, secret: str) -> None:
    """Writes *secret* to *file* whole or not at all; the first of several processes wins."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as out:
        out.write(secret)
    try:
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
