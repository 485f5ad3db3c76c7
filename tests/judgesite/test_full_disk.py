"""A disk that runs full, and a server that no longer ends by itself."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from judgesite import disk, embedded, launcher, postmaster, preparing
from judgesite.embedded import DATABASE, ROLE, Server
from judgesite.owner import server_owner
from judgesite.problems import SetupError

Resize = Callable[[str], None]


def _connect(server: Server) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(host=str(server.socket_dir), user=ROLE, dbname=DATABASE, autocommit=True)


def _mount(*arguments: str) -> bool:
    try:
        return subprocess.run(["mount", "-t", "tmpfs", *arguments], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.fixture
def small_disk(open_folder: Path) -> Iterator[tuple[Path, Resize]]:
    """A disk of 150 MB of its own, and what makes it larger."""
    folder = open_folder / "disk"
    folder.mkdir()
    if not _mount("-o", "size=150m,mode=755", "tmpfs", str(folder)):
        pytest.skip("this user may not mount a small file system to fill")
    try:
        yield folder, lambda size: assert_(_mount("-o", f"remount,size={size}", "tmpfs", str(folder)))
    finally:
        Server(folder / "postgres", server_owner()).stop()
        subprocess.run(["umount", str(folder)], check=True)


def assert_(done: bool) -> None:
    assert done


def test_a_full_disk_is_named_the_server_ends_and_comes_back(small_disk: tuple[Path, Resize]) -> None:
    folder, resize = small_disk
    server = Server(folder / "postgres", server_owner())
    with server.in_use():
        written = server.log_size()
        with _connect(server) as connection:
            connection.execute("create table kept as select 7 as n")
            with pytest.raises((psycopg.OperationalError, psycopg.errors.DiskFull)):
                connection.execute("create table big as select n, repeat('x', 900) from generate_series(1, 300000) n")
        told = server.full_disk(written)
        assert told is not None
        assert f"the disk of {server.root} is full" in told
        assert "What was loaded before is whole" in told
    assert postmaster.postmaster_of(server.data) is None, "it is stopped, full disk or not"
    resize("600m")
    with server.in_use(), _connect(server) as connection:
        assert connection.execute("select n from kept").fetchone() == (7,)
        assert server.full_disk(server.log_size()) is None, "what the log said before is over"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_STOP_SECONDS", (("fast", 1), ("immediate", 1)))
    monkeypatch.setattr(embedded, "_ENDING_SECONDS", 1)


@pytest.mark.usefixtures("impatient")
def test_a_server_that_does_not_end_is_killed(server: Server) -> None:
    server.start()
    pid = postmaster.postmaster_of(server.data)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # it gets no signal but one
    server.stop()
    assert postmaster.postmaster_of(server.data) is None


@pytest.mark.usefixtures("impatient")
def test_a_start_replaces_a_server_that_lives_and_does_not_answer(server: Server) -> None:
    server.start()
    with _connect(server) as connection:
        connection.execute("create table kept as select 7 as n")
    hung = postmaster.postmaster_of(server.data)
    assert hung is not None
    os.kill(hung, signal.SIGSTOP)
    with server.in_use(), _connect(server) as connection:
        assert postmaster.postmaster_of(server.data) != hung
        assert connection.execute("select n from kept").fetchone() == (7,)


def test_another_process_under_the_old_id_is_never_killed(server: Server) -> None:
    with server.in_use():
        pass
    other = subprocess.Popen(["sleep", "60"])
    (server.data / "postmaster.pid").write_text(f"{other.pid}\n{server.data}\n")
    try:
        server.stop()
        assert postmaster.kill(server.data, 1)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
        (server.data / "postmaster.pid").unlink()


def test_a_new_cluster_is_not_begun_where_it_does_not_fit(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "free", lambda _folder: 12_000_000)
    with pytest.raises(SetupError, match=r"too small: a new database takes about 100 MB, and 12 MB are free"):
        server.start()
    assert not server.data.exists()
    assert not (server.root / "data.new").exists()


@pytest.mark.django_db
def test_a_load_is_not_begun_where_it_does_not_fit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("JUDGE_DATA_DIR", str(tmp_path))
    with (tmp_path / "oracle-cards-20260101000000.json").open("wb") as file:
        file.truncate(100_000_000)
    monkeypatch.setattr(disk, "free", lambda _folder: 120_000_000)
    loads: list[object] = []
    monkeypatch.setattr("calls.setup.load_essentials", lambda *arguments: loads.append(arguments))
    with pytest.raises(SetupError, match=r"loading the data takes about 400 MB, and 120 MB are free"):
        preparing.prepare()
    assert loads == []


def test_a_crash_on_a_full_disk_is_told_as_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], server: Server
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setattr(embedded, "server", lambda: server)
    before = signal.getsignal(signal.SIGTERM)

    def crashes(_arguments: list[str], *, prepare: bool) -> None:
        server.data.mkdir(parents=True)
        (server.data / "server.log").write_text('PANIC:  could not write to file "x": No space left on device\n')
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(launcher, "_run", crashes)
    try:
        assert launcher.launch(["start"]) == 1
    finally:
        signal.signal(signal.SIGTERM, before)
    said = capsys.readouterr().err
    assert said.startswith(f"error: the disk of {server.root} is full (")
    assert "Traceback" not in said
