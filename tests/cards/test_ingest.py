"""Loading bulk files into the database. All cards here are invented."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from cards.ingest import FileReport, IngestError, IngestReport, Outcome, Progress, ingest_cards
from cards.models import BulkFile, Card, CardFace, PrintedName, Ruling
from sources.folder import FolderSource
from sources.http import Patience, new_client
from sources.scryfall import ESSENTIAL, NAMES, BulkKind, NetworkSource
from tests.cards.bulk import card, face, oracle_id, printing, ruling, write
from tests.loopback import Answer, Loopback, loopback

pytestmark = pytest.mark.django_db

CARDS = [
    card("Gate Warden", oracle_text="Vigilance"),
    card("Tidebell // Undertow", layout="split", card_faces=[face("Tidebell"), face("Undertow")]),
    card("Illusion", layout="token", type_line="Token Creature — Illusion"),
]
RULINGS = [ruling("Gate Warden", "It stays untapped."), ruling("Tidebell // Undertow", "You cast one half.")]
DEFAULT = [printing("Gate Warden", flavor_name="Old Bill"), printing("Gate Warden")]
LOCALIZED = [
    printing("Gate Warden", lang="fr", printed_name="Gardien de la porte"),
    printing("Tidebell // Undertow", lang="de", card_faces=[face("Tidebell", printed_name="Flutglocke"),
                                                           face("Undertow", printed_name="Sog")]),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path, oracle_cards=CARDS, rulings=RULINGS, default_cards=DEFAULT, printed_names=LOCALIZED)


def ingest(folder: Path, **options: Any) -> dict[BulkKind, FileReport]:
    report = ingest_cards(FolderSource(folder), **options)
    assert not report.failed, report.failed
    return {file.kind: file for file in report.files}


def everything() -> list[object]:
    """All that a load writes, in an order of its own."""
    return [
        list(Card.objects.order_by("oracle_id").values()),
        list(CardFace.objects.order_by("card", "index").values()),
        list(Ruling.objects.order_by("card", "key").values()),
        list(PrintedName.objects.order_by("card", "lang", "name").values()),
    ]


def test_a_first_load_brings_cards_faces_rulings_and_names(folder: Path) -> None:
    reports = ingest(folder)
    assert sorted(Card.objects.values_list("name", flat=True)) == ["Gate Warden", "Tidebell // Undertow"]
    halves = CardFace.objects.filter(card__layout="split").order_by("index").values_list("index", "name", "folded")
    assert list(halves) == [(0, "Tidebell", "tidebell"), (1, "Undertow", "undertow")]
    assert Ruling.objects.get(card__name="Gate Warden").published_at == dt.date(2026, 1, 1)
    assert set(PrintedName.objects.values_list("lang", "name", "folded", "kind")) == {
        ("en", "Old Bill", "old bill", "default_cards"),
        ("fr", "Gardien de la porte", "gardien de la porte", "all_cards"),
        ("de", "Flutglocke", "flutglocke", "all_cards"),
        ("de", "Sog", "sog", "all_cards"),
        ("de", "Flutglocke // Sog", "flutglocke sog", "all_cards"),
    }
    cards = reports[BulkKind.ORACLE_CARDS]
    assert (cards.read, cards.merged.added, cards.skipped) == (3, 2, (("token", 1),))


def test_a_second_run_reads_nothing(folder: Path) -> None:
    ingest(folder)
    before = everything()
    notes: list[Progress] = []
    reports = ingest(folder, progress=notes.append)
    assert {report.outcome for report in reports.values()} == {Outcome.UNCHANGED}
    assert notes == []
    assert everything() == before


def test_a_touched_file_with_the_same_bytes_is_not_loaded(folder: Path) -> None:
    ingest(folder)
    os.utime(folder / "rulings.json", (1, 1))
    notes: list[Progress] = []
    assert ingest(folder, progress=notes.append)[BulkKind.RULINGS].outcome is Outcome.UNCHANGED
    assert [note.phase for note in notes] == ["fetching"]
    notes.clear()
    ingest(folder, progress=notes.append)
    assert notes == []


def test_a_forced_load_of_the_same_files_writes_no_row(folder: Path) -> None:
    ingest(folder)
    before = everything()
    reports = ingest(folder, force=True)
    assert {report.outcome for report in reports.values()} == {Outcome.LOADED}
    assert all(r.merged.added == r.merged.changed == r.merged.removed == 0 for r in reports.values())
    assert everything() == before


def test_a_changed_mapping_reads_every_file_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest(folder)
    monkeypatch.setattr("cards.ingest.MAPPING_VERSION", 999)
    assert {report.outcome for report in ingest(folder).values()} == {Outcome.LOADED}


def test_only_what_changed_is_written(folder: Path) -> None:
    ingest(folder)
    untouched = CardFace.objects.get(name="Undertow").pk
    write(folder, oracle_cards=[card("Gate Warden", oracle_text="Flying"), CARDS[1], card("New Moon")])
    merged = ingest(folder)[BulkKind.ORACLE_CARDS].merged
    assert (merged.added, merged.changed, merged.removed) == (1, 1, 0)
    assert CardFace.objects.get(name="Gate Warden").oracle_text == "Flying"
    assert CardFace.objects.get(name="Undertow").pk == untouched


def test_a_card_that_loses_a_face_keeps_no_old_one(folder: Path) -> None:
    ingest(folder)
    write(folder, oracle_cards=[CARDS[0], card("Tidebell // Undertow", oracle_text="One face now")])
    ingest(folder)
    assert CardFace.objects.filter(card=oracle_id("Tidebell // Undertow")).count() == 1


def test_a_vanished_card_goes_with_all_that_hangs_on_it(folder: Path) -> None:
    ingest(folder)
    write(folder, oracle_cards=[CARDS[0], card("New Moon")])
    assert ingest(folder)[BulkKind.ORACLE_CARDS].merged.removed == 1
    assert set(Card.objects.values_list("name", flat=True)) == {"Gate Warden", "New Moon"}
    assert not Ruling.objects.filter(text="You cast one half.").exists()


@pytest.mark.parametrize("model", ["CardAlias", "CardNote"])
def test_a_vanished_card_stays_while_a_curator_needs_it(folder: Path, model: str) -> None:
    ingest(folder)
    fields = {"alias": "bell", "folded": "bell"} if model == "CardAlias" else {"text": "A strange card."}
    rows = apps.get_model("curation", model).objects
    rows.create(card_id=oracle_id("Tidebell // Undertow"), origin="curator", **fields)
    rows.create(
        card_id=oracle_id("Gate Warden"), origin="file", **(fields | ({"folded": "b"} if "folded" in fields else {}))
    )
    write(folder, oracle_cards=[card("New Moon"), card("Old Moon")])
    merged = ingest(folder)[BulkKind.ORACLE_CARDS].merged
    assert (merged.removed, merged.kept) == (1, 1)
    assert set(Card.objects.values_list("name", flat=True)) == {"New Moon", "Old Moon", "Tidebell // Undertow"}
    assert list(rows.values_list("origin", flat=True)) == ["curator"]


def test_two_cards_may_share_a_name(folder: Path) -> None:
    twin = card("Gate Warden", oracle_id=oracle_id("another one"), oracle_text="Reach")
    write(folder, oracle_cards=[*CARDS, twin])
    ingest(folder)
    assert Card.objects.filter(name="Gate Warden").count() == 2


def test_an_oracle_id_told_twice_is_one_card_and_a_plain_object_beats_a_reversible_one(folder: Path) -> None:
    side = face("Proclaim", oracle_id=oracle_id("Proclaim"), oracle_text="Draw.")
    reversible = card("Proclaim // Proclaim", layout="reversible_card", oracle_id=None, card_faces=[side, side])
    write(folder, oracle_cards=[*CARDS, reversible, card("Proclaim", oracle_text="Draw a card."), CARDS[0]])
    cards = ingest(folder)[BulkKind.ORACLE_CARDS]
    assert CardFace.objects.get(name="Proclaim").oracle_text == "Draw a card."
    assert dict(cards.skipped)["repeated"] == 2


def test_a_missing_oracle_id_is_counted(folder: Path) -> None:
    write(folder, oracle_cards=[*CARDS, card("Lost", oracle_id=None)])
    assert dict(ingest(folder)[BulkKind.ORACLE_CARDS].skipped)["no oracle_id"] == 1


def test_rulings_of_unknown_cards_and_repeated_ones_are_counted(folder: Path) -> None:
    write(folder, rulings=[*RULINGS, RULINGS[0], ruling("Illusion", "A token's."), ruling("Gate Warden", "")])
    report = ingest(folder)[BulkKind.RULINGS]
    assert dict(report.skipped) == {"repeated": 1, "card not loaded": 1, "malformed": 1}
    assert Ruling.objects.count() == 2


def test_a_ruling_keeps_its_row_while_text_and_date_stay(folder: Path) -> None:
    ingest(folder)
    kept = Ruling.objects.get(card=oracle_id("Gate Warden")).pk
    write(folder, rulings=[RULINGS[0] | {"source": "scryfall"}, ruling("Gate Warden", "Newly said.")])
    merged = ingest(folder)[BulkKind.RULINGS].merged
    assert (merged.added, merged.changed, merged.removed) == (1, 1, 1)
    assert Ruling.objects.get(pk=kept).source == "scryfall"


def test_a_name_equal_to_todays_is_not_stored(folder: Path) -> None:
    same = [printing("Gate Warden", lang="de", printed_name="Gate Warden"), printing("Illusion", printed_name="x")]
    write(folder, printed_names=[*LOCALIZED, *same, LOCALIZED[0]])
    report = ingest(folder)[BulkKind.ALL_CARDS]
    assert dict(report.skipped) == {"no other name than known": 2, "card not loaded": 1}
    assert not PrintedName.objects.filter(name="Gate Warden").exists()


def test_one_file_of_names_leaves_the_other_files_names_alone(folder: Path) -> None:
    ingest(folder)
    write(folder, default_cards=[printing("Gate Warden", flavor_name="Young Bill"), printing("Gate Warden")])
    merged = ingest(folder)[BulkKind.DEFAULT_CARDS].merged
    assert (merged.added, merged.removed) == (1, 1)
    assert PrintedName.objects.filter(kind="all_cards").count() == 4


def test_rows_of_a_card_that_comes_later_are_read_again(folder: Path) -> None:
    write(folder, oracle_cards=CARDS[:1])
    ingest(folder)
    assert Ruling.objects.count() == 1
    write(folder, oracle_cards=CARDS)
    ingest(folder)
    assert Ruling.objects.count() == 2
    assert PrintedName.objects.filter(lang="de").count() == 3


@pytest.mark.parametrize("kinds", [ESSENTIAL, NAMES])
def test_steps_can_be_loaded_apart(folder: Path, kinds: tuple[BulkKind, ...]) -> None:
    ingest(folder, kinds=ESSENTIAL)
    assert not PrintedName.objects.exists()
    assert tuple(ingest(folder, kinds=kinds)) == kinds
    assert PrintedName.objects.exists() is (kinds == NAMES)


def test_absent_files_are_told_and_fatal_only_for_the_cards(folder: Path) -> None:
    (folder / "default_cards.json").unlink()
    assert ingest(folder)[BulkKind.DEFAULT_CARDS].outcome is Outcome.ABSENT
    (folder / "oracle_cards.json").unlink()
    with pytest.raises(IngestError, match="no oracle_cards file in"):
        ingest_cards(FolderSource(folder))


def test_a_far_smaller_file_is_refused_unless_forced(folder: Path) -> None:
    write(folder, oracle_cards=[card(f"Ram {number}") for number in range(9)])
    ingest(folder)
    write(folder, oracle_cards=CARDS)
    with pytest.raises(IngestError, match=r"has 3 objects where .* had 9; nothing was changed"):
        ingest_cards(FolderSource(folder))
    assert Card.objects.count() == 9
    ingest(folder, force=True)
    assert Card.objects.count() == 2


def test_a_file_of_another_kind_is_refused(folder: Path) -> None:
    ingest(folder)
    write(folder, oracle_cards=RULINGS)
    with pytest.raises(IngestError, match="none of its 2 objects can be used as oracle_cards"):
        ingest_cards(FolderSource(folder))
    assert Card.objects.count() == 2


# The network: the same code against a server on the loopback.


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as running:
        yield running


def publish(server: Loopback, stamp: str, **files: list[dict[str, Any]]) -> None:
    listed = [{"type": kind, "download_uri": f"{server.url}/{kind}.json", "updated_at": stamp} for kind in files]
    server.answers["/bulk-data"] = [Answer(json.dumps({"data": listed}).encode())]
    for kind, objects in files.items():
        server.answers[f"/{kind}.json"] = [Answer(json.dumps(objects).encode())]


def fetch(server: Loopback, work_dir: Path) -> IngestReport:
    with new_client(timeout=5) as client:
        patience = Patience(attempts=2, sleep=lambda seconds: None)
        return ingest_cards(NetworkSource(client, work_dir, server.url, patience))


def asked(server: Loopback) -> list[str]:
    paths = [path for path, _ in server.requests]
    server.requests.clear()
    return paths


def test_updated_at_decides_what_is_downloaded(server: Loopback, tmp_path: Path) -> None:
    files: dict[str, list[dict[str, Any]]] = {
        "oracle_cards": CARDS, "rulings": RULINGS, "default_cards": DEFAULT, "all_cards": LOCALIZED,
    }  # fmt: skip
    publish(server, "monday", **files)
    assert fetch(server, tmp_path).has_changes
    order = ["/bulk-data", "/oracle_cards.json", "/rulings.json", "/default_cards.json", "/all_cards.json"]
    assert asked(server) == order
    assert not fetch(server, tmp_path).has_changes
    assert asked(server) == ["/bulk-data"]
    publish(server, "tuesday", **(files | {"oracle_cards": [*CARDS, card("New Moon")]}))
    assert fetch(server, tmp_path).files[0].merged.added == 1
    assert asked(server) == order


def test_a_truncated_download_changes_nothing_and_the_rest_goes_on(server: Loopback, tmp_path: Path) -> None:
    publish(server, "monday", oracle_cards=CARDS, rulings=RULINGS, all_cards=LOCALIZED)
    fetch(server, tmp_path)
    before = list(Ruling.objects.values())
    publish(server, "tuesday", oracle_cards=CARDS, rulings=RULINGS, all_cards=LOCALIZED[:1])
    server.answers["/rulings.json"] = [Answer(b"[" + json.dumps(RULINGS[0]).encode())]  # a whole answer, half a file
    report = fetch(server, tmp_path)
    assert [file.kind for file in report.failed] == [BulkKind.RULINGS]
    assert "cut off" in report.failed[0].problem
    assert list(Ruling.objects.values()) == before
    assert PrintedName.objects.count() == 1
    assert BulkFile.objects.get(kind="rulings").updated_at == "monday"


@pytest.mark.parametrize("status", [404, 429])
def test_a_server_that_refuses_the_cards_is_told(server: Loopback, tmp_path: Path, status: int) -> None:
    publish(server, "monday", oracle_cards=CARDS)
    server.answers["/oracle_cards.json"] = [Answer(status=status, headers={"Retry-After": "900"})]
    with pytest.raises(IngestError, match=f"answered {status}"):
        fetch(server, tmp_path)
    assert not Card.objects.exists()


# The command.


def test_the_command_reports_what_it_did(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ingest_cards", folder=folder)
    out = capsys.readouterr().out
    assert "oracle_cards: 3 read, 2 added, 0 changed, 0 removed; skipped 1 token;" in out
    call_command("ingest_cards", folder=folder, only="essential")
    assert capsys.readouterr().out == "oracle_cards: unchanged\nrulings: unchanged\n"


def test_the_command_asks_the_network_when_told_to(
    server: Loopback, folder: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.JUDGE_DATA_DIR = folder
    publish(server, "monday", oracle_cards=[card("Netborn Ram")])
    call_command("ingest_cards", network=True, scryfall=server.url)
    assert list(Card.objects.values_list("name", flat=True)) == ["Netborn Ram"]
    assert "rulings: absent (There is no rulings file in http://127.0.0.1" in capsys.readouterr().out


def test_the_command_asks_the_mirror_of_the_settings(server: Loopback, settings: Any) -> None:
    settings.JUDGE_DATA_DIR, settings.JUDGE_SCRYFALL_URL = None, server.url
    publish(server, "monday", oracle_cards=[card("Netborn Ram")])
    call_command("ingest_cards", only="essential")
    assert list(Card.objects.values_list("name", flat=True)) == ["Netborn Ram"]


@pytest.mark.parametrize("options", [{}, {"network": True}])
def test_offline_the_command_asks_nobody(server: Loopback, settings: Any, options: dict[str, bool]) -> None:
    settings.JUDGE_DATA_DIR, settings.JUDGE_SCRYFALL_URL, settings.JUDGE_OFFLINE = None, server.url, True
    with pytest.raises(CommandError, match="JUDGE_OFFLINE=1 forbids the network"):
        call_command("ingest_cards", **options)
    assert server.requests == []


@pytest.mark.parametrize(
    ("files", "message"),
    [({"oracle_cards.json": "[\n{"}, "cut off"), ({"oracle_cards.json": ""}, "empty"), ({}, "no oracle_cards")],
    ids=["broken", "empty", "none"],
)  # fmt: skip
def test_bad_files_are_a_message_not_a_traceback(tmp_path: Path, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(CommandError, match=message):
        call_command("ingest_cards", folder=tmp_path)


def test_a_file_that_fails_makes_the_command_fail_after_the_others(folder: Path) -> None:
    (folder / "rulings.json").write_text("<html>")
    with pytest.raises(CommandError, match=r"rulings\.json"):
        call_command("ingest_cards", folder=folder)
    assert PrintedName.objects.count() == 5


def test_the_sample_loads_whole(capsys: pytest.CaptureFixture[str]) -> None:
    sample = Path(__file__).parents[2] / "data" / "sample"
    reports = ingest(sample)
    assert all(not r.skipped or r.kind is BulkKind.DEFAULT_CARDS for r in reports.values())
    assert Card.objects.count() >= 12
    assert Ruling.objects.count() >= 8
    assert PrintedName.objects.filter(folded="fang", card__name="Emberfang Drake").exists()
