"""Fetch, parse, diff, apply: brings Comprehensive Rules files into the database and says what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.db import DatabaseError, InterfaceError
from django.db.models import Q

from rules.errors import NotComprehensiveRules, RulesNotFound, RulesNotStored
from rules.load import Loaded, Policy, find_loaded, load_edition
from rules.models import Edition, Renumbering, Rule
from rules.parser import parse_edition
from sources import cr
from sources.cr import RulesFile, RulesSourceError
from sources.http import FetchError, Patience, new_client

Progress = Callable[[str], None]
"""Called with a short line before each step that takes time."""


@dataclass(frozen=True, slots=True)
class RulesFiles:
    """Rules files on disk, loaded in this order."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class RulesPage:
    """Wizards' rules page, or another that links to the .txt."""

    url: str = cr.RULES_PAGE
    patience: Patience | None = None


RulesSource = RulesFiles | RulesPage


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionReport:
    """What became of one file. changes: against the edition before it; () when there is none or nothing is new."""

    file_name: str
    edition: Edition
    is_new: bool
    vectors_kept: int = 0
    changes: tuple[tuple[str, int], ...] = ()  # ("added", 18), ("gone", 9), ("reworded", 13), ("renumbered", 12)
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        edition, counts = self.edition, self.edition.counts
        place = "current" if edition.is_current else str(edition.Status(edition.status).label).lower()
        kind = "sample data, not Magic's rules" if edition.is_sample else "Comprehensive Rules"
        news = "loaded" if self.is_new else "already there, nothing to do"
        yield f"{self.file_name}: {kind}, effective {edition.effective}, {news} ({place})"
        if self.is_new:
            yield (
                f"  {counts['rules']} rules, {counts['subrules']} subrules, {counts['examples']} examples, "
                f"{counts['glossary']} glossary entries; {self.vectors_kept} vectors kept"
            )
        if self.changes:
            yield "  against the edition before: " + ", ".join(f"{count} {what}" for what, count in self.changes)
        yield from (f"  note: {warning}" for warning in self.warnings)


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of every file, in the order they were loaded. str() is for a person to read."""

    editions: tuple[EditionReport, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.editions))


def source_in(folder: Path, *, all_editions: bool = False) -> RulesFiles:
    """The rules files of a data folder: the newest by name, or all of them. Raises RulesNotFound."""
    found = cr.files_in(folder)
    if not found:
        raise RulesNotFound(
            f"no rules file in {folder} or its subfolder cr/; they are named like 'MagicCompRules 20260807.txt', "
            "plain or .gz"
        )
    return RulesFiles(found if all_editions else found[-1:])


def ingest_rules(
    source: RulesSource, *, progress: Progress = lambda _line: None, policy: Policy = Policy.AUTO
) -> IngestReport:
    """Loads every file of *source*, each in a transaction of its own. Raises RulesError.

    A file that fails stops the run; the ones before it stay loaded, and it changes nothing.
    """
    return IngestReport(tuple(_ingest_file(file, progress, policy) for file in _fetch(source, progress)))


def _fetch(source: RulesSource, progress: Progress) -> Iterator[RulesFile]:
    """The files of *source*, one in memory at a time."""
    try:
        match source:
            case RulesFiles(paths):
                for path in paths:
                    yield cr.read_file(path)
            case RulesPage(url, patience):
                progress(f"looking for the newest rules on {url}")
                with new_client() as client:
                    yield cr.fetch_newest(client, url, patience=patience)
    except (RulesSourceError, FetchError) as error:
        raise RulesNotFound(str(error)) from error


def _ingest_file(file: RulesFile, progress: Progress, policy: Policy) -> EditionReport:
    """Parses and stores one file."""
    if before := find_loaded(file.data):
        return EditionReport(file_name=file.name, edition=before, is_new=False)
    progress(f"reading {file.name}")
    try:
        parsed = parse_edition(file.data, file.name)
    except NotComprehensiveRules as error:
        raise NotComprehensiveRules(error.problem, file.name) from error
    progress(f"storing the rules effective {parsed.effective}")
    try:
        loaded = load_edition(parsed, file.data, file.name, policy)
    except (DatabaseError, InterfaceError) as error:
        raise RulesNotStored(
            f"{file.name} could not be stored, and nothing was changed: {str(error).strip()}. "
            "When the disk is full, free some space; then run it again"
        ) from error
    return _report(file, loaded, parsed.warnings)


def _report(file: RulesFile, loaded: Loaded, warnings: tuple[str, ...]) -> EditionReport:
    unresolved = f"It names rules it does not have: {', '.join(loaded.unresolved)}." if loaded.unresolved else ""
    return EditionReport(
        file_name=file.name,
        edition=loaded.edition,
        is_new=loaded.is_new,
        vectors_kept=loaded.vectors_kept,
        changes=changes_since_previous(loaded.edition) if loaded.is_new else (),
        warnings=(*warnings, *filter(None, [unresolved])),
    )


def changes_since_previous(edition: Edition) -> tuple[tuple[str, int], ...]:
    """How many rules were added, are gone, reworded and renumbered since the edition before, by number alone."""
    earlier = Q(effective__lt=edition.effective) | Q(effective=edition.effective, loaded_at__lt=edition.loaded_at)
    before = Edition.objects.filter(earlier, is_sample=edition.is_sample).order_by("-effective", "-loaded_at").first()
    if before is None:
        return ()
    old = dict(Rule.objects.filter(edition=before).values_list("number", "text"))
    new = dict(Rule.objects.filter(edition=edition).values_list("number", "text"))
    moved = Renumbering.objects.filter(from_edition=before, to_edition=edition).count()
    return (
        ("added", len(new.keys() - old.keys())),
        ("gone", len(old.keys() - new.keys())),
        ("reworded", sum(old[number] != new[number] for number in old.keys() & new.keys())),
        ("renumbered", moved),
    )
