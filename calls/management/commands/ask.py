"""Asks the judge in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, override

from django.core.management.base import BaseCommand, CommandError, CommandParser

from calls import shell
from calls.asking import Asked, ask, ground
from calls.model_wiring import config
from calls.presentation import ReplyObject, reply_object
from judge.errors import InvalidQuestion
from judge.values import Pin
from llm.config_faults import BadConfig

_BAD_INPUT = 2  # as argparse has it


class Command(BaseCommand):
    help = shell.HELP
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        shell.add_arguments(parser)

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        try:
            config()
            code = shell.converse(options, _answered, self.stdout)
        except (InvalidQuestion, BadConfig) as error:
            raise CommandError(str(error), returncode=_BAD_INPUT) from None
        if code:
            sys.exit(code)


def _answered(text: str, pins: Sequence[Pin], private: bool) -> ReplyObject:
    return reply_object(ask(Asked(text=text, door="cli", asker=None, pins=pins, private=private)), ground())
