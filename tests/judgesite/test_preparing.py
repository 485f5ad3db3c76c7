"""What is loaded before a command runs, and what is told of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from calls import setup
from judgesite import preparing
from judgesite.problems import SetupError

pytestmark = pytest.mark.django_db


@pytest.fixture
def gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that is not there."""
    monkeypatch.setenv("JUDGE_DATA_DIR", str(tmp_path / "gone"))
    return tmp_path / "gone"


@pytest.mark.parametrize("prepare", [preparing.prepare, preparing.prepare_when_empty], ids=["start", "ask"])
def test_a_data_folder_that_is_gone_is_told_and_what_is_loaded_answers(
    gone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], prepare: Callable[[], None]
) -> None:
    monkeypatch.setattr(setup, "is_empty", lambda: False)
    prepare()
    said = capsys.readouterr().err
    assert said.startswith(f"warning: JUDGE_DATA_DIR: there is no folder {gone};")
    assert said.endswith(". Going on with the data that was loaded before.\n")
    assert ".." not in said


@pytest.mark.parametrize("prepare", [preparing.prepare, preparing.prepare_when_empty], ids=["start", "ask"])
def test_with_nothing_loaded_a_data_folder_that_is_gone_ends_it(gone: Path, prepare: Callable[[], None]) -> None:
    with pytest.raises(SetupError, match="JUDGE_DATA_DIR: there is no folder"):
        prepare()
