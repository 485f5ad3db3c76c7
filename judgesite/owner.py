"""The operating-system user the embedded Postgres runs as. Postgres refuses to run as root."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from judgesite.problems import SetupError

_FOR_ROOT = ("postgres", "_postgres", "nobody")  # users a system has, best first; root makes no new one


class _Drop(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Owner:
    """Who owns the cluster and runs the server (*name*), and who alone may connect to it (*client*)."""

    name: str
    uid: int
    gid: int
    client: str

    def as_subprocess(self) -> _Drop:
        """The arguments that make subprocess.run a process of this user; none when it is already."""
        if os.geteuid() == self.uid:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def server_owner() -> Owner:
    """The user running this process, or for root one of the system's unprivileged users. Raises SetupError."""
    try:
        me = pwd.getpwuid(os.geteuid())
    except KeyError:
        raise SetupError(
            f"the embedded Postgres needs a user with a name, and user id {os.geteuid()} has none in /etc/passwd; "
            "add one, or set DATABASE_URL to a Postgres of your own"
        ) from None
    if me.pw_uid:
        return Owner(me.pw_name, me.pw_uid, me.pw_gid, client=me.pw_name)
    for name in _FOR_ROOT:
        try:
            other = pwd.getpwnam(name)
        except KeyError:
            continue
        return Owner(other.pw_name, other.pw_uid, other.pw_gid, client=me.pw_name)
    raise SetupError(
        "Postgres does not run as root, and there is no user 'postgres' or 'nobody' to run it as; "
        "run the judge as an ordinary user"
    )


def may_pass(owner: Owner, folder: Path) -> bool:
    """Whether *owner* may enter *folder* and every folder above it, by their permission bits."""
    if os.geteuid() == owner.uid:
        return True
    return all(_may_enter(owner, step) for step in (folder, *folder.parents) if step.exists())


def _may_enter(owner: Owner, folder: Path) -> bool:
    status = folder.stat()
    if status.st_uid == owner.uid:
        return bool(status.st_mode & 0o100)
    if status.st_gid == owner.gid:
        return bool(status.st_mode & 0o010)
    return bool(status.st_mode & 0o001)
