from __future__ import annotations

import os
from pathlib import Path

import pytest

from judgesite import paths
from judgesite.owner import Owner, may_pass
from judgesite.problems import SetupError


def test_a_data_folder_that_is_missing_is_told_with_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_DATA_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(SetupError, match=r"no folder .*nowhere"):
        paths.readable_data_dir()


def test_a_data_folder_that_is_a_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cards.json").write_text("[]")
    monkeypatch.setenv("JUDGE_DATA_DIR", str(tmp_path / "cards.json"))
    with pytest.raises(SetupError, match="is a file"):
        paths.readable_data_dir()


def test_without_a_data_folder_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUDGE_DATA_DIR", raising=False)
    assert paths.readable_data_dir() is None


def test_a_home_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(SetupError, match="JUDGE_HOME"):
        paths.home()


def test_the_secret_key_is_made_once_and_is_the_owners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path))
    monkeypatch.delenv("DJANGO_SECRET_KEY", raising=False)
    key = paths.secret_key()
    assert len(key) >= 50
    assert paths.secret_key() == key
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["secret_key"]


@pytest.mark.parametrize(("mode", "passes"), [(0o755, True), (0o711, True), (0o700, False), (0o750, False)], ids=oct)
def test_a_stranger_passes_a_folder_by_the_bits_for_others(open_folder: Path, mode: int, passes: bool) -> None:
    folder = open_folder / "one" / "two"
    folder.mkdir(parents=True)
    stranger = Owner("stranger", os.geteuid() + 4242, os.getegid() + 4242, "me")
    folder.parent.chmod(mode)
    assert may_pass(stranger, folder) is passes
