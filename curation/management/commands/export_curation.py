"""manage.py export_curation: the database back into the files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, override

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.loading import default_folder
from curation.writing import export_curation


class Command(BaseCommand):
    help = "Writes aliases, notes, categories and how players ask back into files, the curators' rows included."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, help="folder to write into (default: data/)")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"] or default_folder()
        try:
            written = export_curation(folder)
        except OSError as error:
            raise CommandError(f"Cannot write into {folder}: {error.strerror}") from error
        for path in written:
            self.stdout.write(f"Wrote {path}")
