"""Scryfall's bulk data: what there is, where to get it, and its objects one at a time.

https://scryfall.com/docs/api/bulk-data
"""

from __future__ import annotations

import contextlib
import enum
import gzip
import io
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sources.http import FetchError, Patience, download, get_json

if TYPE_CHECKING:
    import httpx

API = "https://api.scryfall.com"
_GZIP_MAGIC = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


class BulkKind(enum.StrEnum):
    """The bulk files we load, by Scryfall's own names."""

    ORACLE_CARDS = "oracle_cards"
    RULINGS = "rulings"
    DEFAULT_CARDS = "default_cards"
    ALL_CARDS = "all_cards"


# What answers need first, and what may come in behind.
ESSENTIAL = (BulkKind.ORACLE_CARDS, BulkKind.RULINGS)
NAMES = (BulkKind.DEFAULT_CARDS, BulkKind.ALL_CARDS)


class SourceError(Exception):
    """A bulk file cannot be had or read; str() says which, why, and what to do."""


class BrokenFileError(SourceError):
    """A bulk file is not what it should be: cut off, damaged, empty or no array. Nothing of it counts."""

    def __init__(self, path: Path, position: str, problem: str) -> None:
        super().__init__(f"{path.name}, {position}: {problem}. Fetch the file again")
        self.path = path
        self.position = position


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A bulk file on this machine and the SHA-256 of its bytes, in hex."""

    path: Path
    sha256: str


class Bulk(Protocol):
    """One bulk file that a source offers. Equal (origin, revision) means equal bytes."""

    @property
    def kind(self) -> BulkKind:
        """Which file it is."""
        ...

    @property
    def origin(self) -> str:
        """Its file name or URL, for people."""
        ...

    @property
    def revision(self) -> str:
        """What changes when the file does."""
        ...

    def open(self) -> AbstractContextManager[LocalFile]:
        """The file, here for as long as the context lasts. Raises SourceError."""
        ...


class Source(Protocol):
    """Where bulk files come from."""

    def bulk(self, kind: BulkKind) -> Bulk | None:
        """The newest file of *kind*, or None when this source has none. Raises SourceError."""
        ...


@dataclass(frozen=True, slots=True)
class NetworkBulk:
    """A bulk file at Scryfall. revision: its updated_at."""

    kind: BulkKind
    origin: str
    revision: str
    source: NetworkSource

    @contextlib.contextmanager
    def open(self) -> Iterator[LocalFile]:
        """The file, downloaded; removed when the context ends. Raises SourceError."""
        source = self.source
        with _scratch(source.work_dir) as folder:
            try:
                got = download(
                    source.client,
                    self.origin,
                    folder / f"{self.kind}.json",
                    patience=source.patience,
                    progress=source.on_bytes,
                )
            except FetchError as error:
                raise SourceError(str(error)) from error
            yield LocalFile(got.path, got.sha256)


@dataclass(slots=True)
class NetworkSource:
    """Scryfall's API at *base_url*; downloads pass through *work_dir*, which needs room for the largest file.

    on_bytes gets the bytes of the current download so far. The bulk-data list is read once.
    """

    client: httpx.Client
    work_dir: Path
    base_url: str = API
    patience: Patience = field(default_factory=Patience)
    on_bytes: Callable[[int], None] | None = None
    _listed: dict[str, NetworkBulk] | None = field(default=None, init=False)

    def bulk(self, kind: BulkKind) -> NetworkBulk | None:
        """The file of *kind* in the bulk-data list. Raises SourceError when the list cannot be had."""
        if self._listed is None:
            self._listed = self._list()
        return self._listed.get(kind)

    def _list(self) -> dict[str, NetworkBulk]:
        url = f"{self.base_url.rstrip('/')}/bulk-data"
        try:
            entries = get_json(self.client, url, patience=self.patience)["data"]
            found = [_entry(self, entry) for entry in entries if entry["type"] in set(BulkKind)]
        except FetchError as error:
            raise SourceError(str(error)) from error
        except (KeyError, TypeError, ValueError) as error:
            raise SourceError(f"{url}: not the list of bulk files we know ({error!r}). Try again later") from error
        return {bulk.kind: bulk for bulk in found}

    def __str__(self) -> str:
        return self.base_url


def _entry(source: NetworkSource, entry: dict[str, Any]) -> NetworkBulk:
    url, updated_at = entry["download_uri"], entry["updated_at"]
    if not isinstance(url, str) or not isinstance(updated_at, str):
        raise TypeError("download_uri and updated_at should be text")
    return NetworkBulk(BulkKind(entry["type"]), url, updated_at, source)


@contextlib.contextmanager
def _scratch(parent: Path) -> Iterator[Path]:
    """A fresh folder under *parent*, removed at the end. Raises SourceError when it cannot be made."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(dir=parent, prefix="bulk-", ignore_cleanup_errors=True)
    except OSError as error:
        raise SourceError(f"Cannot write in {parent}: {error.strerror or error}. Choose another folder") from error
    with folder as name:
        yield Path(name)


