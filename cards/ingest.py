"""Loading Scryfall's bulk files: fetch, read, merge. Atomic file by file; a second run changes nothing."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import psycopg
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.backends.utils import CursorWrapper

from cards.merge import Merged, merge_cards, merge_names, merge_rulings, oracle_names
from cards.models import BulkFile
from cards.rows import MAPPING_VERSION, CardRow, NameRow, RulingRow, Unusable, card_rows, name_rows, ruling_row
from sources.scryfall import ESSENTIAL, NAMES, Bulk, BulkKind, LocalFile, Source, SourceError, read_objects

_LOCK = 0x6D74670001  # Postgres advisory lock of card loads; any constant that no one else uses
_NOTE_EVERY = 5000  # objects between two progress notes
_SHRINK = 0.5  # a file with less than this share of the last one's objects is taken for a mistake (D21)

type Objects = Iterable[dict[str, Any]]
type Known = Mapping[uuid.UUID, frozenset[str]]  # the names of each loaded card


class IngestError(Exception):
    """Cards could not be loaded, and what was there before is whole; str() says why and what to do."""


class IngestBusy(IngestError):
    """Another process is loading cards right now."""


class Outcome(StrEnum):
    """What became of one bulk file."""

    LOADED = "loaded"
    UNCHANGED = "unchanged"
    ABSENT = "absent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a load is: which file, what is being done to it, and objects read so far."""

    kind: BulkKind
    phase: str
    objects: int = 0


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one bulk file. read counts its objects, skipped those not kept, by reason."""

    kind: BulkKind
    outcome: Outcome
    origin: str = ""
    problem: str = ""
    read: int = 0
    skipped: tuple[tuple[str, int], ...] = ()
    merged: Merged = field(default_factory=Merged)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of each bulk file asked for, in the order they were tried."""

    files: tuple[FileReport, ...]

    @property
    def failed(self) -> tuple[FileReport, ...]:
        """The files that could not be loaded; their old rows are still there."""
        return tuple(file for file in self.files if file.outcome is Outcome.FAILED)

    @property
    def has_changes(self) -> bool:
        """Whether any file was loaded."""
        return any(file.outcome is Outcome.LOADED for file in self.files)


@dataclass(slots=True)
class _Tally:
    """Counts of one file on its way through, and its progress notes."""

    kind: BulkKind
    note: Callable[[Progress], None]
    read: int = 0
    usable: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def counted(self, objects: Objects) -> Iterator[dict[str, Any]]:
        for found in objects:
            self.read += 1
            if self.read % _NOTE_EVERY == 0:
                self.note(Progress(self.kind, "reading", self.read))
            yield found
        self.note(Progress(self.kind, "merging", self.read))


def ingest_cards(
    source: Source,
    *,
    progress: Callable[[Progress], None] | None = None,
    kinds: tuple[BulkKind, ...] = ESSENTIAL + NAMES,
    force: bool = False,
) -> IngestReport:
    """Brings the database up to *source*, file by file in the order of *kinds*, each in a transaction of its own.

    A file that did not change since it was loaded is not read, unless *force*. One that fails is reported and leaves
    its old rows; the others go on. Raises IngestError when the cards themselves cannot be loaded, for nothing else
    makes sense then, and IngestBusy when another load is running.
    """
    with _only_one():
        reports = []
        for kind in kinds:
            report = _ingest_file(source, kind, progress or _say_nothing, force)
            if kind is BulkKind.ORACLE_CARDS and report.outcome in (Outcome.FAILED, Outcome.ABSENT):
                raise IngestError(report.problem)
            reports.append(report)
        return IngestReport(tuple(reports))


def _say_nothing(note: Progress) -> None:
    """Listens to progress and keeps it to itself."""


