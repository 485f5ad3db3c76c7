"""Fetching: own headers, patience, whole bodies, files that appear whole."""

from __future__ import annotations

import email.utils
import gzip
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from sources.http import FetchError, Patience, download, get_json, get_text, new_client
from tests.loopback import Answer, Loopback, loopback


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as running:
        yield running


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with new_client(timeout=5) as made:
        yield made


class Clock:
    """Remembers how long it was asked to sleep, and does not."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def patience(self, **values: float) -> Patience:
        return Patience(sleep=self.slept.append, **values)  # type: ignore[arg-type]  # attempts is an int in use


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_requests_carry_our_own_agent_and_an_accept_header(server: Loopback, client: httpx.Client) -> None:
    server.answers["/a"] = [Answer(b"hello")]
    assert get_text(client, f"{server.url}/a") == "hello"
    _, headers = server.requests[0]
    assert headers["user-agent"].startswith("mtg-judge/")
    assert "application/json" in headers["accept"]


@pytest.mark.parametrize(
    ("body", "text"),
    [(b"caf\xc3\xa9", "café"), (b"\xef\xbb\xbfplain", "plain"), (b"it\x92s", "it’s")],
    ids=["utf-8", "byte order mark", "cp1252"],
)
def test_text_is_decoded_whatever_its_encoding(server: Loopback, client: httpx.Client, body: bytes, text: str) -> None:
    server.answers["/a"] = [Answer(body)]
    assert get_text(client, f"{server.url}/a") == text


def test_a_body_that_is_no_json_is_told_with_its_url(server: Loopback, client: httpx.Client) -> None:
    server.answers["/a"] = [Answer(b"<html>")]
    with pytest.raises(FetchError, match=r"/a: the answer is no JSON"):
        get_json(client, f"{server.url}/a")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_tried_again(server: Loopback, client: httpx.Client, clock: Clock, status: int) -> None:
    server.answers["/a"] = [Answer(status=status), Answer(status=status), Answer(b"[1]")]
    assert get_json(client, f"{server.url}/a", patience=clock.patience()) == [1]
    assert clock.slept == [1.0, 2.0]


def test_attempts_are_bounded(server: Loopback, client: httpx.Client, clock: Clock) -> None:
    server.answers["/a"] = [Answer(status=503)]
    with pytest.raises(FetchError, match=r"answered 503.*Tried 4 times"):
        get_text(client, f"{server.url}/a", patience=clock.patience())
    assert len(server.requests) == 4


def test_404_is_told_at_once(server: Loopback, client: httpx.Client, clock: Clock) -> None:
    with pytest.raises(FetchError, match=r"answered 404.*Check the address"):
        get_text(client, f"{server.url}/gone", patience=clock.patience())
    assert len(server.requests) == 1


def test_retry_after_in_seconds_is_honoured(server: Loopback, client: httpx.Client, clock: Clock) -> None:
    server.answers["/a"] = [Answer(status=429, headers={"Retry-After": "7"}), Answer(b"ok")]
    assert get_text(client, f"{server.url}/a", patience=clock.patience()) == "ok"
    assert clock.slept == [7.0]


def test_retry_after_as_a_date_is_honoured(server: Loopback, client: httpx.Client, clock: Clock) -> None:
    when = email.utils.formatdate(time.time() + 20, usegmt=True)
    server.answers["/a"] = [Answer(status=503, headers={"Retry-After": when}), Answer(b"ok")]
    get_text(client, f"{server.url}/a", patience=clock.patience())
    assert 15 <= clock.slept[0] <= 20


def test_a_retry_after_beyond_our_patience_says_when_to_come_back(
    server: Loopback, client: httpx.Client, clock: Clock
) -> None:
    server.answers["/a"] = [Answer(status=429, headers={"Retry-After": "3600"})]
    with pytest.raises(FetchError, match="wait 3600 seconds"):
        get_text(client, f"{server.url}/a", patience=clock.patience())
    assert clock.slept == []


def test_nobody_listening_is_a_clear_error(client: httpx.Client, clock: Clock) -> None:
    with loopback() as gone:
        url = gone.url
    with pytest.raises(FetchError, match="ConnectError"):
        get_text(client, url, patience=clock.patience())


def test_a_download_is_whole_and_hashed(server: Loopback, client: httpx.Client, tmp_path: Path) -> None:
    body = os.urandom(3_000_000)
    server.answers["/a"] = [Answer(body)]
    seen: list[int] = []
    got = download(client, f"{server.url}/a", tmp_path / "new" / "a.json", progress=seen.append)
    assert got.path.read_bytes() == body
    assert (got.size, got.sha256) == (len(body), hashlib.sha256(body).hexdigest())
    assert seen == sorted(seen)
    assert len(seen) >= 2


def test_a_compressed_transfer_is_unpacked(server: Loopback, client: httpx.Client, tmp_path: Path) -> None:
    body = b"x" * 100_000
    server.answers["/a"] = [Answer(gzip.compress(body), headers={"Content-Encoding": "gzip"})]
    got = download(client, f"{server.url}/a", tmp_path / "a.json")
    assert got.path.read_bytes() == body
    assert got.sha256 == hashlib.sha256(body).hexdigest()


@pytest.mark.parametrize(
    "cut",
    [
        Answer(b"half", claims=1000),
        Answer(gzip.compress(os.urandom(5000))[:2000], headers={"Content-Encoding": "gzip"}),
        Answer(b"not gzip at all", headers={"Content-Encoding": "gzip"}),
    ],
    ids=["shorter than its Content-Length", "gzip stops halfway", "gzip is none"],
)
def test_a_cut_body_is_tried_again_and_leaves_no_file(
    server: Loopback, client: httpx.Client, clock: Clock, tmp_path: Path, cut: Answer
) -> None:
    server.answers["/a"] = [cut]
    target = tmp_path / "a.json"
    target.write_text("the old file")
    with pytest.raises(FetchError):
        download(client, f"{server.url}/a", target, patience=clock.patience())
    assert len(server.requests) == 4
    assert [path.read_text() for path in tmp_path.iterdir()] == ["the old file"]
    server.answers["/a"] = [cut, Answer(b"whole")]
    assert download(client, f"{server.url}/a", target, patience=clock.patience()).size == 5


def test_a_target_that_cannot_be_written_is_told(server: Loopback, client: httpx.Client, tmp_path: Path) -> None:
    server.answers["/a"] = [Answer(b"whole")]
    (tmp_path / "file").write_text("")
    with pytest.raises(FetchError, match="cannot write"):
        download(client, f"{server.url}/a", tmp_path / "file" / "a.json")


def test_a_full_disk_is_told_and_leaves_nothing(
    server: Loopback, client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answers["/a"] = [Answer(b"whole")]

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FetchError, match=r"No space left on device\. Free some space"):
        download(client, f"{server.url}/a", tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []
