"""manage.py benchmark names: how long resolving a span takes on the loaded data."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, override

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from calls.adapters.resolver import DatabaseResolver
from eval.names import BadNames, read_names
from judge.values import CardSpan

WARM_UP = 5  # spans resolved before the clock counts: connections, plans


class Command(BaseCommand):
    help = "Times the resolver over the spans of a file of name cases, one span at a time."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("subject", choices=["names"])
        parser.add_argument("--cases", type=Path, default=Path(settings.BASE_DIR) / "eval" / "names.yaml")
        parser.add_argument("--rounds", type=int, default=3, help="how often each span is resolved (%(default)s)")

    @override
    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            spans = [CardSpan(case.span, exact=case.bracketed) for case in read_names(options["cases"])]
        except BadNames as error:
            raise CommandError(str(error)) from None
        resolver = DatabaseResolver()
        for span in spans[:WARM_UP]:
            resolver.resolve([span])
        taken = sorted(_milliseconds(resolver, span) for _ in range(max(1, options["rounds"])) for span in spans)
        for share in (50, 95, 99):
            self.stdout.write(f"p{share} {taken[min(len(taken) - 1, len(taken) * share // 100)]:.1f} ms")
        self.stdout.write(f"{len(taken)} spans resolved, the slowest in {taken[-1]:.1f} ms")


def _milliseconds(resolver: DatabaseResolver, span: CardSpan) -> float:
    started = time.perf_counter()
    resolver.resolve([span])
    return (time.perf_counter() - started) * 1000
