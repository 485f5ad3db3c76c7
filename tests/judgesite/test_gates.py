"""Loading everything at once, and the script that measures on it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from calls import setup
from calls.wiring import corpus
from cards.models import PrintedName
from judgesite.paths import CHECKOUT


@pytest.mark.django_db
def test_load_all_loads_the_names_too_and_embeds(
    monkeypatch: pytest.MonkeyPatch, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("JUDGE_DATA_DIR", raising=False)
    settings.JUDGE_OFFLINE, settings.JUDGE_EMBEDDER = True, "wordllama"
    call_command("load_all")
    state = corpus().state()
    assert setup.has_sample()
    assert PrintedName.objects.exists()
    assert 0 < state.to_embed == state.embedded
    assert capsys.readouterr().out == ""


def test_without_the_data_the_gates_say_so_and_pass(tmp_path: Path) -> None:
    done = subprocess.run(
        [CHECKOUT / "script" / "gates"],
        env=os.environ | {"JUDGE_DATA_DIR": str(tmp_path / "nowhere"), "JUDGE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout == "gates: skipped, JUDGE_DATA_DIR names no folder with the full data\n"
    assert list(tmp_path.iterdir()) == []
