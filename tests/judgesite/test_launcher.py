from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from judgesite import launcher
from judgesite.paths import CHECKOUT
from judgesite.problems import SetupError


@pytest.fixture(autouse=True)
def _own_signals() -> object:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def _judge(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "judgesite", *arguments],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)} | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        ([], ["start"]),
        (["--port", "8001"], ["start", "--port", "8001"]),
        (["--port=8001"], ["start", "--port=8001"]),
        (["ask", "--port"], ["ask", "--port"]),
    ],
)
def test_without_a_command_the_judge_starts(
    arguments: list[str], runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(launcher, "_run", lambda arguments, prepare: ran.append(arguments))
    assert launcher.launch(arguments) == 0
    assert ran == [runs]


def test_a_problem_of_the_person_is_one_line_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_arguments: list[str], *, prepare: bool) -> None:
        raise SetupError("the disk is full; free some space")

    monkeypatch.setattr(launcher, "_run", broken)
    assert launcher.launch(["start"]) == 1
    assert capsys.readouterr().err == "error: the disk is full; free some space\n"


def test_a_defect_is_logged_and_not_thrown_at_the_person(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_arguments: list[str], *, prepare: bool) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(launcher, "_run", broken)
    monkeypatch.delenv("JUDGE_DEBUG", raising=False)
    assert launcher.launch(["start"]) == 1
    assert "Traceback" not in capsys.readouterr().err
    assert caplog.records[0].exc_info
    with pytest.raises(ZeroDivisionError):
        launcher.manage(["start"])  # a developer wants to see it


def test_ctrl_c_ends_quietly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_arguments: list[str], *, prepare: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(launcher, "_run", interrupted)
    assert launcher.launch(["embed_rules"]) == 130
    assert capsys.readouterr().err == ""


def test_an_unreadable_data_folder_is_told_before_anything_is_loaded(tmp_path: Path) -> None:
    done = _judge("--port", "0", JUDGE_DATA_DIR=str(tmp_path / "nowhere"))
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: JUDGE_DATA_DIR: there is no folder {tmp_path / 'nowhere'};")
    assert len(done.stderr.splitlines()) == 1


def test_an_unreachable_database_is_told_without_a_traceback() -> None:
    done = _judge("showmigrations", DATABASE_URL="postgresql://judge@127.0.0.1:1/judge")
    assert done.returncode == 1
    assert done.stderr.startswith("error: DATABASE_URL: the database does not answer")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("url", ["garbage", "mysql://x/y"])
def test_a_database_url_that_is_none_is_told_without_a_traceback(url: str) -> None:
    done = _judge("ask", "x", DATABASE_URL=url)
    assert done.returncode == 1
    assert done.stderr.startswith("error: DATABASE_URL cannot be read as a connection string")
    assert "Traceback" not in done.stderr


def test_a_command_that_does_not_exist_is_told() -> None:
    done = _judge("aks")
    assert done.returncode == 1
    assert "Unknown command: 'aks'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_child_ends_when_its_parent_lets_go_of_the_pipe() -> None:
    child = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os, time\n"
            "from judgesite import launcher\n"
            "launcher._stop_with_parent()\n"
            "print(os.nice(0), flush=True)\n"
            "time.sleep(60)",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=CHECKOUT,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert int(child.stdout.readline()) >= 10, "a child is of low priority"
    child.stdin.close()
    assert child.wait(timeout=10) == -signal.SIGTERM
    child.stdout.close()
