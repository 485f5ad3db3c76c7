from __future__ import annotations

from pathlib import Path

import pytest

from curation.loading import load_curation
from curation.models import CardAlias, CardNote
from curation.parsing import parse_folder
from curation.writing import export_curation
from rules.models import Edition
from tests.curation.conftest import make_card

pytestmark = pytest.mark.django_db

FILES = ("aliases.yaml", "notes.yaml", "categories.yaml")


def texts(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text(encoding="utf-8") for name in FILES}


def test_what_was_loaded_is_written_back_byte_for_byte(folder: Path, corpus: Edition) -> None:
    before = texts(folder)
    load_curation(folder)
    assert export_curation(folder) == tuple(folder / name for name in FILES)
    assert texts(folder) == before
    assert {path.name for path in folder.iterdir()} == set(FILES)


def test_a_curators_rows_are_written_and_load_again_without_conflict(folder: Path, corpus: Edition) -> None:
    load_curation(folder)
    shared = make_card("Cinder Volley", number=2)
    CardAlias.objects.create(alias="yes", folded="yes", card=shared, common_word=True)
    note = CardNote.objects.get()
    CardNote.objects.create(card=note.card, text="A curator's: better\n\nnote.", rules=["104.1"])
    export_curation(folder)
    files = parse_folder(folder)
    assert files.problems == ()
    assert files.aliases is not None
    assert files.notes is not None
    yes = files.aliases[-1]
    assert (yes.alias, yes.card.oracle_id, yes.common_word) == ("yes", shared.oracle_id, True)
    assert [entry.text for entry in files.notes] == ["A curator's: better\n\nnote."]
    report = load_curation(folder)
    assert report.is_clean
    assert report.conflicts == ()


def test_a_retired_alias_is_not_written(folder: Path, corpus: Edition) -> None:
    load_curation(folder)
    CardAlias.objects.filter(folded="drake").update(retired_at="2026-01-01T00:00:00Z")
    export_curation(folder)
    assert "drake\n" not in texts(folder)["aliases.yaml"]


def test_a_new_folder_is_made(tmp_path: Path, folder: Path, corpus: Edition) -> None:
    load_curation(folder)
    export_curation(tmp_path / "new" / "place")
    assert parse_folder(tmp_path / "new" / "place").problems == ()
