"""`manage.py evaluate names`: whether spans become the right card, an offer, or nothing, and never a wrong card.

A case is judged as the judge would: unless in brackets, the span first has to be used as a name in its text. Which
cases are mentions is never looked at.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, assert_never

from django.conf import settings
from django.core.management.base import CommandError

from calls.adapters.extractor import means_card
from calls.adapters.names import Table, names_called
from calls.adapters.resolver import DatabaseResolver
from calls.evaluation.recall import Output
from cards.models import Card
from eval.names import NameCase, NameResult, NameScore, by_note, read_names, score
from eval.reading import BadSet
from judge.folding import fold_name
from judge.ports import Resolver
from judge.values import Ambiguous, CardSpan, NotFound, Resolved

GATE = 0.97  # the least part of the cases that has to be right, and no wrong card; DESIGN 7


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `evaluate names`."""
    default = Path(settings.BASE_DIR) / "eval" / "names.yaml"
    parser.add_argument("--cases", type=Path, default=default, help="the file of cases (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")


def run(options: Mapping[str, Any], stdout: Output) -> int:
    """Prints the figures and gives the exit code: 1 under the gate. Raises CommandError for what cannot be run."""
    try:
        cases = read_names(options["cases"])
    except BadSet as error:
        raise CommandError(str(error)) from None
    if not Card.objects.exists():
        raise CommandError("No cards are loaded yet; run ingest_cards first.")
    resolver = DatabaseResolver()
    results = [outcome(case, resolver) for case in cases]
    figures = score(results)
    for line in _json(figures) if options["json"] else _table(figures, results):
        stdout.write(line)
    return int(not figures.passes(GATE))


def outcome(asked: NameCase, resolver: Resolver) -> NameResult:
    """What *asked* comes to."""
    if not asked.bracketed and not means_card(asked.text, asked.span):
        return NameResult(asked, "notfound")
    (resolution,) = resolver.resolve([CardSpan(asked.span, exact=asked.bracketed)])
    match resolution:
        case Resolved(card=card):
            same = card.name not in asked.cards and any(_names(name, card.id) for name in asked.cards)
            return NameResult(asked, "resolved", asked.cards if same else (card.name,))
        case Ambiguous(candidates=candidates):
            return NameResult(asked, "ambiguous", tuple(card.name for card in candidates))
        case NotFound():
            return NameResult(asked, "notfound")
        case _:
            assert_never(resolution)


def _names(name: str, card: object) -> bool:
    """Whether *name* is an English name the card was printed under: two names of one card are one card (CR 201.3)."""
    folded = fold_name(name)
    called = [each for each in names_called([folded]) if each.folded == folded and each.lang == "en"]
    wholly = [each for each in called if each.table is Table.CARD]
    return not wholly and any(each.table is Table.PRINTED and each.card == card for each in called)


def _json(figures: NameScore) -> Iterator[str]:
    yield json.dumps(
        {"n": figures.n, "right": figures.right, "wrong_card": figures.wrong_card, "misses": list(figures.misses)}
    )


def _table(figures: NameScore, results: Sequence[NameResult]) -> Iterator[str]:
    for note, (right, n) in by_note(results).items():
        yield f"{right:>4} of {n:<4} {note}"
    yield f"{figures.right} of {figures.n} right ({figures.share:.1%}), wrong cards taken: {figures.wrong_card}"
    for result in results:
        if not result.is_right:
            case = result.case
            wanted, got = ", ".join(case.cards), ", ".join(result.cards)
            yield f"{case.id} “{case.span}”: expected {case.expect} {wanted}; got {result.outcome} {got}"
