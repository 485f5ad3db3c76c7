from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from curation import loading
from curation.changes import Changes
from curation.loading import NO_CARDS, NO_RULES, CurationReport, default_folder, load_curation
from curation.models import CardAlias, CardNote, Category, Origin
from rules.models import Edition
from tests.curation.conftest import add_section, make_card, make_edition

pytestmark = pytest.mark.django_db


def everything() -> dict[str, list[Any]]:
    """All curated rows, keys included, to tell whether anything was written."""
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in (CardAlias, CardNote, Category)}


def refused(report: CurationReport) -> list[str]:
    return [str(problem) for problem in report.refused]


def rewrite(folder: Path, name: str, change: Callable[[str], str]) -> None:
    path = folder / name
    before = path.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    path.write_text(after, encoding="utf-8")


def test_a_first_load_fills_the_tables(folder: Path, corpus: Edition) -> None:
    report = load_curation(folder)
    assert report.is_clean
    assert (report.aliases.added, report.notes.added, report.categories.added) == (2, 1, 2)
    assert report.edition == corpus.effective
    alias = CardAlias.objects.get(folded="drake")
    assert (alias.card.name, alias.common_word, alias.origin) == ("Emberfang Drake", True, Origin.FILE)
    assert CardNote.objects.get().rules == ["603.2a", "104.10"]
    assert Category.objects.get(key="triggers").sections == ["603"]


def test_a_second_load_writes_nothing_and_asks_little(folder: Path, corpus: Edition) -> None:
    load_curation(folder)
    before = everything()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        report = load_curation(folder)
    assert report.aliases == Changes(kept=2)
    assert report.notes == Changes(kept=1)
    assert report.categories == Changes(kept=2)
    assert everything() == before
    written = [query["sql"] for query in queries if query["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert written == []
    assert len(queries) < 30


def test_changed_and_removed_entries_follow_the_files(folder: Path, corpus: Edition) -> None:
    load_curation(folder)
    rewrite(folder, "aliases.yaml", lambda text: text.replace("card: Emberfang Drake", "card: Cinder Volley"))
    rewrite(folder, "aliases.yaml", lambda text: text.replace("misty one", "misty two"))
    rewrite(folder, "notes.yaml", lambda text: text.replace("on its own", "alone"))
    rewrite(folder, "categories.yaml", lambda text: text.replace("title: Winning", "title: Victory"))
    report = load_curation(folder)
    assert report.aliases == Changes(added=1, changed=1, removed=1)
    assert (report.notes.changed, report.categories.changed, report.categories.kept) == (1, 1, 1)
    assert CardAlias.objects.get(folded="drake").card.name == "Cinder Volley"
    assert set(CardAlias.objects.values_list("folded", flat=True)) == {"drake", "misty two"}
    assert "alone" in CardNote.objects.get().text
    assert Category.objects.get(key="winning").title == "Victory"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("Nobody", "there is no card named 'Nobody'", id="no card"),
        pytest.param(
            "emberfang drake", "no card named 'emberfang drake'; did you mean 'Emberfang Drake'?", id="another case"
        ),
        pytest.param("Dusk Page", "did you mean 'Dawn Page // Dusk Page'?", id="one face"),
    ],
)
def test_an_alias_that_points_at_no_card_is_refused(folder: Path, corpus: Edition, name: str, message: str) -> None:
    rewrite(folder, "aliases.yaml", lambda text: text.replace("Sheltering Mist", name))
    report = load_curation(folder)
    assert len(report.refused) == 1
    assert refused(report)[0].startswith("aliases.yaml:6: the alias 'misty one' points at no card")
    assert message in refused(report)[0]
    assert list(CardAlias.objects.values_list("folded", flat=True)) == ["drake"]


def test_a_name_that_several_cards_share_needs_an_oracle_id(folder: Path, corpus: Edition) -> None:
    twin = make_card("Sheltering Mist", number=2)
    report = load_curation(folder)
    assert len(report.refused) == 1
    assert "2 cards are named 'Sheltering Mist'; say which by adding its oracle_id" in refused(report)[0]
    assert str(twin.oracle_id) in refused(report)[0]
    with_id = f"Sheltering Mist\n  oracle_id: {twin.oracle_id}"
    rewrite(folder, "aliases.yaml", lambda text: text.replace("Sheltering Mist", with_id))
    assert load_curation(folder).is_clean
    assert CardAlias.objects.get(folded="misty one").card == twin


