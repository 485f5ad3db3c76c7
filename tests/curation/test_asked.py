from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from curation.asked_files import file_of, parse_asked
from curation.asked_vectors import asked_vectors, embed_asked
from curation.changes import Changes
from curation.entries import Problem
from curation.loading import load_curation
from curation.models import AskedPhrase, AskedVector, Origin
from curation.writing import export_curation
from rules.embedding import EmbedReport, SpaceMismatch, switch_space
from rules.models import Edition, Renumbering
from rules.vector_cache import key_of
from tests.rules.invented import WordEmbedder

HEAD = "# Ways to ask.\n# edition: 2026-01-01\n"
ONE = f"{HEAD}104.10: who wins\n206.1: does the picture matter\n206.1: is the frame a rule\n"
SIX = f"{HEAD}603.2a: it died before the trigger\n"


@pytest.fixture
def asked(folder: Path) -> Path:
    """The folder of curated files, with ways to ask."""
    (folder / "asked").mkdir()
    (folder / "asked" / "1xx.txt").write_text(f"{HEAD}104.10: who wins\n", encoding="utf-8")
    (folder / "asked" / "2xx.txt").write_text(
        f"{HEAD}206.1: does the picture matter\n206.1: is the frame a rule\n", encoding="utf-8"
    )
    (folder / "asked" / "6xx.txt").write_text(SIX, encoding="utf-8")
    return folder


def rows() -> list[tuple[str, str, str]]:
    return list(AskedPhrase.objects.values_list("number", "text", "origin"))


def parsed(folder: Path, text: str, name: str = "6xx.txt") -> tuple[list[str] | None, list[str]]:
    """What is read of one file: the phrases, and what is told about it."""
    (folder / name).write_text(text, encoding="utf-8")
    problems: list[Problem] = []
    entries = parse_asked(folder, problems)
    return None if entries is None else [entry.text for entry in entries], [str(problem) for problem in problems]


def test_a_line_is_a_number_and_a_phrase_and_knows_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "6xx.txt").write_text(f"{HEAD}\n603.2a:  does it:  still happen \n", encoding="utf-8")
    (entry,) = parse_asked(tmp_path, []) or ()
    assert (entry.number, entry.text, entry.edition) == ("603.2a", "does it: still happen", date(2026, 1, 1))
    assert entry.place.line == 4


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("no number here", ":4: expected a rule number"),
        ("603.2a:", ":4: expected a rule number"),
        ("603: a section", ":4: '603' is no rule number"),
        ("603.2A: loud", ":4: '603.2A' is no rule number"),
        ("702.2: flying", ":4: 702.2 belongs in 7xx.txt"),
        ("603.2: fine", ":4: this phrase already stands on line 3"),
        ("603.2: " + "x" * 301, ":4: the phrase has 301 characters; 300 fit"),
    ],
)
def test_a_line_that_is_wrong_is_left_out_and_told_with_its_place(tmp_path: Path, line: str, told: str) -> None:
    kept, problems = parsed(tmp_path, f"{HEAD}603.2: fine\n{line}\n603.3: also fine\n")
    assert kept == ["fine", "also fine"]
    assert len(problems) == 1
    assert told in problems[0]


@pytest.mark.parametrize("text", ["603.2: fine\n", "# edition: someday\n603.2: fine\n"])
def test_a_file_without_an_edition_takes_nothing_from_the_folder(tmp_path: Path, text: str) -> None:
    kept, problems = parsed(tmp_path, text)
    assert kept is None
    assert "must name the edition" in problems[0]


def test_a_file_of_another_name_or_encoding_is_told(tmp_path: Path) -> None:
    kept, problems = parsed(tmp_path, ONE, "others.txt")
    assert kept is None
    assert "1xx.txt to 9xx.txt" in problems[0]
    (tmp_path / "others.txt").unlink()
    (tmp_path / "1xx.txt").write_bytes(b"# edition: 2026-01-01\n104.10: \xff\n")
    problem: list[Problem] = []
    assert parse_asked(tmp_path, problem) is None
    assert "not UTF-8" in str(problem[0])


def test_a_number_stands_in_the_file_of_its_hundred() -> None:
    assert file_of("104.10") == "1xx.txt"


