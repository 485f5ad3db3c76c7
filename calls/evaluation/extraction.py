"""`manage.py evaluate extraction`: the cards, source and language read out of questions without a model."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from calls.adapters.extractor import LocalExtractor
from calls.adapters.resolver import DatabaseResolver
from calls.evaluation.recall import Output
from cards.models import Card
from eval.extraction import Reading, Score, score
from eval.gold import GoldQuestion, read_gold
from eval.reading import BadSet
from judge.ports import Extractor, Resolver
from judge.questions import brackets
from judge.values import Ambiguous, NotFound, Question, Resolved

GATES = {"precision": 0.95, "recall": 0.9}  # of cards; a wrong card is worse than a missed one


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `evaluate extraction`."""
    folder = Path(settings.BASE_DIR) / "eval"
    default = [folder / "gold.yaml", folder / "gold_fresh.yaml"]
    parser.add_argument("--gold", type=Path, nargs="+", default=default, help="the question sets")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    parser.add_argument("--misses", action="store_true", help="list what was read wrongly")


def run(options: Mapping[str, Any], stdout: Output) -> int:
    """Prints the figures and gives the exit code: 1 under a gate. Raises CommandError for what cannot be run."""
    try:
        questions = [each for file in options["gold"] for each in read_gold(file)]
    except BadSet as error:
        raise CommandError(str(error)) from None
    if not Card.objects.exists():
        raise CommandError("No cards are loaded yet; run ingest_cards first.")
    extractor, resolver = LocalExtractor(), DatabaseResolver()
    readings = [read(question, extractor, resolver) for question in questions]
    figures = score(readings)
    for line in _json(figures) if options["json"] else _table(figures):
        stdout.write(line)
    if options["misses"]:
        for line in _misses(readings):
            stdout.write(line)
    return int(figures.precision < GATES["precision"] or figures.recall < GATES["recall"])


def read(gold: GoldQuestion, extractor: Extractor, resolver: Resolver) -> Reading:
    """What the judge reads out of *gold* before it looks for rules."""
    question = Question(text=gold.question, history=gold.history)
    extraction = extractor.extract(question)
    spans = {span.text: span for span in (*brackets(question), *extraction.spans)}
    resolutions = resolver.resolve(tuple(spans.values()))
    return Reading(
        gold,
        frozenset(each.card.name for each in resolutions if isinstance(each, Resolved)),
        asks=any(isinstance(each, Ambiguous) for each in resolutions),
        misses=any(isinstance(each, NotFound) and each.span.sure for each in resolutions),
        source=extraction.source,
        language=extraction.answer_language,
    )


def _json(figures: Score) -> Iterator[str]:
    yield json.dumps(
        {
            "n": figures.n,
            "precision": figures.precision,
            "recall": figures.recall,
            "wrong_cards": figures.wrong,
            "source": figures.source,
            "language": figures.language,
            "replies": figures.replies,
        }
    )


def _table(figures: Score) -> Iterator[str]:
    yield f"{figures.n} questions"
    yield f"cards      precision {figures.precision:.1%}, recall {figures.recall:.1%}, wrong {figures.wrong}"
    yield f"source     {figures.source:.1%} right"
    yield f"language   {figures.language:.1%} right"
    yield f"replies    {figures.replies:.1%} of questions end in the reply kind they should"


def _misses(readings: Sequence[Reading]) -> Iterator[str]:
    for reading in readings:
        if problems := reading.problems:
            yield f"{reading.question.id}: {'; '.join(problems)}"
