"""Loads all there is, embedded, and ends."""

from __future__ import annotations

from typing import Any, override

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from calls.model_wiring import embeds
from calls.setup import DataMissing, load_rest
from judgesite.preparing import origins, prepare


class Command(BaseCommand):
    help = "Loads the data, what may come in behind included, and embeds the rules; `start` does it while it serves."

    @override
    def handle(self, *_args: Any, **_options: Any) -> None:
        prepare()
        try:
            load_rest(origins(), self.stderr.write)
        except DataMissing as problem:
            raise CommandError(str(problem)) from problem
        if embeds():
            call_command("embed_rules", stdout=self.stderr)
