"""manage.py ingest_cards: loads cards, rulings and printed names from Scryfall's bulk files."""

from __future__ import annotations

import contextlib
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, override

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from cards.ingest import FileReport, IngestError, Outcome, Progress, ingest_cards
from sources.folder import FolderSource
from sources.http import new_client
from sources.scryfall import ESSENTIAL, NAMES, NetworkSource, Source

_STEPS = {"essential": ESSENTIAL, "names": NAMES}


class Command(BaseCommand):
    help = (
        "Loads cards, rulings and printed names from a folder of bulk files, by default JUDGE_DATA_DIR, else from "
        "Scryfall. Files that did not change since the last load are not read again."
    )

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        origin = parser.add_mutually_exclusive_group()
        origin.add_argument("--folder", type=Path, help="the folder that holds the bulk files")
        origin.add_argument("--network", action="store_true", help="from Scryfall, whatever JUDGE_DATA_DIR says")
        parser.add_argument("--only", choices=list(_STEPS), help="essential: cards and rulings; names: printed names")
        parser.add_argument("--force", action="store_true", help="load also what did not change, or shrank a lot")
        parser.add_argument(
            "--scryfall", default=settings.JUDGE_SCRYFALL_URL, metavar="URL", help="Scryfall's API (%(default)s)"
        )

    @override
    def handle(self, *_args: Any, **options: Any) -> None:
        kinds = _STEPS[options["only"]] if options["only"] else ESSENTIAL + NAMES
        try:
            with _source(options) as source:
                report = ingest_cards(source, progress=self._note, kinds=kinds, force=options["force"])
        except IngestError as error:
            raise CommandError(str(error)) from error
        for file in report.files:
            self.stdout.write(_line(file))
        if report.failed:
            raise CommandError("\n".join(file.problem for file in report.failed))

    def _note(self, progress: Progress) -> None:
        objects = f" {progress.objects:,}" if progress.objects else ""
        self.stderr.write(f"{progress.kind}: {progress.phase}{objects}")


@contextlib.contextmanager
def _source(options: dict[str, Any]) -> Iterator[Source]:
    """Where the command line says the files come from. Raises CommandError when that is the network, offline."""
    folder: Path | None = options["folder"] or settings.JUDGE_DATA_DIR
    if folder is not None and not options["network"]:
        yield FolderSource(folder)
        return
    if settings.JUDGE_OFFLINE:
        raise CommandError("JUDGE_OFFLINE=1 forbids the network; name a folder with --folder, or unset it")
    with new_client() as client, tempfile.TemporaryDirectory(prefix="judge-") as work_dir:
        yield NetworkSource(client, Path(work_dir), options["scryfall"])


def _line(file: FileReport) -> str:
    """One line that tells what became of *file*."""
    if file.outcome is not Outcome.LOADED:
        return f"{file.kind}: {file.outcome}" + (f" ({file.problem})" if file.problem else "")
    merged = file.merged
    counts = f"{file.read:,} read, {merged.added:,} added, {merged.changed:,} changed, {merged.removed:,} removed"
    kept = f", {merged.kept:,} kept for a curator's sake though gone from the file" if merged.kept else ""
    skipped = "; skipped " + ", ".join(f"{count:,} {reason}" for reason, count in file.skipped) if file.skipped else ""
    return f"{file.kind}: {counts}{kept}{skipped}; {file.seconds:.1f} s, from {file.origin}"
