"""Fetching over HTTP with patience: bounded retries, whole bodies only, files that appear complete or not at all."""

from __future__ import annotations

import contextlib
import email.utils
import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

# Scryfall refuses the agents of HTTP libraries and asks for an Accept header.
USER_AGENT = "mtg-judge/0.1 (self-hosted Magic rules judge; AGPL-3.0-or-later)"
ACCEPT = "application/json;q=0.9,*/*;q=0.8"
RETRIED = frozenset({429, 500, 502, 503, 504})  # HTTP statuses that may pass by themselves
LONGEST_TEXT = 64 * 2**20  # bytes; get_* hold their body in memory, download() does not
NOTE_EVERY = 2**20  # bytes between two calls of download()'s progress


class FetchError(Exception):
    """A URL could not be fetched. str() names the URL, what happened and what to do."""

    def __init__(self, url: str, problem: str, advice: str) -> None:
        super().__init__(f"{url}: {problem}. {advice}")
        self.url = url
        self.problem = problem
        self.advice = advice


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to keep trying: *attempts* in all, *pause* seconds before the second, doubled each time.

    A server's Retry-After is honoured up to *longest_wait* seconds; one that asks for more is given up on.
    """

    attempts: int = 4
    pause: float = 1.0
    longest_wait: float = 60.0
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class Download:
    """A file fetched whole: where it is, its size in bytes and the SHA-256 of those bytes, in hex."""

    path: Path
    size: int
    sha256: str


class _PassingError(Exception):
    """This attempt failed in a way that may pass; *after* is the server's Retry-After in seconds, or None."""

    def __init__(self, problem: str, after: float | None = None) -> None:
        super().__init__(problem)
        self.after = after


def new_client(*, timeout: float = 30.0) -> httpx.Client:
    """An HTTP client with our own headers; *timeout* in seconds for connecting and for each read. Close it."""
    import httpx

    # gzip only: its end can be checked (see _Body), which httpx does not do.
    headers = {"User-Agent": USER_AGENT, "Accept": ACCEPT, "Accept-Encoding": "gzip"}
    return httpx.Client(headers=headers, timeout=timeout, follow_redirects=True)


def get_bytes(client: httpx.Client, url: str, *, patience: Patience | None = None) -> bytes:
    """The body at *url*, at most LONGEST_TEXT bytes. Raises FetchError."""

    def read(body: Iterator[bytes]) -> bytes:
        content = bytearray()
        for piece in body:
            content += piece
            if len(content) > LONGEST_TEXT:
                problem = f"the answer is longer than {LONGEST_TEXT // 2**20} MiB"
                raise FetchError(url, problem, "Check that the address is the right one")
        return bytes(content)

    return _with_retries(client, url, read, patience or Patience())


def get_text(client: httpx.Client, url: str, *, patience: Patience | None = None) -> str:
    """The body at *url* as text: UTF-8 with or without BOM, else cp1252 (what Wizards' pages have used).

    Raises FetchError.
    """
    content = get_bytes(client, url, patience=patience)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def get_json(client: httpx.Client, url: str, *, patience: Patience | None = None) -> Any:
    """The JSON document at *url*, decoded. Raises FetchError, also when the body is no JSON."""
    content = get_bytes(client, url, patience=patience)
    try:
        return json.loads(content)
    except ValueError as error:
        raise FetchError(url, f"the answer is no JSON ({error})", "Try again later") from error


def download(
    client: httpx.Client,
    url: str,
    target: Path,
    *,
    patience: Patience | None = None,
    progress: Callable[[int], None] | None = None,
) -> Download:
    """*url* fetched into *target*, which appears whole or not at all. Raises FetchError.

    The bytes are decoded if the server compressed the transfer. progress gets the bytes written so far.
    """
    part = target.with_name(f"{target.name}.{os.getpid()}.part")

    def save(body: Iterator[bytes]) -> Download:
        digest, size, noted = hashlib.sha256(), 0, 0
        with part.open("wb") as file:
            for piece in body:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
                if progress and size - noted >= NOTE_EVERY:
                    noted = size
                    progress(size)
        part.replace(target)
        return Download(target, size, digest.hexdigest())

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return _with_retries(client, url, save, patience or Patience())
    except OSError as error:
        advice = "Free some space or choose another folder, then run it again"
        raise FetchError(url, f"cannot write {target}: {error.strerror or error}", advice) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _with_retries[T](client: httpx.Client, url: str, use: Callable[[Iterator[bytes]], T], patience: Patience) -> T:
    """use(body of *url*), tried again as *patience* allows; *use* starts afresh each time."""
    for attempt in range(1, patience.attempts + 1):
        try:
            return _attempt(client, url, use)
        except _PassingError as failure:
            wait = failure.after if failure.after is not None else patience.pause * 2 ** (attempt - 1)
            if wait > patience.longest_wait:
                advice = f"The server asks to wait {wait:.0f} seconds; run it again after that"
                raise FetchError(url, str(failure), advice) from failure
            if attempt == patience.attempts:
                advice = f"Tried {attempt} times; check the network and run it again later"
                raise FetchError(url, str(failure), advice) from failure
            patience.sleep(wait)
    raise FetchError(url, "not tried", "Patience needs at least one attempt")


def _attempt[T](client: httpx.Client, url: str, use: Callable[[Iterator[bytes]], T]) -> T:
    """use(body of *url*), once. Raises _PassingError for what may pass, FetchError for what will not."""
    import httpx

    try:
        with client.stream("GET", url) as response:
            _check_status(url, response)
            return use(_body(response))
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.TooManyRedirects) as error:
        raise FetchError(url, str(error) or type(error).__name__, "Check the address") from error
    except httpx.TransportError as error:  # includes a body shorter than its Content-Length
        raise _PassingError(f"{type(error).__name__}: {error}".removesuffix(": ")) from error


def _check_status(url: str, response: httpx.Response) -> None:
    """Nothing when *response* is a success; otherwise _PassingError or FetchError."""
    status = response.status_code
    if response.is_success:
        return
    problem = f"the server answered {status} {response.reason_phrase}".rstrip()
    if status in RETRIED:
        raise _PassingError(problem, _retry_after(response.headers.get("Retry-After", "")))
    raise FetchError(url, problem, "Check the address; it may have moved")


def _retry_after(value: str) -> float | None:
    """Seconds that a Retry-After header asks for (a number or an HTTP date); None when it says nothing usable."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        then = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, then.timestamp() - time.time())


def _body(response: httpx.Response) -> Iterator[bytes]:
    """The decoded body in pieces. Raises _PassingError when it ends before it is whole.

    httpx compares a plain body with its Content-Length but takes a gzip stream that stops halfway for a whole one,
    so gzip is decoded here, where its end can be seen.
    """
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding == "identity":
        yield from response.iter_raw()
    elif encoding in ("gzip", "x-gzip"):
        yield from _gunzip(response.iter_raw())
    else:
        raise FetchError(str(response.url), f"the answer is encoded as {encoding!r}", "Ask the server for gzip")


def _gunzip(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """*pieces* of one gzip stream (of one or more members), decoded. Raises _PassingError when cut or damaged."""
    member = zlib.decompressobj(wbits=31)
    try:
        for piece in pieces:
            rest = piece
            while rest:
                if member.eof:
                    member = zlib.decompressobj(wbits=31)
                yield member.decompress(rest)
                rest = member.unused_data
    except zlib.error as error:
        raise _PassingError(f"the compressed answer is damaged ({error})") from error
    if not member.eof:
        raise _PassingError("the compressed answer stops before its end")
