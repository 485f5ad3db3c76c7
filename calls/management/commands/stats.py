"""`manage.py stats`: questions, spend, retries and rejections of the last days."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any, override

from django.core.management.base import BaseCommand, CommandError

from calls.model_wiring import config, ledger
from calls.statistics import lines, statistics
from llm.config_faults import BadConfig


class Command(BaseCommand):
    help = "Prints what was asked and what it cost."
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=int, default=7, help="days to look back, today among them (%(default)s)")
        parser.add_argument("--json", action="store_true", help="print as JSON, money in microdollars")

    @override
    def handle(self, **options: Any) -> None:
        if not 1 <= options["days"] <= 366:
            raise CommandError("--days has to be between 1 and 366.")
        try:
            found = statistics(options["days"], ledger(config()).cap)
        except BadConfig as error:
            raise CommandError(str(error), returncode=2) from None
        if options["json"]:
            self.stdout.write(json.dumps(found.json(), indent=2))
            return
        for line in lines(found):
            self.stdout.write(line)
