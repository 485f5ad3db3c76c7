"""Loads what may come in behind: printed names, other languages, older editions."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any, override

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from calls import setup
from calls.model_wiring import embeds
from calls.setup import DataMissing
from judgesite.preparing import origins

_AGAIN = 600  # seconds between two tries


class Command(BaseCommand):
    help = "Loads printed names, names in other languages and older editions of the rules; `start` does it by itself."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--keep-trying", action="store_true", help="every ten minutes until it is done")

    @override
    def handle(self, *_args: Any, **options: Any) -> None:
        while True:
            try:
                is_new = setup.has_sample() or setup.is_empty()
                setup.load_rest(origins(), self.stdout.write)
            except DataMissing as problem:
                if not options["keep_trying"]:
                    raise CommandError(str(problem)) from problem
                self.stderr.write(f"{problem}. Trying again in {_AGAIN // 60} minutes.")
                time.sleep(_AGAIN)
            else:
                break
        if options["keep_trying"] and is_new and embeds():
            call_command("embed_rules", stdout=self.stdout)
