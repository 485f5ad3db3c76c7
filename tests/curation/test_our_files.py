"""The curated files of this project over the real cards and rules, the sample files over the sample."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from django.conf import settings

from cards.ingest import ingest_cards
from curation.loading import default_folder, load_curation
from curation.models import AskedPhrase, CardAlias, CardNote, Category
from curation.parsing import parse_folder
from curation.writing import export_curation
from rules.load import load_edition
from rules.models import Rule
from rules.parser import parse_edition
from sources.cr import files_in, read_file
from sources.folder import FolderSource
from sources.scryfall import BulkKind

DATA = Path(settings.BASE_DIR) / "data"
SAMPLE = DATA / "sample"


def load_newest_rules(folder: Path) -> None:
    newest = read_file(files_in(folder)[-1])
    load_edition(parse_edition(newest.data), newest.data, newest.name)


def written_back_alike(folder: Path, copy: Path) -> None:
    """Asserts that every curated file of *folder* comes out of the database as it went in."""
    files = [*folder.glob("*.yaml"), *folder.glob("asked/*.txt")]
    (copy / "asked").mkdir()
    for path in files:
        (copy / path.relative_to(folder)).write_bytes(path.read_bytes())
    written = export_curation(copy)
    assert {path.relative_to(copy) for path in written} >= {Path("asked/1xx.txt"), Path("aliases.yaml")}
    for path in written:
        assert path.read_bytes() == (folder / path.relative_to(copy)).read_bytes()


@pytest.mark.real_data
@pytest.mark.django_db
def test_our_files_load_whole_and_are_written_back_as_they_are(real_data: Path, tmp_path: Path) -> None:
    ingest_cards(FolderSource(real_data), kinds=(BulkKind.ORACLE_CARDS,))
    load_newest_rules(real_data)
    report = load_curation(DATA)
    assert [str(problem) for problem in report.refused] == []
    assert report.uncovered == ()
    assert report.is_clean
    assert CardAlias.objects.count() > 350
    assert CardNote.objects.count() >= 32
    assert Category.objects.count() == 27
    assert AskedPhrase.objects.count() > 8_000
    numbers = set(Rule.objects.filter(edition__is_current=True).values_list("number", flat=True))
    assert all(set(note.rules) <= numbers for note in CardNote.objects.all())

    started = time.monotonic()
    again = load_curation(DATA)
    assert time.monotonic() - started < 3  # seconds; a second run is a look, not a load
    assert not again.changed

    written_back_alike(DATA, tmp_path)


def test_every_file_of_the_project_parses_without_a_problem() -> None:
    assert parse_folder(DATA).problems == ()


def test_the_categories_are_the_closed_set_that_questions_are_sorted_into() -> None:
    categories = parse_folder(DATA).categories or ()
    assert [category.key for category in categories] == sorted(category.key for category in categories)
    assert {"keyword_abilities", "commander", "layers", "other"} <= {category.key for category in categories}
    for category in categories:
        assert category.title
        assert category.description
        assert category.sections
        assert len(category.keywords) >= 8


def test_aliases_are_sorted_by_their_fold() -> None:
    folded = [entry.folded for entry in parse_folder(DATA).aliases or ()]
    assert folded == sorted(folded)


@pytest.mark.django_db
def test_the_sample_files_load_whole_over_the_sample_corpus(tmp_path: Path) -> None:
    ingest_cards(FolderSource(SAMPLE), kinds=(BulkKind.ORACLE_CARDS,))
    load_newest_rules(SAMPLE)
    assert default_folder() == SAMPLE
    report = load_curation()
    assert [str(problem) for problem in report.refused] == []
    assert report.is_clean
    assert CardAlias.objects.get(folded="drake").card.name == "Emberfang Drake"
    assert CardNote.objects.count() == 4
    ours = {category.key for category in parse_folder(DATA).categories or ()}
    assert set(Category.objects.values_list("key", flat=True)) <= ours

    assert AskedPhrase.objects.count() > 20
    written_back_alike(SAMPLE, tmp_path)
