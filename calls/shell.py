"""A question in a shell, whoever answers it: the options, the person's picks, the output, the exit code.

Knows no Django, so that a question put to a judge that is already running need not load it (D37).
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from calls.terminal import Output, print_reply
from judge.values import Pin

if TYPE_CHECKING:
    from calls.presentation import ReplyObject, SpanObject

Ask = Callable[[str, Sequence[Pin], bool], "ReplyObject"]
"""Answers a text with the picks made for it; the last argument: whether it is private."""

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
HELP = (
    "Answers a rules question. Exit code: 0 answered, 1 failed, 2 the question cannot be read, "
    "3 which card is meant is open, 4 no such card, 5 declined, 6 busy."
)


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ask`."""
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


def converse(options: Mapping[str, Any], ask: Ask, out: Output) -> int:
    """Prints what *ask* answers to the question in *options* and gives the exit code; raises what *ask* raises.

    With a person at the terminal an open name is asked back, and the question asked again with the pick.
    """
    text = question_in(options)
    interactive = not options["json"] and sys.stdin.isatty() and out.isatty()
    pins = list(options["pin"])
    while True:
        shown = ask(text, pins, options["private"])
        picked = _picks(shown, out) if interactive and shown["kind"] == "ambiguous" else []
        if not picked:
            break
        pins += picked
    if options["json"]:
        out.write(json.dumps(shown, ensure_ascii=False, indent=2) + "\n")
    else:
        print_reply(shown, out)
    return EXIT[shown["kind"]]


def question_in(options: Mapping[str, Any]) -> str:
    """The words of the command line, or standard input's where they are "-"."""
    text = " ".join(options["question"])
    return sys.stdin.buffer.read().decode("utf-8", "replace") if text == "-" else text


def _picks(shown: ReplyObject, out: Output) -> list[Pin]:
    return [pin for span in shown["spans"] if (pin := _picked(span, out))]


def _picked(span: SpanObject, out: Output) -> Pin | None:
    """The card the person at the terminal picks for *span*; None to leave it open."""
    candidates = span["candidates"]
    out.write(f"Which card is “{span['span']}”?\n")
    for number, candidate in enumerate(candidates, start=1):
        out.write(f"  {number}. {candidate['name']}\n")
    try:
        answer = input("Number, or Enter for none: ").strip()
    except EOFError:
        return None
    if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(candidates):
        return Pin(span["span"], candidates[int(answer) - 1]["name"])
    return None


def _pin(text: str) -> Pin:
    """The pin in "bob=Dark Confidant"; argparse words the error."""
    span, equals, name = text.partition("=")
    if not equals or not span.strip() or not name.strip():
        raise ArgumentTypeError(f'{text[:80]!r} is no pick; write it as "bob=Dark Confidant"')
    return Pin(span.strip(), name.strip())