def test_an_oracle_id_of_another_card_or_of_none_is_refused(folder: Path, corpus: Edition) -> None:
    drake = CardAlias(card=make_card("Third Card")).card.oracle_id
    rewrite(
        folder, "aliases.yaml", lambda text: text.replace("Sheltering Mist", f"Sheltering Mist\n  oracle_id: {drake}")
    )
    assert (
        f"the oracle_id {drake} belongs to 'Third Card', not to 'Sheltering Mist'" in refused(load_curation(folder))[0]
    )
    unknown = "00000000-0000-4000-8000-00000000dead"
    rewrite(folder, "aliases.yaml", lambda text: text.replace(str(drake), unknown))
    assert f"no card with the oracle_id {unknown}" in refused(load_curation(folder))[0]


@pytest.mark.parametrize("other", ["Misty One", "Dawn Page // Misty-One"])
def test_an_alias_that_is_the_name_of_another_card_is_refused(folder: Path, corpus: Edition, other: str) -> None:
    make_card(other, number=9)
    report = load_curation(folder)
    assert len(report.refused) == 1
    assert "is itself the name of the card" in refused(report)[0]
    assert not CardAlias.objects.filter(folded="misty one").exists()


def test_an_un_card_takes_no_alias_away(folder: Path, corpus: Edition) -> None:
    make_card("Misty One-", is_funny=True)
    assert load_curation(folder).is_clean


def test_a_note_on_no_card_is_refused(folder: Path, corpus: Edition) -> None:
    rewrite(folder, "notes.yaml", lambda text: text.replace("Emberfang Drake", "Nobody"))
    assert refused(load_curation(folder)) == [
        "notes.yaml:3: the note points at no card: there is no card named 'Nobody'"
    ]
    assert not CardNote.objects.exists()


def test_a_rule_that_does_not_exist_is_left_out_of_its_note(folder: Path, corpus: Edition) -> None:
    rewrite(folder, "notes.yaml", lambda text: text.replace("603.2a", "603.2z"))
    assert refused(load_curation(folder)) == [
        "notes.yaml:3: the note on Emberfang Drake names 603.2z, which the current edition does not have"
    ]
    assert CardNote.objects.get().rules == ["104.10"]


def test_a_note_with_no_rule_left_is_refused(folder: Path, corpus: Edition) -> None:
    rewrite(folder, "notes.yaml", lambda text: text.replace("[603.2a, '104.10']", "[603.2z]"))
    report = load_curation(folder)
    assert any("names no rule of the current edition, so it is left out" in line for line in refused(report))
    assert not CardNote.objects.exists()


def test_a_section_that_does_not_exist_is_left_out_of_its_category(folder: Path, corpus: Edition) -> None:
    rewrite(folder, "categories.yaml", lambda text: text.replace("['603']", "['603', '999', '603.77']"))
    report = load_curation(folder)
    assert len(report.refused) == 2
    assert "the category 'triggers' names 603.77, which the current edition does not have" in refused(report)[0]
    assert Category.objects.get(key="triggers").sections == ["603"]


def test_a_section_of_a_newer_edition_that_is_neither_mapped_nor_unmapped_is_told(
    folder: Path, corpus: Edition
) -> None:
    add_section(corpus, "605", "Brand New Things", "605.1")
    report = load_curation(folder)
    assert report.uncovered == ("605. Brand New Things",)
    assert not report.is_clean


def test_an_unmapped_section_that_is_mapped_or_missing_is_told(folder: Path, corpus: Edition) -> None:
    rewrite(
        folder, "categories.yaml", lambda text: text + "- {section: '603', reason: r}\n- {section: '777', reason: r}\n"
    )
    assert [line.split(": ", 1)[1] for line in refused(load_curation(folder))] == [
        "the section 603 is listed as unmapped, but a category maps it",
        "the unmapped section 777 does not exist in the current edition",
    ]


