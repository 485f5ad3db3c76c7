"""manage.py ingest_rules: loads Comprehensive Rules files."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, override

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from rules.errors import RulesError
from rules.ingest import RulesFiles, RulesPage, RulesSource, ingest_rules, source_in
from rules.load import Policy


class Command(BaseCommand):
    help = (
        "Loads the Comprehensive Rules from files or folders, by default from JUDGE_DATA_DIR, else from the network. "
        "Loading what is there already changes nothing."
    )

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="*", type=Path, metavar="FILE|FOLDER")
        parser.add_argument("--all-editions", action="store_true", help="every file of a folder, not only the newest")
        parser.add_argument(
            "--policy",
            type=Policy,
            choices=list(Policy),
            default=Policy.AUTO,
            help="auto: a newer edition becomes current; confirm: it waits for a curator",
        )
        parser.add_argument("--network", action="store_true", help="from the rules page, whatever files there are")
        parser.add_argument(
            "--page", default=settings.JUDGE_RULES_PAGE, help="the page that links to the .txt (%(default)s)"
        )

    @override
    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            for source in _sources(options):
                report = ingest_rules(source, progress=self.stderr.write, policy=options["policy"])
                self.stdout.write(str(report))
        except RulesError as error:
            raise CommandError(str(error)) from error


def _sources(options: dict[str, Any]) -> list[RulesSource]:
    """What the command line names. Raises RulesNotFound for a folder without rules, CommandError offline."""
    paths: list[Path] = options["paths"] or list(filter(None, [settings.JUDGE_DATA_DIR]))
    if options["network"] or not paths:
        if settings.JUDGE_OFFLINE:
            raise CommandError("JUDGE_OFFLINE=1 forbids the network; name the rules file, or unset it")
        return [RulesPage(options["page"])]
    return [
        source_in(path, all_editions=options["all_editions"]) if path.is_dir() else RulesFiles((path,))
        for path in paths
    ]
