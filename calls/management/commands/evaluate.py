"""manage.py evaluate <what>: measures the judge against question sets with known answers."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any, override

from django.core.management.base import BaseCommand

from calls.evaluation import answers, extraction, grading, model_answers, names, recall, recording

SUBJECTS = {
    "recall": recall,
    "answers": answers,
    "model": model_answers,
    "grade": grading,
    "record": recording,
    "names": names,
    "extraction": extraction,
}


class Command(BaseCommand):
    help = "Measures the judge; the exit code is not 0 when a gate is missed."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        subjects = parser.add_subparsers(dest="subject", required=True)
        for name, module in SUBJECTS.items():
            module.add_arguments(subjects.add_parser(name, help=module.__doc__))

    @override
    def handle(self, *_args: Any, **options: Any) -> None:
        if code := SUBJECTS[options["subject"]].run(options, self.stdout):
            sys.exit(code)
