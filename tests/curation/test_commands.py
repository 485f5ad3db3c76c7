from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from curation.loading import CurationReport
from curation.management.commands import load_curation as load_command
from curation.models import CardAlias
from rules.models import Edition
from tests.curation.conftest import add_section

pytestmark = pytest.mark.django_db


def test_the_report_is_printed(folder: Path, corpus: Edition, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_curation", folder, "--strict")
    out = capsys.readouterr().out
    assert "aliases    2 added, 0 changed, 0 removed, 0 kept" in out
    assert "effective 2026-01-01" in out
    assert "Left out" not in out


def test_strict_fails_when_something_was_left_out(
    folder: Path, corpus: Edition, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "aliases.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("Sheltering Mist", "Nobody"), encoding="utf-8")
    call_command("load_curation", folder)
    with pytest.raises(CommandError, match="left out"):
        call_command("load_curation", folder, "--strict")
    assert "aliases.yaml:6: the alias 'misty one' points at no card" in capsys.readouterr().out
    assert CardAlias.objects.count() == 1


def test_strict_fails_on_a_section_nobody_thought_of(
    folder: Path, corpus: Edition, capsys: pytest.CaptureFixture[str]
) -> None:
    add_section(corpus, "605", "Brand New Things")
    with pytest.raises(CommandError):
        call_command("load_curation", folder, "--strict")
    assert "605. Brand New Things" in capsys.readouterr().out


def test_a_database_that_fails_is_told_without_a_traceback(
    folder: Path, corpus: Edition, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> CurationReport:
        raise OperationalError("could not extend file: No space left on device")

    monkeypatch.setattr(load_command, "load_curation", fail)
    with pytest.raises(CommandError, match="nothing was changed: could not extend file"):
        call_command("load_curation", folder)


@pytest.mark.usefixtures("corpus")
def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no folder"):
        call_command("load_curation", tmp_path / "nowhere")


def test_export_writes_and_says_where(folder: Path, corpus: Edition, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_curation", folder)
    call_command("export_curation", folder)
    assert f"Wrote {folder / 'notes.yaml'}" in capsys.readouterr().out


def test_export_into_a_file_is_told(folder: Path, corpus: Edition) -> None:
    with pytest.raises(CommandError, match="Cannot write into"):
        call_command("export_curation", folder / "aliases.yaml")
