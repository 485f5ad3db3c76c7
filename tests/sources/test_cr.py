from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import override

import pytest

from sources import cr
from sources.cr import RulesSourceError, fetch_newest, files_in, name_date, newest_link, published_name, read_file
from sources.http import FetchError, Patience, new_client


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("MagicCompRules 20260807.txt", "20260807"),
        ("MagicCompRules_20260807.txt", "20260807"),
        ("MagicCompRules%2020260807.txt", "20260807"),
        ("MagicCompRules20260807.txt.gz", "20260807"),
        ("magiccomprules-20260807.TXT", "20260807"),
        ("MagicCompRules 202109224.txt", "20210922"),
        ("MagicCompRules 20260807 (1).txt", "20260807"),
        ("MagicComprehensiveRules 20260807.txt", "20260807"),
        ("MagicCompRules 20260807.pdf", ""),
        ("MagicTournamentRules 20260807.txt", ""),
        ("FORMAT.md", ""),
        ("MagicCompRules.txt", ""),
    ],
)
def test_date_in_a_rules_files_name(name: str, day: str) -> None:
    assert name_date(name) == day


def test_file_without_a_date_is_a_rules_file_too_and_the_oldest(tmp_path: Path) -> None:
    for name in ("MagicCompRules.txt", "MagicCompRules 20241108.txt", "OtherRules.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in files_in(tmp_path)] == ["MagicCompRules.txt", "MagicCompRules 20241108.txt"]


def test_published_name_is_decoded_and_unpacked() -> None:
    assert published_name("rules/MagicCompRules%2020260807.txt.gz") == "MagicCompRules 20260807.txt"


def test_files_of_a_folder_and_its_cr_folder_oldest_first(tmp_path: Path) -> None:
    (tmp_path / "cr").mkdir()
    names = ["MagicCompRules 20260807.txt", "cr/MagicCompRules_20250404.txt.gz", "cr/MagicCompRules%2020260116.txt"]
    for name in [*names, "cr/FORMAT.md", "notes.txt", "MagicCompRules 20260901.pdf"]:
        (tmp_path / name).touch()
    (tmp_path / "MagicCompRules 20261001.txt").mkdir()
    assert files_in(tmp_path) == tuple(tmp_path / names[place] for place in (1, 2, 0))


def test_plain_copy_goes_before_a_packed_one(tmp_path: Path) -> None:
    for name in ("MagicCompRules 20260807.txt.gz", "MagicCompRules 20260807.txt", "MagicCompRules%2020260807.txt"):
        (tmp_path / name).touch()
    assert len(files_in(tmp_path)) == 1
    assert files_in(tmp_path)[0].suffix == ".txt"


def test_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert files_in(tmp_path / "nowhere") == ()


def test_packed_and_plain_files_read_the_same(tmp_path: Path) -> None:
    plain, packed = tmp_path / "MagicCompRules_20260305.txt", tmp_path / "MagicCompRules_20260305.txt.gz"
    plain.write_bytes(b"rules")
    packed.write_bytes(gzip.compress(b"rules"))
    assert read_file(plain) == read_file(packed)
    assert read_file(packed).name == "MagicCompRules_20260305.txt"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        pytest.param("a.txt", None, "there is no file", id="missing"),
        pytest.param("a.txt.gz", b"no gzip", "damaged .gz", id="no-gzip"),
        pytest.param("a.txt.gz", gzip.compress(b"rules" * 999)[:-20], "damaged .gz", id="truncated-gzip"),
        pytest.param("a.txt", b"x" * 2000, "no rules text", id="too-long"),
        pytest.param("a.txt.gz", gzip.compress(b"x" * 2000), "no rules text", id="unpacks-too-long"),
    ],
)
def test_file_that_cannot_be_read(
    name: str, content: bytes | None, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cr, "LONGEST_FILE", 1999)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    if name.endswith(".gz") and says == "damaged .gz":
        monkeypatch.setattr(cr, "LONGEST_FILE", 10_000)
    with pytest.raises(RulesSourceError, match=says) as caught:
        read_file(tmp_path / name)
    assert name in str(caught.value)


def test_folder_given_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(RulesSourceError, match="cannot be read"):
        read_file(tmp_path)


BASE = "https://example.test/en/rules"


@pytest.mark.parametrize(
    ("page", "link"),
    [
        pytest.param(
            '<a href="/files/2026/MagicCompRules%2020260807.txt">TXT</a>',
            "https://example.test/files/2026/MagicCompRules%2020260807.txt",
            id="relative",
        ),
        pytest.param(
            "<a class=x HREF='https://media.test/MagicCompRules 20260807.txt'>TXT</a>",
            "https://media.test/MagicCompRules%2020260807.txt",
            id="space-not-encoded",
        ),
        pytest.param(
            "<a href=https://media.test/MagicCompRules20260807.txt>TXT</a>",
            "https://media.test/MagicCompRules20260807.txt",
            id="no-quotes",
        ),
        pytest.param(
            '<a href="a/MagicCompRules%2020260807.txt?x=1&amp;y=2#top">TXT</a>',
            "https://example.test/en/a/MagicCompRules%2020260807.txt?x=1&y=2#top",
            id="query-with-entities",
        ),
        pytest.param(
            '<a href="MagicCompRules%2020260619.txt">old</a> <a href="MagicCompRules%2020260807.txt">new</a>'
            '<a href="MagicCompRules%2020260116.txt">older</a>',
            "https://example.test/en/MagicCompRules%2020260807.txt",
            id="newest-of-several",
        ),
        pytest.param(
            '<a href="llms.txt">x</a><a href="MagicCompRules%2020260807.txt">rules</a><a href="/robots.txt">y</a>',
            "https://example.test/en/MagicCompRules%2020260807.txt",
            id="other-text-files",
        ),
        pytest.param(
            '<a href="comp-rules.txt">rules</a><a href="terms.txt">x</a>',
            "https://example.test/en/comp-rules.txt",
            id="the-only-one-named-rules",
        ),
    ],
)
def test_link_of_the_rules_page(page: str, link: str) -> None:
    assert newest_link(page, BASE) == link


