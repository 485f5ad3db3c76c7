"""Room on the disk: asked for before a load, and named when it ran out."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from judgesite.problems import SetupError

_MB = 1_000_000
CLUSTER = 100 * _MB  # bytes of a new cluster with nothing in it, its first write-ahead log and the sample data
FULL_DATA = 1_000 * _MB  # of the full data: 400 MB of tables and indexes, up to 600 of write-ahead log meanwhile
_UNPACKED = 6  # how much longer the bulk files are than their .gz
_PER_BYTE = 3  # bytes in the database and its log for each byte of plain bulk files; measured 5 for ours


def free(folder: Path) -> int:
    """Bytes that may still be written in *folder*, or in the nearest folder above it that exists."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    return shutil.disk_usage(there).free


def needed_for(files: list[Path]) -> int:
    """A low estimate of the bytes that loading the bulk *files* takes, so that only a hopeless load is refused."""
    plain = sum(file.stat().st_size * (_UNPACKED if file.suffix == ".gz" else 1) for file in files)
    return min(FULL_DATA, CLUSTER + _PER_BYTE * plain)


def require(folder: Path, needed: int, what: str) -> None:
    """Nothing while *folder* has room for *needed* bytes. Raises SetupError that says how much *what* takes."""
    if (there := free(folder)) < needed:
        raise SetupError(
            f"the disk of {folder} is too small: {what} takes about {_megabytes(needed)}, and {_megabytes(there)} are "
            "free. Nothing was changed. Free some space, or set JUDGE_HOME to a folder on a larger disk"
        )


def full(folder: Path) -> str:
    """What to tell the person whose disk of *folder* ran full."""
    return (
        f"the disk of {folder} is full ({_megabytes(free(folder))} are free now; the full data takes about "
        f"{_megabytes(FULL_DATA)} while it is loaded). What was loaded before is whole, the step that failed changed "
        "nothing. Free some space, or set JUDGE_HOME to a folder on a larger disk, and run the same command again"
    )


def is_full(error: BaseException | None) -> bool:
    """Whether *error*, or one it came from, says that a disk is full."""
    while error is not None:
        if (isinstance(error, OSError) and error.errno == errno.ENOSPC) or os.strerror(errno.ENOSPC) in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _megabytes(size: int) -> str:
    return f"{size // _MB:,} MB"
