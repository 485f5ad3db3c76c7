"""manage.py benchmark names|extraction|retrieval|plans: how long each takes on the loaded data, and by which plans."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, override

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from calls.adapters.extractor import LocalExtractor
from calls.adapters.resolver import DatabaseResolver
from calls.evaluation import plans, speed
from cards.models import Card
from eval.gold import read_gold
from eval.names import read_names
from eval.reading import BadSet
from judge.values import CardSpan, Question

WARM_UP = 5  # tries before the clock counts: connections, plans, word lists
DEFAULTS = {"names": "names.yaml", "extraction": "gold.yaml", "retrieval": "gold.yaml", "plans": "gold.yaml"}
MEASURED = {"retrieval": speed.run, "plans": plans.run}
UNITS = {"names": "spans resolved", "extraction": "questions read"}

Try = Callable[[], object]


class Command(BaseCommand):
    help = "Times the resolver over names, or extraction or retrieval over questions; or prints the queries' plans."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("subject", choices=sorted(DEFAULTS))
        parser.add_argument("--cases", "--questions", type=Path, help="the file of name cases or of questions (eval/)")
        parser.add_argument("--rounds", type=int, default=3, help="how often each is tried; retrieval: once")
        parser.add_argument("--calls", type=int, default=0, help="retrieval, plans: made-up calls meanwhile")

    @override
    def handle(self, *_args: Any, **options: Any) -> None:
        subject: str = options["subject"]
        file: Path = options["cases"] or Path(settings.BASE_DIR) / "eval" / DEFAULTS[subject]
        if subject in MEASURED:
            MEASURED[subject](file, options["calls"], self.stdout)
            return
        tries = _tries(subject, file)
        for each in tries[:WARM_UP]:
            each()
        taken = sorted(_milliseconds(each) for _ in range(max(1, options["rounds"])) for each in tries)
        for share in (50, 95, 99):
            self.stdout.write(f"p{share} {taken[min(len(taken) - 1, len(taken) * share // 100)]:.1f} ms")
        self.stdout.write(f"{len(taken)} {UNITS[subject]}, the slowest in {taken[-1]:.1f} ms")


def _tries(subject: str, file: Path) -> Sequence[Try]:
    """What is timed, a call each. Raises CommandError for a file that cannot be read, or where no cards are loaded."""
    try:
        tries = _of_names(file) if subject == "names" else _of_questions(file)
    except BadSet as error:
        raise CommandError(str(error)) from None
    if not Card.objects.exists():
        raise CommandError("No cards are loaded yet; run ingest_cards first.")
    return tries


def _of_names(file: Path) -> Sequence[Try]:
    resolver = DatabaseResolver()
    return [partial(resolver.resolve, [CardSpan(case.span, exact=case.bracketed)]) for case in read_names(file)]


def _of_questions(file: Path) -> Sequence[Try]:
    extractor = LocalExtractor()
    return [partial(extractor.extract, Question(text=gold.question, history=gold.history)) for gold in read_gold(file)]


def _milliseconds(each: Try) -> float:
    started = time.perf_counter()
    each()
    return (time.perf_counter() - started) * 1000
