"""script/find-python and script/environment.py, without installing anything."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from judgesite.paths import CHECKOUT


def _script(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def _find(tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Sources find-python with nothing but *tmp_path*/bin on the PATH and *tmp_path*/pyenv for pyenv."""
    return subprocess.run(
        ["/bin/sh", "-c", f'set -eu; here="{tmp_path}/bin"; . "{CHECKOUT}/script/find-python"; echo "$python"'],
        env={"PATH": f"{tmp_path}/bin:{tmp_path}/cat", "HOME": str(tmp_path), "PYENV_ROOT": str(tmp_path / "pyenv")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def shell(tmp_path: Path) -> Path:
    """A PATH that has `cat` and no Python."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "cat").mkdir()
    (tmp_path / "cat" / "cat").symlink_to("/bin/cat")
    return tmp_path


def test_a_shim_that_leads_nowhere_is_passed_over(shell: Path) -> None:
    _script(shell / "bin" / "python3.14", "exit 127")
    _script(shell / "bin" / "python3.13", "exit 0")
    assert _find(shell).stdout == f"{shell}/bin/python3.13\n"


def test_a_python_that_is_too_old_is_passed_over_for_one_of_pyenv(shell: Path) -> None:
    _script(shell / "bin" / "python3", "exit 1")
    _script(shell / "pyenv" / "versions" / "3.12.1" / "bin" / "python", "exit 0")
    assert _find(shell).stdout == f"{shell}/pyenv/versions/3.12.1/bin/python\n"


def test_the_environment_that_is_there_is_used_without_looking(shell: Path) -> None:
    _script(shell / ".judge" / "venv" / "bin" / "python", "exit 0")
    _script(shell / "bin" / "python3.14", "exit 0")
    assert _find(shell).stdout.endswith("/.judge/venv/bin/python\n")


def test_uv_is_asked_last(shell: Path) -> None:
    _script(shell / "of-uv" / "python", "exit 0")
    _script(shell / "bin" / "uv", f'test "$1 $2 $3" = "python find >=3.12" && echo "{shell}/of-uv/python"')
    assert _find(shell).stdout == f"{shell}/of-uv/python\n"


def test_without_any_python_the_person_is_told_what_to_install(shell: Path) -> None:
    found = _find(shell)
    assert found.returncode == 1
    assert "Python 3.12 or newer" in found.stderr
    assert "apt-get install python3 python3-venv" in found.stderr
    assert "brew install python" in found.stderr


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """script/environment.py with made-up requirements files; installing makes an empty environment."""
    spec = importlib.util.spec_from_file_location("environment", CHECKOUT / "script" / "environment.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "requirements.txt").write_text("one==1\n    # via two\n")
    (tmp_path / "requirements-dev.txt").write_text("one==1\ntester==2\n")
    monkeypatch.setattr(module, "RUNTIME", tmp_path / "requirements.txt")
    monkeypatch.setattr(module, "DEVELOPMENT", tmp_path / "requirements-dev.txt")
    monkeypatch.setattr(module, "_working_uv", lambda: None)

    def install(venv: Path, _requirements: Path) -> None:
        (venv / "bin").mkdir(parents=True, exist_ok=True)
        (venv / "bin" / "python").touch()

    monkeypatch.setattr(module, "_install_with_pip", install)
    return module


def test_what_is_installed_is_not_installed_again_until_the_pins_change(
    environment: ModuleType, tmp_path: Path
) -> None:
    venv = tmp_path / "home" / "venv"
    assert not environment.is_complete(venv, environment.RUNTIME)
    environment.ensure(venv, environment.RUNTIME)
    assert environment.is_complete(venv, environment.RUNTIME)
    assert not environment.is_complete(venv, environment.DEVELOPMENT)
    environment.RUNTIME.write_text("one==2\n")
    assert not environment.is_complete(venv, environment.RUNTIME)


def test_the_developers_packages_include_the_runtime_ones(environment: ModuleType, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    environment.ensure(venv, environment.DEVELOPMENT)
    assert environment.is_complete(venv, environment.RUNTIME)
    environment.DEVELOPMENT.write_text("one==3\n")
    environment.ensure(venv, environment.DEVELOPMENT)
    assert not environment.is_complete(venv, environment.RUNTIME), "one==1 was replaced by one==3"


def test_the_committed_files_let_one_environment_serve_both(environment: ModuleType) -> None:
    runtime, development = CHECKOUT / "requirements.txt", CHECKOUT / "requirements-dev.txt"
    assert environment._pins(runtime) <= environment._pins(development)


def test_an_interrupted_install_is_done_again(
    environment: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = tmp_path / "venv"
    environment.ensure(venv, environment.RUNTIME)
    environment.RUNTIME.write_text("one==2\n")

    def interrupted(_venv: Path, _requirements: Path) -> None:
        raise KeyboardInterrupt

    install = environment._install_with_pip
    monkeypatch.setattr(environment, "_install_with_pip", interrupted)
    with pytest.raises(KeyboardInterrupt):
        environment.ensure(venv, environment.RUNTIME)
    environment.RUNTIME.write_text("one==1\n    # via two\n")  # back to what was there before the interruption
    assert not environment.is_complete(venv, environment.RUNTIME)
    monkeypatch.setattr(environment, "_install_with_pip", install)
    environment.ensure(venv, environment.RUNTIME)
    assert environment.is_complete(venv, environment.RUNTIME)


def test_two_starts_at_once_install_once(
    environment: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installs: list[Path] = []
    install = environment._install_with_pip

    def slowly(venv: Path, requirements: Path) -> None:
        installs.append(venv)
        threading.Event().wait(0.3)
        install(venv, requirements)

    monkeypatch.setattr(environment, "_install_with_pip", slowly)
    starts = [
        threading.Thread(target=environment.ensure, args=(tmp_path / "venv", environment.RUNTIME)) for _ in range(3)
    ]
    for start in starts:
        start.start()
    for start in starts:
        start.join()
    assert len(installs) == 1


def test_a_failed_install_ends_with_what_the_installer_said(
    environment: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match=r"(?s)failed.*no matching distribution"):
        environment._run([sys.executable, "-c", "print('no matching distribution'); raise SystemExit(1)"])


def test_a_home_that_cannot_be_written_is_told(environment: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match="cannot make the Python environment"):
        environment.ensure(tmp_path / "file" / "venv", environment.RUNTIME)


def test_the_scripts_are_executable() -> None:
    for name in ("script/judge", "script/test", "script/check", ".ci/run"):
        assert os.access(CHECKOUT / name, os.X_OK), name
