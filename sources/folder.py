"""Scryfall's bulk files in a folder: found by their own names or by the plain names of a converted set."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sources.scryfall import BulkKind, LocalFile, SourceError

# Plain names, by kind; the first one present is taken when no file carries a date stamp.
_PLAIN = {
    BulkKind.ORACLE_CARDS: ("oracle_cards",),
    BulkKind.RULINGS: ("rulings",),
    BulkKind.DEFAULT_CARDS: ("default_cards",),
    BulkKind.ALL_CARDS: ("all_cards", "printed_names"),
}
_SUFFIXES = (".json", ".json.gz")
_STAMPED = re.compile(r"(?P<kind>[a-z-]+)-(?P<stamp>\d{8,14})\.json(\.gz)?")
_PIECE = 2**20  # bytes hashed at a time


@dataclass(frozen=True, slots=True)
class FolderBulk:
    """A bulk file on disk. revision: its size and time of change, which stand for its bytes while they stay."""

    kind: BulkKind
    path: Path
    revision: str

    @property
    def origin(self) -> str:
        """The file's name."""
        return self.path.name

    @contextlib.contextmanager
    def open(self) -> Iterator[LocalFile]:
        """The file with the hash of its bytes. Raises SourceError when it cannot be read."""
        digest = hashlib.sha256()
        try:
            with self.path.open("rb") as file:
                while piece := file.read(_PIECE):
                    digest.update(piece)
        except OSError as error:
            raise _unreadable(self.path, error) from error
        yield LocalFile(self.path, digest.hexdigest())


@dataclass(frozen=True, slots=True)
class FolderSource:
    """The bulk files of one folder. Raises SourceError when *folder* is no folder that can be listed."""

    folder: Path

    def bulk(self, kind: BulkKind) -> FolderBulk | None:
        """The file of *kind*: the newest stamped one, else a plainly named one, else None."""
        try:
            names = sorted(path.name for path in self.folder.iterdir())
        except NotADirectoryError as error:
            raise SourceError(f"{self.folder} is a file. Name the folder that holds the bulk files") from error
        except FileNotFoundError as error:
            raise SourceError(f"There is no folder {self.folder}. Check its name (JUDGE_DATA_DIR)") from error
        except OSError as error:
            raise _unreadable(self.folder, error) from error
        name = _newest_stamped(names, kind) or _plain(names, kind)
        return None if name is None else _at(kind, self.folder / name)

    def __str__(self) -> str:
        return str(self.folder)


def _newest_stamped(names: list[str], kind: BulkKind) -> str | None:
    """The name with the latest stamp, such as oracle-cards-20261130100203.json; of equal stamps the first."""
    stamped = [
        (match["stamp"].ljust(14, "0"), name)
        for name in names
        if (match := _STAMPED.fullmatch(name)) and match["kind"] == kind.replace("_", "-")
    ]
    return max(stamped, key=lambda pair: pair[0])[1] if stamped else None


def _plain(names: list[str], kind: BulkKind) -> str | None:
    wanted = (stem + suffix for stem in _PLAIN[kind] for suffix in _SUFFIXES)
    return next((name for name in wanted if name in names), None)


def _at(kind: BulkKind, path: Path) -> FolderBulk:
    try:
        stat = path.stat()
    except OSError as error:
        raise _unreadable(path, error) from error
    return FolderBulk(kind, path, f"{stat.st_size} bytes, changed {stat.st_mtime_ns}")


def _unreadable(path: Path, error: OSError) -> SourceError:
    return SourceError(f"Cannot read {path}: {error.strerror or error}. Check that it is there and may be read")
