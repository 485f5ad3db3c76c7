from __future__ import annotations

import os
import pwd
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from judgesite import embedded
from judgesite.embedded import DATABASE, ROLE, Server
from judgesite.owner import server_owner
from judgesite.problems import SetupError


def _postmaster(server: Server) -> int:
    return int((server.data / "postmaster.pid").read_text().splitlines()[0])


def _connect(server: Server) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(host=str(server.socket_dir), user=ROLE, dbname=DATABASE, autocommit=True)


def test_first_use_makes_a_utf8_cluster_that_folds_like_python(server: Server) -> None:
    with server.in_use(), _connect(server) as connection:
        row = connection.execute("select lower('ÛÖÆ'), current_setting('server_encoding')").fetchone()
        assert row == ("ûöæ", "UTF8")
        available = connection.execute("select name from pg_available_extensions").fetchall()
        assert {"vector", "pg_trgm"} <= {name for (name,) in available}


def test_the_server_listens_on_no_network_address(server: Server) -> None:
    with server.in_use(), _connect(server) as connection:
        assert connection.execute("show listen_addresses").fetchone() == ("",)


def test_the_last_user_stops_the_server_and_no_other_does(server: Server) -> None:
    with server.in_use():
        with server.in_use():
            assert server.is_running()
        assert server.is_running()
    assert not server.is_running()
    assert not (server.data / "postmaster.pid").exists()


def test_data_survives_a_stop(server: Server) -> None:
    with server.in_use(), _connect(server) as connection:
        connection.execute("create table kept (n int)")
        connection.execute("insert into kept values (7)")
    with server.in_use(), _connect(server) as connection:
        assert connection.execute("select n from kept").fetchone() == (7,)


def test_a_stray_server_is_reused_and_then_stopped(server: Server) -> None:
    server.start()  # as a process killed with SIGKILL leaves it
    stray = _postmaster(server)
    with server.in_use():
        assert _postmaster(server) == stray
    assert not server.is_running()


def test_a_killed_postmaster_is_replaced(server: Server) -> None:
    server.start()
    killed = _postmaster(server)
    os.kill(killed, signal.SIGKILL)
    with server.in_use():
        assert _postmaster(server) != killed
        with _connect(server) as connection:
            assert connection.execute("select 1").fetchone() == (1,)


def test_a_killed_process_lets_go_of_the_server(server: Server) -> None:
    user = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time\n"
            "from pathlib import Path\n"
            "from judgesite.embedded import Server\n"
            "from judgesite.owner import server_owner\n"
            "with Server(Path(sys.argv[1]), server_owner()).in_use():\n"
            "    print('up', flush=True); time.sleep(60)",
            str(server.root),
        ],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert user.stdout is not None
    assert user.stdout.readline() == b"up\n"
    with server.in_use():
        pass
    assert server.is_running(), "the other process still uses it"
    user.kill()
    user.communicate()
    with server.in_use():
        pass
    assert not server.is_running()


def test_an_interrupted_initdb_is_done_again(server: Server) -> None:
    half = server.root / "data.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    with server.in_use():
        assert server.is_running()
    assert not half.exists()


def test_a_cluster_of_another_user_is_refused_with_its_path(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with server.in_use():
        pass
    other = Server(server.root, server.owner.__class__("other", server.owner.uid + 1, server.owner.gid, "other"))
    with pytest.raises(SetupError, match=str(server.data)):
        other._check_cluster()


def test_a_deep_home_gets_a_short_socket_path(open_folder: Path) -> None:
    server = Server(open_folder / ("deep" * 40), server_owner())
    assert len(str(server.socket_dir)) < 90
    assert Server(open_folder / ("deep" * 41), server_owner()).socket_dir != server.socket_dir


def test_a_path_with_quotes_and_spaces_works(open_folder: Path) -> None:
    server = Server(open_folder / "it's a judge", server_owner())
    with server.in_use():
        assert server.is_running()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can try as another user")
def test_no_other_user_of_the_machine_gets_in(server: Server) -> None:
    with server.in_use():
        server.socket_dir.chmod(0o777)  # even if the folder were open
        (server.socket_dir / ".s.PGSQL.5432").chmod(0o777)
        for name in {"postgres", "nobody", server.owner.name} & {entry.pw_name for entry in pwd.getpwall()}:
            psql = server._binaries / "psql"
            tried = subprocess.run(
                [psql, "-h", server.socket_dir, "-U", ROLE, "-d", DATABASE, "-c", "select 1"],
                capture_output=True,
                cwd="/",
                user=name,
                extra_groups=[],
                text=True,
                check=False,
            )
            assert tried.returncode != 0
            assert "peer authentication failed" in tried.stderr.lower()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a home that the server's user may not enter")
def test_root_with_a_closed_home_gets_a_place_the_server_may_enter(
    tmp_path: Path, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setattr(embedded, "SHARED_STATE", open_folder / "state")
    server = Server.of(tmp_path)
    assert server.root.is_relative_to(open_folder)
    with server.in_use():
        assert server.is_running()


def test_binaries_out_of_reach_are_copied_once(tmp_path: Path) -> None:
    install = tmp_path / "closed" / "pginstall"
    (install / "bin").mkdir(parents=True)
    (install / "bin" / "postgres").write_text("binary")
    target = tmp_path / "open" / "copy"
    assert (embedded._copied(install, target) / "bin" / "postgres").read_text() == "binary"
    (install / "bin" / "postgres").unlink()
    assert (embedded._copied(install, target) / "bin" / "postgres").exists()
    assert [entry.name for entry in target.parent.iterdir()] == ["copy"]
