"""Children behind the server."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from judgesite import background


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A command is the Python code of a child."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path))

    def child(command: list[str], log: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", *command], stdin=subprocess.PIPE, stdout=log, stderr=log)

    monkeypatch.setattr(background, "_child", child)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "gone"


@pytest.mark.usefixtures("scripts")
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the state of a process is read from /proc")
def test_a_child_that_is_done_does_not_stay_a_zombie(capsys: pytest.CaptureFixture[str]) -> None:
    with background.children([["pass"]]) as (child,):
        deadline = time.monotonic() + 20
        while _state(child.pid) != "gone" and time.monotonic() < deadline:
            time.sleep(0.05)
        assert _state(child.pid) == "gone"
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("scripts")
def test_a_child_that_fails_is_told_and_one_that_is_ended_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    with background.children([["import sys; sys.exit(3)"], ["import time; time.sleep(60)"]]) as (failing, _sleeping):
        failing.wait(20)
        deadline = time.monotonic() + 20
        said = ""
        while not said and time.monotonic() < deadline:
            said = capsys.readouterr().err
            time.sleep(0.05)
    assert said.startswith("warning: import sys; sys.exit(3) failed; the end of ")
    assert "background.log says why" in said
    assert capsys.readouterr().err == ""