@pytest.mark.django_db
def test_a_second_load_writes_nothing(asked: Path, corpus: Edition) -> None:
    first = load_curation(asked)
    assert first.is_clean
    assert first.asked == Changes(added=4)
    with CaptureQueriesContext(connection) as queries:
        assert load_curation(asked).asked == Changes(kept=4)
    assert not [query for query in queries if query["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]


@pytest.mark.django_db
def test_rows_follow_the_files_and_a_curators_stay(asked: Path, corpus: Edition) -> None:
    load_curation(asked)
    AskedPhrase.objects.create(number="603.2", text="mine")
    AskedPhrase.objects.create(number="603.2a", text="and mine")
    text = SIX.replace("it died before the trigger", "and mine") + "603.2: new\n"
    (asked / "asked" / "6xx.txt").write_text(text, encoding="utf-8")
    assert load_curation(asked).asked == Changes(added=1, removed=1, kept=4)
    assert [row for row in rows() if row[0] > "6"] == [
        ("603.2", "mine", Origin.CURATOR),
        ("603.2", "new", Origin.FILE),
        ("603.2a", "and mine", Origin.CURATOR),
    ]


@pytest.mark.django_db
def test_a_rule_the_edition_lacks_is_told_and_left_out(asked: Path, corpus: Edition) -> None:
    (asked / "asked" / "6xx.txt").write_text(f"{SIX}603.9: gone\n", encoding="utf-8")
    report = load_curation(asked)
    assert [str(problem) for problem in report.refused] == [
        "asked/6xx.txt:4: the phrase is about 603.9, which the current edition does not have"
    ]
    assert report.asked.added == 4


@pytest.mark.django_db
def test_without_the_folder_nothing_changes(asked: Path, corpus: Edition) -> None:
    load_curation(asked)
    for path in (asked / "asked").iterdir():
        path.unlink()
    (asked / "asked").rmdir()
    assert load_curation(asked).is_clean
    assert len(rows()) == 4


@pytest.mark.django_db
@pytest.mark.parametrize("is_older", [True, False])
def test_numbers_are_carried_from_the_edition_the_file_names(asked: Path, corpus: Edition, is_older: bool) -> None:
    named = Edition.objects.create(effective=date(2025, 5, 5), sha256="1" * 64, file_name="old.txt")
    if is_older:
        Renumbering.objects.create(from_edition=named, to_edition=corpus, old_number="603.7", new_number="603.2a")
    else:
        Renumbering.objects.create(from_edition=corpus, to_edition=named, old_number="603.2a", new_number="603.7")
    (asked / "asked" / "6xx.txt").write_text("# edition: 2025-05-05\n603.7: moved\n603.2: stayed\n", encoding="utf-8")
    assert load_curation(asked).is_clean
    assert [row[:2] for row in rows() if row[0] > "6"] == [("603.2", "stayed"), ("603.2a", "moved")]


@pytest.mark.django_db
def test_what_was_loaded_is_written_back_byte_for_byte(asked: Path, corpus: Edition) -> None:
    before = {path: path.read_bytes() for path in (asked / "asked").iterdir()}
    load_curation(asked)
    written = export_curation(asked)
    assert {path: path.read_bytes() for path in written if path.parent.name == "asked"} == before


@pytest.mark.django_db
def test_carried_numbers_are_written_under_the_edition_they_are_of(asked: Path, corpus: Edition) -> None:
    (asked / "asked" / "6xx.txt").write_text("# Ours.\n# edition: 2025-05-05\n603.2: b\n603.2: a\n", encoding="utf-8")
    load_curation(asked)
    export_curation(asked)
    assert (asked / "asked" / "6xx.txt").read_text() == "# Ours.\n# edition: 2026-01-01\n603.2: a\n603.2: b\n"


@pytest.mark.django_db
def test_phrases_are_embedded_once_each_text_and_from_what_ships(asked: Path, corpus: Edition) -> None:
    load_curation(asked)
    AskedPhrase.objects.create(number="603.2", text="who wins")
    embedder = WordEmbedder()
    shipped = {key_of(embedder.space, "is the frame a rule"): embedder.query("a hat")}
    seen: list[tuple[int, int]] = []
    report = embed_asked(embedder, lambda done, total: seen.append((done, total)), shipped)
    assert report == EmbedReport(copied=0, cached=1, computed=3)
    assert seen == [(0, 5), (1, 5), (5, 5)]
    assert embed_asked(embedder) == EmbedReport(0, 0, 0)
    assert embedder.asked == 3
    assert dict(asked_vectors(embedder.space)).keys() == {
        key_of(embedder.space, text) for text in AskedPhrase.objects.values_list("text", flat=True)
    }


@pytest.mark.django_db
def test_switching_the_space_empties_these_vectors_too_and_sets_their_width(asked: Path, corpus: Edition) -> None:
    load_curation(asked)
    embed_asked(WordEmbedder())
    narrow = WordEmbedder(width=16, model="narrow")
    with pytest.raises(SpaceMismatch):
        embed_asked(narrow)
    assert switch_space(narrow.space)
    assert AskedVector.objects.count() == 0
    assert embed_asked(narrow).computed == 4


@pytest.mark.django_db
def test_a_phrase_that_is_rewritten_loses_its_vector() -> None:
    kept = AskedPhrase.objects.create(number="603.2", text="a hat")
    phrase = AskedPhrase.objects.create(number="603.2", text="two walls")
    embed_asked(WordEmbedder())
    kept.save()
    phrase.text = "two walls glow"
    phrase.save()
    assert [row.phrase for row in AskedVector.objects.all()] == [kept]
