"""Loads what may come in behind: printed names, other languages, older editions."""

from __future__ import annotations

from typing import Any, override

from django.core.management.base import BaseCommand, CommandError

from calls.setup import DataMissing, load_rest
from judgesite.preparing import origins


class Command(BaseCommand):
    help = "Loads printed names, names in other languages and older editions of the rules; `start` does it by itself."

    @override
    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            load_rest(origins(), self.stdout.write)
        except DataMissing as problem:
            raise CommandError(str(problem)) from problem