def test_a_curators_rows_are_never_touched_and_overrule_the_file(folder: Path, corpus: Edition) -> None:
    mist, drake = make_card("Own Mist"), make_card("Own Drake")
    CardAlias.objects.create(alias="Drake!", folded="drake", card=mist)
    CardAlias.objects.create(alias="mine", folded="mine", card=drake)
    noted = CardAlias.objects.get(folded="drake").card.__class__.objects.get(name="Emberfang Drake")
    CardNote.objects.create(card=noted, text="Mine.", rules=["104.1"])
    Category.objects.create(key="winning", title="Mine", sections=["104"])
    before = everything()
    report = load_curation(folder)
    assert [str(problem).split(": ", 1)[1] for problem in report.conflicts] == [
        "the alias 'drake' for Emberfang Drake is not loaded: a curator keeps it for Own Mist",
        "the category 'winning' is not loaded: a curator keeps one under this key",
        "the note on Emberfang Drake is not loaded: a curator keeps a note on this card",
    ]
    after = everything()
    for kind, rows in before.items():
        assert all(row in after[kind] for row in rows)
    assert CardNote.objects.count() == 1
    (folder / "aliases.yaml").write_text("aliases: []\n", encoding="utf-8")
    load_curation(folder)
    assert set(CardAlias.objects.values_list("folded", flat=True)) == {"drake", "mine"}


def test_a_curator_who_says_the_same_as_the_file_is_no_conflict(folder: Path, corpus: Edition) -> None:
    load_curation(folder)
    CardAlias.objects.update(origin=Origin.CURATOR)
    CardNote.objects.update(origin=Origin.CURATOR)
    Category.objects.update(origin=Origin.CURATOR)
    before = everything()
    report = load_curation(folder)
    assert report.conflicts == ()
    assert everything() == before


def test_a_retired_row_stays_retired_whatever_the_file_says(folder: Path, corpus: Edition) -> None:
    load_curation(folder)
    CardAlias.objects.filter(folded="drake").update(retired_at=timezone.now())
    before = everything()
    report = load_curation(folder)
    assert report.aliases == Changes(kept=2)
    rewrite(folder, "aliases.yaml", lambda text: text.replace("card: Emberfang Drake", "card: Cinder Volley"))
    load_curation(folder)
    assert everything() == before
    assert not CardAlias.objects.live().filter(folded="drake").exists()


def test_a_file_that_cannot_be_read_changes_nothing_of_its_kind(folder: Path, corpus: Edition) -> None:
    load_curation(folder)
    before = everything()
    for name in ("aliases.yaml", "notes.yaml", "categories.yaml"):
        (folder / name).write_text("- broken: [", encoding="utf-8")
    report = load_curation(folder)
    assert len(report.refused) == 3
    assert everything() == before


def test_without_cards_only_categories_load_and_the_report_says_why(folder: Path, db: None) -> None:
    make_edition()
    report = load_curation(folder)
    assert report.waiting == (NO_CARDS,)
    assert (report.aliases, report.categories.added) == (Changes(), 2)


def test_without_rules_only_aliases_load_and_the_report_says_why(folder: Path, db: None) -> None:
    for name in ("Emberfang Drake", "Sheltering Mist"):
        make_card(name)
    report = load_curation(folder)
    assert report.waiting == (NO_RULES,)
    assert (report.aliases.added, report.notes, report.categories) == (2, Changes(), Changes())


def test_a_load_that_fails_half_way_changes_nothing(
    folder: Path, corpus: Edition, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Changes:
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(loading, "_apply_categories", fail)
    with pytest.raises(DatabaseError):
        load_curation(folder)
    assert everything() == {"CardAlias": [], "CardNote": [], "Category": []}


@pytest.mark.parametrize(("is_sample", "name"), [(False, "data"), (True, "sample")])
def test_the_sample_rules_bring_the_sample_files(db: None, is_sample: bool, name: str) -> None:
    make_edition(is_sample=is_sample)
    assert default_folder().name == name


def test_progress_tells_each_part(folder: Path, corpus: Edition) -> None:
    lines: list[str] = []
    load_curation(folder, progress=lines.append)
    assert lines[1:] == ["Checking 2 aliases", "Checking 1 notes", "Checking 2 categories"]
