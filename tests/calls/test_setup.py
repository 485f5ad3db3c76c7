from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from calls import setup
from calls.models import Call
from calls.setup import DataMissing, Origins
from cards.models import BulkFile, Card, PrintedName
from judgesite.paths import CHECKOUT
from rules.models import Edition
from tests.loopback import Answer, Loopback, loopback

pytestmark = pytest.mark.django_db

SAMPLE = CHECKOUT / "data" / "sample"
REAL_RULES = "MagicCompRules 20260202.txt"


@pytest.fixture
def said() -> list[str]:
    return []


def _origins(tmp_path: Path, folder: Path | None = None) -> Origins:
    return Origins(folder=folder, sample=SAMPLE, work_dir=tmp_path / "downloads", is_offline=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder that passes for the real one: the sample's rules without its mark, and one card of its own."""
    folder = tmp_path / "bulk"
    folder.mkdir()
    (rules,) = SAMPLE.glob("MagicCompRules*.txt")
    lines = rules.read_text(encoding="utf-8-sig").splitlines(keepends=True)
    unmarked = "".join(line for line in lines if not line.lower().startswith("sample data"))
    (folder / REAL_RULES).write_text(unmarked.replace("January 1, 2026", "February 2, 2026"))
    card = {
        "object": "card",
        "id": "7d3a2c5e-0000-4000-8000-000000000001",
        "oracle_id": "7d3a2c5e-0000-4000-8000-000000000002",
        "name": "Quiet Lamplighter",
        "layout": "normal",
        "lang": "en",
        "type_line": "Creature — Human",
        "oracle_text": "",
        "legalities": {"commander": "legal"},
    }
    (folder / "oracle-cards-20260202000000.json").write_text(f"[\n{json.dumps(card)}\n]\n")
    ruling = {"oracle_id": card["oracle_id"], "source": "wotc", "published_at": "2026-02-02", "comment": "It waits."}
    (folder / "rulings-20260202000000.json").write_text(f"[\n{json.dumps(ruling)}\n]\n")
    return folder


def _call() -> None:
    Call.objects.create(
        kind=Call.Kind.EXTRACTIVE,
        question="q",
        answer="a",
        confidence="low",
        category="x",
        source="cr",
        answer_language="en",
        edition="2026-01-01",
        door="test",
    )


def test_without_folder_and_network_the_sample_is_loaded_and_says_so(tmp_path: Path, said: list[str]) -> None:
    setup.load_essentials(_origins(tmp_path), said.append)
    assert setup.has_sample()
    assert not setup.is_empty()
    assert any("made-up sample data" in line for line in said)


@pytest.fixture
def network(tmp_path: Path, folder: Path) -> Iterator[tuple[Loopback, Origins]]:
    """Scryfall and the rules page on the loopback, with the files of *folder*, and nothing at JUDGE_DATA_DIR."""
    with loopback() as server:
        listed = [
            {
                "object": "bulk_data",
                "type": kind,
                "updated_at": "2026-02-02T09:00:00+00:00",
                "download_uri": f"{server.url}/{kind}.json",
                "size": 1,
            }
            for kind in ("oracle_cards", "rulings", "default_cards", "all_cards")
        ]
        server.answers["/bulk-data"] = [Answer(json.dumps({"data": listed}).encode())]
        cards = (folder / "oracle-cards-20260202000000.json").read_bytes()
        server.answers |= {f"/{each['type']}.json": [Answer(cards)] for each in listed}
        server.answers["/rulings.json"] = [Answer((folder / "rulings-20260202000000.json").read_bytes())]
        link = REAL_RULES.replace(" ", "%20")
        server.answers["/rules"] = [Answer(f'<a href="/{link}">TXT</a>'.encode())]
        server.answers[f"/{link}"] = [Answer((folder / REAL_RULES).read_bytes())]
        yield (
            server,
            Origins(
                folder=None,
                sample=SAMPLE,
                work_dir=tmp_path / "downloads",
                rules_page=f"{server.url}/rules",
                scryfall=server.url,
            ),
        )


@pytest.mark.parametrize("page", [Answer(b"gone", 404), Answer(b"<p>a new design</p>")], ids=["404", "changed"])
def test_a_first_start_whose_rules_page_fails_stands_on_the_sample_and_tries_again_behind(
    network: tuple[Loopback, Origins], said: list[str], page: Answer
) -> None:
    server, origins = network
    good = server.answers["/rules"]
    server.answers["/rules"] = [page]
    setup.load_essentials(origins, said.append)
    assert setup.has_sample()
    assert any(line.startswith("warning:") and f"{server.url}/rules" in line for line in said)
    assert any("JUDGE_DATA_DIR" in line for line in said)
    with pytest.raises(DataMissing):
        setup.load_rest(origins, said.append)
    assert setup.has_sample()

    server.answers["/rules"] = good
    setup.load_rest(origins, said.append)
    assert not setup.has_sample()
    assert [card.name for card in Card.objects.all()] == ["Quiet Lamplighter"]


def test_rules_whose_cards_fail_stay_without_the_sample_and_the_cards_come_behind(
    network: tuple[Loopback, Origins], said: list[str]
) -> None:
    server, origins = network
    good = server.answers["/oracle_cards.json"]
    server.answers["/oracle_cards.json"] = [Answer(b"gone", 404)]
    with pytest.raises(DataMissing, match="oracle_cards"):
        setup.load_essentials(origins, said.append)
    assert setup.has_rules()
    assert not setup.has_sample()
    server.answers["/oracle_cards.json"] = good
    setup.load_rest(origins, said.append)
    assert [card.name for card in Card.objects.all()] == ["Quiet Lamplighter"]


def test_a_second_load_changes_nothing(tmp_path: Path, folder: Path, said: list[str]) -> None:
    setup.load_essentials(_origins(tmp_path, folder), lambda _line: None)
    before = list(BulkFile.objects.values())
    setup.load_essentials(_origins(tmp_path, folder), said.append)
    assert list(BulkFile.objects.values()) == before
    assert not any(line.startswith(("Load", "Stor")) for line in said)


def test_real_data_replaces_the_sample_whole(tmp_path: Path, folder: Path, said: list[str]) -> None:
    setup.load_essentials(_origins(tmp_path), said.append)
    _call()
    setup.load_essentials(_origins(tmp_path, folder), said.append)
    assert [edition.is_sample for edition in Edition.objects.all()] == [False]
    assert [card.name for card in Card.objects.all()] == ["Quiet Lamplighter"]
    assert not PrintedName.objects.exists()
    assert not Call.objects.exists(), "it was answered on the sample"
    assert "Removing the sample data" in said


def test_the_sample_never_comes_beside_real_data(tmp_path: Path, folder: Path) -> None:
    setup.load_essentials(_origins(tmp_path, folder), lambda _line: None)
    _call()
    setup.load_essentials(_origins(tmp_path), lambda _line: None)  # the folder is gone, and so is the network
    assert not setup.has_sample()
    assert [card.name for card in Card.objects.all()] == ["Quiet Lamplighter"]
    assert Call.objects.count() == 1


def test_real_rules_that_cannot_be_read_leave_the_sample_whole(tmp_path: Path, folder: Path) -> None:
    setup.load_essentials(_origins(tmp_path), lambda _line: None)
    cards = set(Card.objects.values_list("pk", flat=True))
    (folder / REAL_RULES).write_text("not the rules")
    with pytest.raises(DataMissing, match=REAL_RULES):
        setup.load_essentials(_origins(tmp_path, folder), lambda _line: None)
    assert setup.has_sample()
    assert set(Card.objects.values_list("pk", flat=True)) == cards


def test_an_empty_data_folder_is_told_with_the_names_it_should_hold(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataMissing, match=r"JUDGE_DATA_DIR: .*empty has neither a rules file .*oracle-cards"):
        setup.load_essentials(_origins(tmp_path, tmp_path / "empty"), lambda _line: None)
    assert setup.is_empty()


def test_a_broken_card_file_is_told_and_the_rules_stay(tmp_path: Path, folder: Path) -> None:
    (folder / "oracle-cards-20260202000000.json").write_text("[\n{")
    with pytest.raises(DataMissing, match=r"oracle-cards-20260202000000\.json"):
        setup.load_essentials(_origins(tmp_path, folder), lambda _line: None)
    assert Edition.objects.filter(is_current=True, is_sample=False).exists()


def test_older_editions_and_names_come_in_behind(tmp_path: Path, folder: Path) -> None:
    older = (folder / REAL_RULES).read_text().replace("February 2, 2026", "January 5, 2026")
    (folder / "cr").mkdir()
    (folder / "cr" / "MagicCompRules 20260105.txt").write_text(older)
    printing = {
        "object": "card",
        "oracle_id": "7d3a2c5e-0000-4000-8000-000000000002",
        "name": "Quiet Lamplighter",
        "printed_name": "Allumeur discret",
        "lang": "fr",
        "layout": "normal",
    }
    (folder / "all-cards-20260202000000.json").write_text(f"[\n{json.dumps(printing)}\n]\n")
    shutil.copy(folder / "all-cards-20260202000000.json", folder / "default-cards-20260202000000.json")
    setup.load_essentials(_origins(tmp_path, folder), lambda _line: None)
    assert Edition.objects.count() == 1
    setup.load_rest(_origins(tmp_path, folder), lambda _line: None)
    assert [str(edition.effective) for edition in Edition.objects.order_by("effective")] == ["2026-01-05", "2026-02-02"]
    assert str(Edition.objects.get(is_current=True).effective) == "2026-02-02"
    assert {name.name for name in PrintedName.objects.all()} == {"Allumeur discret"}


def test_the_rest_of_the_sample_is_nothing(tmp_path: Path, said: list[str]) -> None:
    setup.load_essentials(_origins(tmp_path), lambda _line: None)
    setup.load_rest(_origins(tmp_path), said.append)
    assert said == []
