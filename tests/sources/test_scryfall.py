"""Reading bulk files one object at a time, and the bulk-data list."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sources.http import Patience, new_client
from sources.scryfall import BrokenFileError, BulkKind, NetworkSource, SourceError, read_objects
from tests.loopback import Answer, Loopback, loopback

OBJECTS = [{"name": f"Card {number}", "cmc": 1.5} for number in range(3)]
LINES = "[\n" + ",\n".join(json.dumps(one) for one in OBJECTS) + "\n]\n"


@pytest.mark.parametrize(
    "content",
    [
        LINES.encode(),
        LINES.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + LINES.encode(),
        json.dumps(OBJECTS).encode(),
        json.dumps(OBJECTS, indent=2).encode(),
        b"\xef\xbb\xbf \n" + json.dumps(OBJECTS).encode(),
        gzip.compress(LINES.encode()),
        gzip.compress(json.dumps(OBJECTS).encode()),
    ],
    ids=["line by line", "crlf", "byte order mark", "one line", "indented", "bom and space", "gz", "gz, one line"],
)
def test_every_layout_gives_the_same_objects(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "oracle_cards.json"  # the bytes say whether it is gzip, not the name
    path.write_bytes(content)
    assert list(read_objects(path)) == OBJECTS


@pytest.mark.parametrize(
    ("content", "position"),
    [
        (b"", "byte 0"),
        (b"  \n", "byte 3"),
        (b"[\n]\n", "whole file"),
        (b"[]", "whole file"),
        (b'{"object": "error"}', "byte 0"),
        (b"<html></html>", "byte 0"),
        (LINES.removesuffix("]\n").encode(), "line 4"),
        (LINES[:60].encode(), "line 3"),
        (json.dumps(OBJECTS)[:60].encode(), "after 1 objects"),
        (LINES.replace('"Card 1"', "oops").encode(), "line 3"),
        ((LINES + '{"name": "late"}\n').encode(), "line 6"),
        (b'[\n{"a": 1},\n7\n]\n', "line 3"),
        (b"[1, 2]", "object 1"),
        (LINES.encode().replace(b"Card 1", b"Card \xff"), "line 3"),
        (json.dumps(OBJECTS).encode().replace(b"Card 1", b"Card \xff"), "after 1 objects"),
        (gzip.compress(LINES.encode() * 50)[:-30], "while unpacking"),
        (b"\x1f\x8bnot gzip", "while reading"),
    ],
    ids=["empty", "blank", "empty list by line", "empty list", "an object", "a page", "no closing bracket",
         "cut in a line", "cut, one line", "broken line", "more after the end", "a number by line", "a number",
         "bad utf-8 by line", "bad utf-8", "gzip cut", "gzip damaged"],
)  # fmt: skip
def test_a_broken_file_is_one_error_with_name_and_position(tmp_path: Path, content: bytes, position: str) -> None:
    path = tmp_path / "rulings.json"
    path.write_bytes(content)
    with pytest.raises(BrokenFileError, match=r"rulings\.json, .*" + position):
        list(read_objects(path))


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gone\.json"):
        list(read_objects(tmp_path / "gone.json"))


def test_a_file_is_never_held_whole(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "big.json"
    path.write_text("[\n" + ",\n".join(json.dumps({"text": "x" * 1000}) for _ in range(20_000)) + "\n]\n")
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_objects(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 20_000
    assert peak < 2_000_000  # bytes, of 20 MB


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as running:
        yield running


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with new_client(timeout=5) as made:
        yield made


def listed(server: Loopback, **updated_at: str) -> Answer:
    entries: list[dict[str, Any]] = [{"type": "unique_artwork", "download_uri": "x", "updated_at": "y"}]
    for kind, stamp in updated_at.items():
        entries.append({"type": kind, "download_uri": f"{server.url}/{kind}.json", "updated_at": stamp})
    return Answer(json.dumps({"object": "list", "data": entries}).encode())


def source(server: Loopback, client: httpx.Client, folder: Path) -> NetworkSource:
    return NetworkSource(client, folder, server.url, Patience(attempts=2, sleep=lambda seconds: None))


def test_the_list_names_what_there_is(server: Loopback, client: httpx.Client, tmp_path: Path) -> None:
    server.answers["/bulk-data"] = [listed(server, oracle_cards="2026-11-30T10:02:03+00:00")]
    network = source(server, client, tmp_path)
    bulk = network.bulk(BulkKind.ORACLE_CARDS)
    assert bulk is not None
    assert bulk.revision == "2026-11-30T10:02:03+00:00"
    assert network.bulk(BulkKind.RULINGS) is None
    assert [path for path, _ in server.requests] == ["/bulk-data"]


def test_a_download_is_there_for_the_context_only(server: Loopback, client: httpx.Client, tmp_path: Path) -> None:
    server.answers["/bulk-data"] = [listed(server, rulings="now")]
    server.answers["/rulings.json"] = [Answer(LINES.encode())]
    bulk = source(server, client, tmp_path / "work").bulk(BulkKind.RULINGS)
    assert bulk is not None
    with bulk.open() as file:
        assert list(read_objects(file.path)) == OBJECTS
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.parametrize(
    "answer",
    [Answer(status=404), Answer(b"<html>"), Answer(b"[]"), Answer(b'{"data": [{}]}'),
     Answer(b'{"data": [{"type": "rulings", "download_uri": null, "updated_at": "x"}]}')],
    ids=["404", "a page", "no object", "no type", "no address"],
)  # fmt: skip
def test_a_list_that_is_none_is_told(server: Loopback, client: httpx.Client, tmp_path: Path, answer: Answer) -> None:
    server.answers["/bulk-data"] = [answer]
    with pytest.raises(SourceError, match="/bulk-data"):
        source(server, client, tmp_path).bulk(BulkKind.RULINGS)


def test_a_download_that_fails_is_told(server: Loopback, client: httpx.Client, tmp_path: Path) -> None:
    server.answers["/bulk-data"] = [listed(server, rulings="now")]
    server.answers["/rulings.json"] = [Answer(LINES.encode(), claims=9999)]
    bulk = source(server, client, tmp_path).bulk(BulkKind.RULINGS)
    assert bulk is not None
    with pytest.raises(SourceError, match=r"rulings\.json"), bulk.open():
        pass


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "count"),
    [("oracle_cards_incomplete", 159), ("scryfall_sample_cards", 1122), ("oracle_cards", 34_464)],
)
def test_real_files_are_read_to_their_end(real_data: Path, name: str, count: int) -> None:
    assert sum(1 for _ in read_objects(real_data / f"{name}.json.gz")) == count
