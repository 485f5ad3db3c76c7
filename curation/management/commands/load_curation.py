"""manage.py load_curation: data/*.yaml and data/asked/ into the database."""

from __future__ import annotations

from pathlib import Path
from typing import Any, override

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from curation.changes import Changes
from curation.loading import CurationReport, load_curation


class Command(BaseCommand):
    help = "Loads aliases, notes, categories and how players ask from data/; a curator's own rows are never touched."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, help="folder with the curated files (default: data/)")
        parser.add_argument("--strict", action="store_true", help="fail when anything in the files was left out")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path | None = options["folder"]
        if folder is not None and not folder.is_dir():
            raise CommandError(f"There is no folder {folder}.")
        quiet = options["verbosity"] < 2
        try:
            report = load_curation(folder, progress=(lambda _: None) if quiet else self.stdout.write)
        except DatabaseError as error:
            raise CommandError(f"The database could not take the load, so nothing was changed: {error}") from error
        self._tell(report)
        if options["strict"] and not report.is_clean:
            raise CommandError("Something in the curated files was left out (--strict); see above.")

    def _tell(self, report: CurationReport) -> None:
        for kind, changes in (
            ("aliases", report.aliases),
            ("notes", report.notes),
            ("categories", report.categories),
            ("asked", report.asked),
        ):
            self.stdout.write(f"{kind:<10} {_counts(changes)}")
        if report.edition is not None:
            self.stdout.write(f"Rule numbers are those of the rules effective {report.edition:%Y-%m-%d}.")
        for line in report.waiting:
            self.stdout.write(self.style.WARNING(line))
        self._list("Left out", [str(problem) for problem in report.refused])
        self._list("Overruled by a curator", [str(problem) for problem in report.conflicts])
        self._list("CR sections neither mapped nor listed as unmapped", list(report.uncovered))

    def _list(self, title: str, lines: list[str]) -> None:
        if lines:
            self.stdout.write(self.style.WARNING(f"{title} ({len(lines)}):"))
        for line in lines:
            self.stdout.write(f"  {line}")


def _counts(changes: Changes) -> str:
    return f"{changes.added} added, {changes.changed} changed, {changes.removed} removed, {changes.kept} kept"