def read_objects(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of the JSON array in *path* (plain or gzip), one at a time, never the whole file in memory.

    One object a line, as Scryfall writes, is read line by line; any other layout by a streaming parser, several
    times slower. Raises BrokenFileError where the file stops making sense: whoever loads must undo what came before.
    """
    try:
        with _open(path) as file:
            first, second = file.readline(), file.readline()
        by_line = first.removeprefix(_BOM).strip() == b"[" and second.strip().endswith((b"}", b"},"))
        yield from _by_line(path) if by_line else _by_token(path)
    except OSError as error:  # gzip.BadGzipFile is one
        raise BrokenFileError(path, "while reading", str(error.strerror or error)) from error
    except (EOFError, zlib.error) as error:
        raise BrokenFileError(path, "while unpacking", f"the file is cut off or damaged ({error})") from error


def _open(path: Path) -> gzip.GzipFile | io.BufferedReader:
    """*path* for reading, unpacked if its bytes say that it is gzip, whatever its name says."""
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP_MAGIC
    return gzip.open(path, "rb") if packed else path.open("rb")


def _by_line(path: Path) -> Iterator[dict[str, Any]]:
    import orjson

    ended = False
    with _open(path) as file:
        file.readline()  # the opening bracket
        for number, raw in enumerate(file, start=2):
            line = raw.strip()
            if not line:
                continue
            if ended:
                raise BrokenFileError(path, f"line {number}", "there is more after the closing bracket")
            if line == b"]":
                ended = True
                continue
            try:
                found = orjson.loads(line.removesuffix(b","))
            except orjson.JSONDecodeError as error:
                raise BrokenFileError(path, f"line {number}", f"no JSON object ({error})") from error
            yield _an_object(found, path, f"line {number}")
    if not ended:
        raise BrokenFileError(path, f"line {number}", "the file stops before the closing bracket")


def _by_token(path: Path) -> Iterator[dict[str, Any]]:
    import ijson

    count = 0
    with _open(path) as file:
        try:
            _check_start(file, path)
            for count, found in enumerate(ijson.items(file, "item", use_float=True), start=1):
                yield _an_object(found, path, f"object {count}")
        except ijson.JSONError as error:
            raise BrokenFileError(path, f"after {count} objects", f"cut off or no JSON ({error})") from error
    if not count:
        raise BrokenFileError(path, "the whole file", "an empty list")


def _check_start(file: gzip.GzipFile | io.BufferedReader, path: Path) -> None:
    """Leaves *file* at the opening bracket; BrokenFileError when there is none."""
    head = file.read(3)
    if head != _BOM:
        file.seek(0)
    start = file.tell()
    while (char := file.read(1)).isspace():
        start += 1
    if char != b"[":
        what = "empty" if not char else "no JSON array"
        raise BrokenFileError(path, f"byte {start}", f"the file is {what}")
    file.seek(start)


def _an_object(found: object, path: Path, position: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise BrokenFileError(path, position, f"a {type(found).__name__} where an object should be")
    return found
