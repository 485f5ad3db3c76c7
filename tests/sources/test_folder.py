"""Finding bulk files in a folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from sources.folder import FolderSource
from sources.scryfall import BulkKind, SourceError


def found(folder: Path, kind: BulkKind) -> str | None:
    bulk = FolderSource(folder).bulk(kind)
    return bulk.origin if bulk else None


@pytest.mark.parametrize(
    ("names", "kind", "wanted"),
    [
        (
            [f"oracle-cards-{stamp}.json" for stamp in ("20261130100203", "20261201090000", "20250101000000")],
            BulkKind.ORACLE_CARDS,
            "oracle-cards-20261201090000.json",
        ),
        (["oracle-cards-20261130100203.json.gz"], BulkKind.ORACLE_CARDS, "oracle-cards-20261130100203.json.gz"),
        (["oracle_cards.json.gz"], BulkKind.ORACLE_CARDS, "oracle_cards.json.gz"),
        (["rulings.json", "rulings-20260101000000.json"], BulkKind.RULINGS, "rulings-20260101000000.json"),
        (["oracle_cards_incomplete.json.gz"], BulkKind.ORACLE_CARDS, None),
        (["rulings-20261130100203.json"], BulkKind.RULINGS, "rulings-20261130100203.json"),
        (["default-cards-20261130100203.json"], BulkKind.ALL_CARDS, None),
        (["printed_names.json.gz", "all_cards.json"], BulkKind.ALL_CARDS, "all_cards.json"),
        (["printed_names.json.gz"], BulkKind.ALL_CARDS, "printed_names.json.gz"),
        (["unique-artwork-20261130100203.json", "rulings.txt"], BulkKind.RULINGS, None),
    ],
    ids=["newest stamp", "gz", "plain name", "stamp before plain", "incomplete never", "rulings", "other kind",
         "all before printed names", "printed names", "nothing of ours"],
)  # fmt: skip
def test_the_file_of_a_kind(tmp_path: Path, names: list[str], kind: BulkKind, wanted: str | None) -> None:
    for name in names:
        (tmp_path / name).write_text("[]")
    assert found(tmp_path, kind) == wanted


def test_a_file_opens_with_the_hash_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "rulings.json").write_bytes(b"[\n]\n")
    bulk = FolderSource(tmp_path).bulk(BulkKind.RULINGS)
    assert bulk is not None
    with bulk.open() as file:
        assert file.sha256 == hashlib.sha256(b"[\n]\n").hexdigest()


def test_the_revision_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rulings.json"
    revisions = set()
    for text in ("[\n]\n", "[\n\n]\n"):
        path.write_text(text)
        bulk = FolderSource(tmp_path).bulk(BulkKind.RULINGS)
        assert bulk is not None
        revisions.add(bulk.revision)
    assert len(revisions) == 2


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"There is no folder .*nowhere"):
        FolderSource(tmp_path / "nowhere").bulk(BulkKind.RULINGS)


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(SourceError, match="is a file"):
        FolderSource(tmp_path / "data").bulk(BulkKind.RULINGS)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "rulings.json").mkdir()  # also root cannot read a folder as a file
    bulk = FolderSource(tmp_path).bulk(BulkKind.RULINGS)
    assert bulk is not None
    with pytest.raises(SourceError, match=r"Cannot read .*rulings\.json"), bulk.open():
        pass


def test_a_link_to_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "rulings.json").symlink_to(tmp_path / "gone.json")
    with pytest.raises(SourceError, match=r"Cannot read .*rulings\.json"):
        FolderSource(tmp_path).bulk(BulkKind.RULINGS)