@pytest.mark.parametrize(
    ("page", "says"),
    [
        pytest.param("<p>Rules will come.</p>", "no .txt link", id="none"),
        pytest.param('<a href="MagicCompRules%2020260807.pdf">PDF</a>', "no .txt link", id="other-kinds"),
        pytest.param('<a href="terms.txt">x</a>', "no .txt link that is the rules for certain: terms.txt", id="unsure"),
        pytest.param('<a href="rules-a.txt">x</a><a href="rules-b.txt">x</a>', "rules-a.txt, rules-b.txt", id="two"),
    ],
)
def test_page_without_a_certain_link_says_what_to_do(page: str, says: str) -> None:
    with pytest.raises(RulesSourceError, match=says) as caught:
        newest_link(page, BASE)
    assert "ingest_rules FILE" in str(caught.value)


@dataclass
class Site:
    """A web site on loopback: path to a queue of (status, headers, body); the last answer of a queue stays."""

    url: str = ""
    answers: dict[str, list[tuple[int, dict[str, str], bytes]]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)  # path and User-Agent


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append((self.path, self.headers.get("User-Agent", "")))
            queue = site.answers.get(self.path, [(404, {}, b"gone")])
            status, headers, body = queue.pop(0) if len(queue) > 1 else queue[0]
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(body))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Keeps the test output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


PAGE = (
    b'<a href="/llms.txt">x</a><a href="/old/MagicCompRules%2020260116.txt">old</a>'
    b'<a href="/MagicCompRules 20260305.txt">new</a>'
)
RULES = "/MagicCompRules%2020260305.txt"
WAITS: list[float] = []
PATIENCE = Patience(attempts=3, pause=0.0, longest_wait=5.0, sleep=WAITS.append)


@pytest.fixture(autouse=True)
def no_waits() -> None:
    WAITS.clear()


def fetch(site: Site) -> cr.RulesFile:
    with new_client() as client:
        return fetch_newest(client, f"{site.url}/en/rules", patience=PATIENCE)


def test_newest_rules_are_fetched_from_the_page(site: Site) -> None:
    site.answers = {"/en/rules": [(200, {}, PAGE)], RULES: [(200, {}, b"the rules")]}
    assert fetch(site) == cr.RulesFile("MagicCompRules 20260305.txt", b"the rules")
    assert [path for path, _ in site.asked] == ["/en/rules", RULES]
    assert all("python" not in agent.lower() for _, agent in site.asked)


def test_page_without_a_link(site: Site) -> None:
    site.answers = {"/en/rules": [(200, {}, b"<p>nothing</p>")]}
    with pytest.raises(RulesSourceError, match=r"no \.txt link"):
        fetch(site)


def test_page_that_is_gone(site: Site) -> None:
    with pytest.raises(FetchError, match="404"):
        fetch(site)


def test_file_that_is_gone(site: Site) -> None:
    site.answers = {"/en/rules": [(200, {}, PAGE)]}
    with pytest.raises(FetchError, match=r"20260305\.txt: the server answered 404"):
        fetch(site)


def test_server_that_asks_to_wait_is_waited_for(site: Site) -> None:
    busy = (429, {"Retry-After": "2"}, b"")
    site.answers = {"/en/rules": [busy, (200, {}, PAGE)], RULES: [busy, (200, {}, b"the rules")]}
    assert fetch(site).data == b"the rules"
    assert WAITS == [2.0, 2.0]


def test_server_that_asks_for_too_long_a_wait_is_given_up_on(site: Site) -> None:
    site.answers = {"/en/rules": [(429, {"Retry-After": "3600"}, b"")]}
    with pytest.raises(FetchError, match="3600"):
        fetch(site)
    assert WAITS == []


def test_truncated_download_is_tried_again(site: Site) -> None:
    cut = (200, {"Content-Length": "100", "Connection": "close"}, b"the ru")
    site.answers = {"/en/rules": [(200, {}, PAGE)], RULES: [cut, (200, {}, b"the rules")]}
    assert fetch(site).data == b"the rules"


def test_download_that_stays_truncated_gives_nothing(site: Site) -> None:
    cut = (200, {"Content-Length": "100", "Connection": "close"}, b"the ru")
    site.answers = {"/en/rules": [(200, {}, PAGE)], RULES: [cut]}
    with pytest.raises(FetchError):
        fetch(site)
    assert len(WAITS) == 2