@contextlib.contextmanager
def _only_one() -> Iterator[None]:
    """Holds the lock of card loads. Raises IngestBusy when somebody else does."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
            row = cursor.fetchone()
    except (DatabaseError, InterfaceError) as error:
        raise IngestError(_database_problem(error)) from error
    if row is None or not row[0]:
        raise IngestBusy("Cards are being loaded by another process. Wait until it is done, then try again")
    try:
        yield
    finally:
        # A connection that died has let go of the lock already.
        with contextlib.suppress(DatabaseError, InterfaceError), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


def _ingest_file(source: Source, kind: BulkKind, note: Callable[[Progress], None], force: bool) -> FileReport:
    started = time.monotonic()
    tally = _Tally(kind, note)
    try:
        bulk = source.bulk(kind)
        if bulk is None:
            return FileReport(kind, Outcome.ABSENT, problem=f"There is no {kind} file in {source}")
        merged = _load(bulk, tally, force)
    except (SourceError, IngestError) as error:
        return FileReport(kind, Outcome.FAILED, problem=str(error), seconds=time.monotonic() - started)
    except (DatabaseError, InterfaceError, psycopg.Error) as error:
        problem = f"{kind}: {_database_problem(error)}"
        return FileReport(kind, Outcome.FAILED, problem=problem, seconds=time.monotonic() - started)
    return FileReport(
        kind,
        Outcome.UNCHANGED if merged is None else Outcome.LOADED,
        origin=bulk.origin,
        read=tally.read,
        skipped=tuple(tally.skipped.most_common()),
        merged=merged or Merged(),
        seconds=time.monotonic() - started,
    )


def _load(bulk: Bulk, tally: _Tally, force: bool) -> Merged | None:
    """Loads *bulk* in one transaction; None when the database has it already."""
    known = None if force else _still_good(bulk.kind)
    if known and (known.origin, known.updated_at) == (bulk.origin, bulk.revision):
        return None
    tally.note(Progress(bulk.kind, "fetching"))
    with bulk.open() as file:
        if known and known.sha256 == file.sha256:
            # update() leaves loaded_at alone: nothing was loaded.
            BulkFile.objects.filter(pk=bulk.kind).update(origin=bulk.origin, updated_at=bulk.revision)
            return None
        with transaction.atomic():
            with connection.cursor() as cursor:
                merged = _merge(cursor, file, tally)
            _refuse_wrong_file(bulk, tally, force)
            _remember(bulk, file, tally.read)
    return merged


def _still_good(kind: BulkKind) -> BulkFile | None:
    """What was last loaded of *kind*, if reading the same file again could change nothing.

    It could when the mapping changed since, or when cards came in since: rows of unknown cards were left out.
    """
    files = {file.kind: file for file in BulkFile.objects.filter(kind__in=(kind, BulkKind.ORACLE_CARDS))}
    known, cards = files.get(kind), files.get(BulkKind.ORACLE_CARDS)
    if known is None or known.mapping != MAPPING_VERSION:
        return None
    return None if cards is not None and cards.loaded_at > known.loaded_at else known


def _merge(cursor: CursorWrapper, file: LocalFile, tally: _Tally) -> Merged:
    objects = tally.counted(read_objects(file.path))
    known = oracle_names()  # read now: while COPY runs, the connection can do nothing else
    match tally.kind:
        case BulkKind.ORACLE_CARDS:
            return merge_cards(cursor, _cards(objects, tally))
        case BulkKind.RULINGS:
            return merge_rulings(cursor, _rulings(objects, known, tally))
        case BulkKind.DEFAULT_CARDS | BulkKind.ALL_CARDS:
            return merge_names(cursor, tally.kind, _names(objects, known, tally))


def _cards(objects: Objects, tally: _Tally) -> Iterator[CardRow]:
    """The cards of *objects*, each oracle_id once; a reversible printing only where nothing else stands for it."""
    seen: set[uuid.UUID] = set()
    reversible: list[CardRow] = []
    for found in objects:
        try:
            rows = card_rows(found)
        except Unusable as reason:
            tally.skipped[str(reason)] += 1
            continue
        reversible += (row for row in rows if row.is_reversible)
        yield from _unseen((row for row in rows if not row.is_reversible), seen, tally)
    yield from _unseen(reversible, seen, tally)


def _unseen(rows: Iterable[CardRow], seen: set[uuid.UUID], tally: _Tally) -> Iterator[CardRow]:
    for row in rows:
        if row.oracle_id in seen:
            tally.skipped["repeated"] += 1
            continue
        seen.add(row.oracle_id)
        tally.usable += 1
        yield row


def _rulings(objects: Objects, known: Known, tally: _Tally) -> Iterator[RulingRow]:
    seen: set[tuple[uuid.UUID, str]] = set()
    for found in objects:
        try:
            row = ruling_row(found)
        except Unusable as reason:
            tally.skipped[str(reason)] += 1
            continue
        if row.oracle_id not in known:
            tally.skipped["card not loaded"] += 1
        elif (row.oracle_id, row.key) in seen:
            tally.skipped["repeated"] += 1
        else:
            seen.add((row.oracle_id, row.key))
            tally.usable += 1
            yield row


def _names(objects: Objects, known: Known, tally: _Tally) -> Iterator[NameRow]:
    """The names that are not the card's own today, each once. An object that adds none is counted as skipped."""
    seen: set[NameRow] = set()
    for found in objects:
        try:
            rows = list(name_rows(found))
        except Unusable as reason:
            tally.skipped[str(reason)] += 1
            continue
        ours = [row for row in rows if row.oracle_id in known]
        new = {row for row in ours if row.name not in known[row.oracle_id]} - seen
        seen |= new
        if not new:
            tally.skipped["card not loaded" if rows and not ours else "no other name than known"] += 1
        tally.usable += len(new)
        yield from sorted(new, key=lambda row: row.name)


def _refuse_wrong_file(bulk: Bulk, tally: _Tally, force: bool) -> None:
    """Raises IngestError for a file that would empty the tables: nothing usable in it, or far less than last time."""
    is_strange = tally.read == tally.skipped["malformed"] + tally.skipped["no oracle_id"]
    if is_strange or (bulk.kind is BulkKind.ORACLE_CARDS and not tally.usable):
        raise IngestError(f"{bulk.origin}: none of its {tally.read} objects can be used as {bulk.kind}. Wrong file?")
    last = BulkFile.objects.filter(pk=bulk.kind).first()
    if last and not force and tally.read < last.rows * _SHRINK:
        raise IngestError(
            f"{bulk.origin} has {tally.read} objects where {last.origin} had {last.rows}; nothing was changed."
            " If that is right, load it with --force"
        )


def _remember(bulk: Bulk, file: LocalFile, rows: int) -> None:
    BulkFile.objects.update_or_create(
        kind=bulk.kind,
        defaults={
            "origin": bulk.origin[-500:],
            "sha256": file.sha256,
            "updated_at": bulk.revision[:60],
            "mapping": MAPPING_VERSION,
            "rows": rows,
        },
    )


def _database_problem(error: BaseException) -> str:
    """What the database said, and what to do about it."""
    cause = error.__cause__ if isinstance(error.__cause__, psycopg.Error) else error
    if isinstance(cause, psycopg.errors.DiskFull):
        return "the database's disk is full; nothing was changed. Free some space and run it again"
    said = str(cause).strip().partition("\n")[0]
    return f"the database failed ({said}); nothing was changed. Run it again"
