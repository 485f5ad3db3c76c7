"""script/judge as a person runs it: on the sample corpus, with a JUDGE_HOME of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from judgesite.embedded import Server
from judgesite.paths import CHECKOUT

_SECONDS = 180  # a first start on a busy machine

Start = Callable[[], "Judge"]


class Judge:
    """A running script/judge."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [CHECKOUT / "script" / "judge", "--port", "0"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            pytest.fail(f"it ended without an address: {self.process.communicate()[1]}")
        self.url = line.split()[4]

    def get(self, path: str) -> Any:
        with urlopen(self.url + path, timeout=60) as answer:
            return json.load(answer)

    def stop(self, sent: signal.Signals) -> tuple[int, str]:
        """The exit code and what was said on stderr."""
        self.process.send_signal(sent)
        said = self.process.communicate(timeout=60)[1]
        return self.process.returncode, said


@pytest.fixture
def environment(open_folder: Path) -> dict[str, str]:
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("JUDGE_", "DATABASE_URL", "DJANGO_"))
    }
    return kept | {
        "JUDGE_HOME": str(open_folder),
        "JUDGE_VENV": os.environ.get("JUDGE_VENV", sys.prefix),
        "JUDGE_OFFLINE": "1",
        "JUDGE_EMBEDDER": "wordllama",
    }


@pytest.fixture
def start(environment: dict[str, str], open_folder: Path) -> Iterator[Start]:
    judges: list[Judge] = []

    def started() -> Judge:
        judges.append(Judge(environment))
        return judges[-1]

    yield started
    for judge in judges:
        if judge.process.poll() is None:
            judge.stop(signal.SIGTERM)
    Server.of(open_folder).stop()


def _processes_of(home: Path) -> list[str]:
    """Command lines of all processes that name *home* or have it as JUDGE_HOME, zombies left out."""
    listed = subprocess.run(["ps", "-eww", "-o", "stat=,pid=,args="], capture_output=True, text=True, check=True).stdout
    found = []
    for line in listed.splitlines():
        state, pid, command = line.split(maxsplit=2)
        if state.startswith("Z"):
            continue
        if str(home) in command or f"JUDGE_HOME={home}\0" in _environment_of(pid):
            found.append(command)
    return found


def _environment_of(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_text(errors="replace")
    except OSError:  # ended meanwhile, another user's, or no /proc on this system
        return ""


def _eventually(holds: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_the_sample_and_a_signal_stops_all_of_it(
    sent: signal.Signals, start: Start, open_folder: Path
) -> None:
    judge = start()
    health = judge.get("api/health")
    assert health["ok"] is True
    assert health["sample"] is True
    assert health["counts"]["rules"] > 0
    assert health["counts"]["cards"] > 0
    code, said = judge.stop(sent)
    assert code == 0
    assert "SAMPLE DATA" in said
    assert said.endswith("Stopped.\n")
    assert "Traceback" not in said
    assert _eventually(lambda: _processes_of(open_folder) == []), _processes_of(open_folder)


def test_a_question_is_answered_over_http(start: Start) -> None:
    judge = start()
    body = json.dumps({"question": "What does the first rule say about priority?"}).encode()
    request = Request(f"{judge.url}api/judge", body, {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=60) as answer:
            reply = json.load(answer)
    except HTTPError as error:
        pytest.fail(f"{error}: {error.read()!r}")
    assert reply["kind"] in {"extractive", "answer", "not_found", "ambiguous", "out_of_scope"}


def test_after_kill_9_no_child_lingers_and_the_next_start_reuses_the_server(start: Start, open_folder: Path) -> None:
    killed = start()
    pid_file = Server.of(open_folder).data / "postmaster.pid"
    postmaster = pid_file.read_text().splitlines()[0]
    killed.process.kill()
    killed.process.communicate()
    assert _eventually(lambda: all("postgres" in command for command in _processes_of(open_folder)))
    assert _processes_of(open_folder), "the server itself stays"
    judge = start()
    assert pid_file.read_text().splitlines()[0] == postmaster
    assert judge.get("api/health")["ok"] is True
    assert judge.stop(signal.SIGTERM)[0] == 0
    assert not pid_file.exists()


def test_a_command_beside_the_running_judge_does_not_stop_its_server(start: Start, environment: dict[str, str]) -> None:
    judge = start()
    done = subprocess.run(
        [CHECKOUT / "script" / "judge", "showmigrations", "rules"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "[X] 0001_rules" in done.stdout
    assert judge.get("api/health")["ok"] is True


def test_a_second_judge_on_the_same_port_is_refused_and_the_first_goes_on(
    start: Start, environment: dict[str, str]
) -> None:
    judge = start()
    port = judge.url.rstrip("/").rsplit(":", 1)[1]
    second = subprocess.run(
        [CHECKOUT / "script" / "judge"],
        env=environment | {"JUDGE_PORT": port},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert second.returncode == 1
    assert second.stderr.splitlines()[-1].startswith(f"error: port {port} on 127.0.0.1 is in use")
    assert judge.get("api/health")["ok"] is True
