"""Asks the judge in the terminal."""

from __future__ import annotations

import json
import sys
from typing import Any, override

from django.core.management.base import BaseCommand, CommandError, CommandParser

from calls.asking import Asked, ask, ground
from calls.presentation import ReplyObject, SpanObject, reply_object
from calls.terminal import print_reply
from judge.errors import InvalidQuestion
from judge.values import Pin

EXIT = {
    "answer": 0,
    "extractive": 0,
    "error": 1,
    "ambiguous": 3,
    "not_found": 4,
    "out_of_scope": 5,
    "busy": 6,
    "rate_limited": 6,
}
_BAD_INPUT = 2  # as argparse has it


class Command(BaseCommand):
    help = (
        "Answers a rules question. Exit code: 0 answered, 1 failed, 2 the question cannot be read, "
        "3 which card is meant is open, 4 no such card, 5 declined, 6 busy."
    )
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("question", nargs="+", help='in plain words; "-" reads it from standard input')
        parser.add_argument("--json", action="store_true", help="print the very object POST /api/judge returns")
        parser.add_argument("--private", action="store_true", help="do not keep the question")
        parser.add_argument(
            "--pin",
            action="append",
            default=[],
            type=_pin,
            metavar="SPAN=NAME",
            help='what an ambiguous name means: --pin "bob=Dark Confidant"',
        )

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        text = " ".join(options["question"])
        if text == "-":
            text = sys.stdin.buffer.read().decode("utf-8", "replace")
        interactive = not options["json"] and sys.stdin.isatty() and self.stdout.isatty()
        shown = self._asked(text, options["pin"], private=options["private"], interactive=interactive)
        if options["json"]:
            self.stdout.write(json.dumps(shown, ensure_ascii=False, indent=2))
        else:
            print_reply(shown, self.stdout)
        if code := EXIT[shown["kind"]]:
            sys.exit(code)

    def _asked(self, text: str, pins: list[Pin], *, private: bool, interactive: bool) -> ReplyObject:
        """The reply, asked again with the person's picks while there is somebody to ask."""
        while True:
            try:
                reply = ask(Asked(text=text, door="cli", asker=None, pins=pins, private=private))
            except InvalidQuestion as error:
                raise CommandError(str(error), returncode=_BAD_INPUT) from None
            shown = reply_object(reply, ground())
            if not interactive or shown["kind"] != "ambiguous":
                return shown
            picked = [pin for span in shown["spans"] if (pin := self._picked(span))]
            if not picked:
                return shown
            pins = [*pins, *picked]

    def _picked(self, span: SpanObject) -> Pin | None:
        """The card the person at the terminal picks for *span*; None to leave it open."""
        candidates = span["candidates"]
        self.stdout.write(f"Which card is “{span['span']}”?")
        for number, candidate in enumerate(candidates, start=1):
            self.stdout.write(f"  {number}. {candidate['name']}")
        try:
            answer = input("Number, or Enter for none: ").strip()
        except EOFError:
            return None
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(candidates):
            return Pin(span["span"], candidates[int(answer) - 1]["name"])
        return None


def _pin(text: str) -> Pin:
    """The pin in "bob=Dark Confidant"; argparse words the error."""
    from argparse import ArgumentTypeError

    span, equals, name = text.partition("=")
    if not equals or not span.strip() or not name.strip():
        raise ArgumentTypeError(f'{text[:80]!r} is no pick; write it as "bob=Dark Confidant"')
    return Pin(span.strip(), name.strip())
