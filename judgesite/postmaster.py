"""The process of the embedded Postgres: which it is, and ending it when it no longer ends by itself (D36)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path


def postmaster_of(data: Path) -> int | None:
    """The process id of the living postmaster of the cluster *data*, or None.

    The id in postmaster.pid proves nothing, it can be another's by now: the process must be a Postgres on *data*.
    """
    try:
        pid = int((data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return None
    return pid if pid > 0 and _is_postgres_on(data, pid) else None


def kill(data: Path, seconds: float) -> bool:
    """Kills the postmaster of *data*; its children end by themselves when they notice. Whether it is gone in time."""
    pid = postmaster_of(data)
    if pid is None:
        return True
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return postmaster_of(data) is None
    deadline = time.monotonic() + seconds
    while postmaster_of(data) is not None:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _is_postgres_on(data: Path, pid: int) -> bool:
    state, command = _in_proc(pid) if Path("/proc/self/stat").exists() else _by_ps(pid)
    return not state.startswith("Z") and "postgres" in command and f" -D {data} " in f"{command} "


def _in_proc(pid: int) -> tuple[str, str]:
    """(state, command line) from /proc, which small containers have where ps is missing; ("", "") of no process."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].strip()
        return state, Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return "", ""


def _by_ps(pid: int) -> tuple[str, str]:
    command = ["ps", "-ww", "-o", "stat=,args=", "-p", str(pid)]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # a number, no shell
    state, _, line = listed.stdout.strip().partition(" ")
    return state, line
