"""`manage.py config`: which model does what here, what it may cost, and what is missing."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any, override

from django.core.management.base import BaseCommand, CommandError

from calls.model_wiring import config
from calls.showing_config import config_object, lines, probes
from llm.config_faults import BadConfig


class Command(BaseCommand):
    help = "Prints the resolved set-up with secrets hidden; --probe sends one small request to every model."
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--probe", action="store_true", help="ask every model for one token, within the cap")
        parser.add_argument("--json", action="store_true", help="print as JSON")

    @override
    def handle(self, **options: Any) -> None:
        try:
            given = config()
        except BadConfig as error:
            raise CommandError(str(error), returncode=2) from None
        probed = probes(given) if options["probe"] else []
        if options["json"]:
            self.stdout.write(json.dumps(config_object(given) | {"probes": [each.json() for each in probed]}, indent=2))
        else:
            for line in (*lines(given), *map(str, probed)):
                self.stdout.write(line)
        if any(not each.is_fine for each in probed):
            sys.exit(1)
