"""Makes the virtual environment in JUDGE_HOME and runs the judge, or a developer's tool, in it.

Runs on the Python that was found, before anything is installed: standard library only.

    environment.py judge ARGS...    the judge's own command line
    environment.py dev COMMAND...   COMMAND with the developers' packages, and a JUDGE_HOME of its own for tests
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

CHECKOUT = Path(__file__).resolve().parent.parent
RUNTIME = CHECKOUT / "requirements.txt"
DEVELOPMENT = CHECKOUT / "requirements-dev.txt"


def main(arguments: Sequence[str]) -> NoReturn:
    """Runs what *arguments* ask for in place of this process."""
    kind, *rest = arguments
    home = Path(os.environ.get("JUDGE_HOME") or CHECKOUT / ".judge").expanduser().resolve()
    venv = Path(os.environ.get("JUDGE_VENV") or home / "venv").expanduser().resolve()
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONHOME"}
    environment |= {"PYTHONPATH": str(CHECKOUT), "JUDGE_VENV": str(venv), "VIRTUAL_ENV": str(venv)}
    environment["PATH"] = f"{venv / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    if kind == "judge":
        ensure(venv, RUNTIME)
        command = ["python", "-P", "-m", "judgesite", *rest]
    else:
        ensure(venv, DEVELOPMENT)
        environment["JUDGE_HOME"] = str(home / "test")
        os.chdir(CHECKOUT)
        command = rest
    os.execvpe(str(venv / "bin" / command[0]), command, environment)  # noqa: S606  # no shell is the point


def ensure(venv: Path, requirements: Path) -> None:
    """Installs *requirements* into *venv* unless exactly these are there; one process at a time."""
    if is_complete(venv, requirements):
        return
    try:
        venv.parent.mkdir(parents=True, exist_ok=True)
        with _locked(venv.with_name(f".{venv.name}.lock")):
            if not is_complete(venv, requirements):  # another process may have done it meanwhile
                install(venv, requirements)
    except OSError as error:
        sys.exit(f"error: cannot make the Python environment {venv}: {error}")


def is_complete(venv: Path, requirements: Path) -> bool:
    """Whether the last install into *venv* ended well and brought exactly *requirements*."""
    stamp = _stamp(venv)
    return (venv / "bin" / "python").exists() and stamp.exists() and _digest(requirements) in stamp.read_text().split()


def install(venv: Path, requirements: Path) -> None:
    """Makes *venv* and installs *requirements*; the stamp is written last, so an interrupted install is redone."""
    pins = _pins(requirements)
    print(f"Installing {len(pins)} Python packages into {venv} (once; about a minute)", file=sys.stderr, flush=True)
    _stamp(venv).unlink(missing_ok=True)
    if not (venv / "bin" / "python").exists():
        shutil.rmtree(venv, ignore_errors=True)
    uv = _working_uv()
    if uv is None or not _install_with_uv(uv, venv, requirements):
        _install_with_pip(venv, requirements)
    satisfied = [file for file in (RUNTIME, DEVELOPMENT) if _pins(file) <= pins]
    _stamp(venv).write_text("\n".join(_digest(file) for file in satisfied))


def _install_with_uv(uv: str, venv: Path, requirements: Path) -> bool:
    """Whether uv could do it; it is several times faster than pip, and may know no package index."""
    if not (venv / "bin" / "python").exists():
        _run([sys.executable, "-m", "venv", "--without-pip", str(venv)])
    command = [uv, "pip", "install", "--python", str(venv / "bin" / "python"), "-r", str(requirements)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603


def _install_with_pip(venv: Path, requirements: Path) -> None:
    python = str(venv / "bin" / "python")
    if not _succeeds([python, "-m", "pip", "--version"]) and not _succeeds([sys.executable, "-m", "venv", str(venv)]):
        shutil.rmtree(venv, ignore_errors=True)
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        sys.exit(
            f"error: {sys.executable} cannot make a virtual environment. "
            f"On Debian and Ubuntu: sudo apt-get install python3-venv (or python{version}-venv)"
        )
    _run([python, "-m", "pip", "install", "--disable-pip-version-check", "-r", str(requirements)])


def _run(command: list[str]) -> None:
    """Runs *command*, showing on one line what it is at; ends with the last lines it printed when it fails."""
    lines: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:  # noqa: S603
        for line in process.stdout or ():
            lines.append(line.rstrip())
            if sys.stderr.isatty() and line.startswith(("Collecting", "Downloading", "Installing")):
                print(f"\r\033[K  {line.strip()[:76]}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    if process.returncode:
        said = "\n".join(f"  {line}" for line in lines[-12:])
        sys.exit(f"error: installing the Python packages failed; mend this and run the same command again:\n{said}")


def _working_uv() -> str | None:
    uv = shutil.which("uv")
    return uv if uv and _succeeds([uv, "--version"]) else None


def _succeeds(command: list[str]) -> bool:
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603
    except OSError:
        return False


def _pins(requirements: Path) -> set[str]:
    lines = (line.strip() for line in requirements.read_text().splitlines())
    return {line for line in lines if line and not line.startswith("#")}


def _digest(requirements: Path) -> str:
    return hashlib.sha256(requirements.read_bytes()).hexdigest()


def _stamp(venv: Path) -> Path:
    return venv / ".judge-requirements"


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    with file.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another start is installing the Python packages; waiting for it", file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
