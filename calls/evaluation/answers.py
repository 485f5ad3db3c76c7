"""`manage.py evaluate answers`: how much of what decides each question an answer without a model quotes."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from calls.adapters.resolver import DatabaseResolver
from calls.adapters.retriever import PostgresRetriever
from calls.evaluation import recall
from calls.evaluation.recall import EVAL, EXTRACTORS, Output
from eval.answers import AnswerScore, Quoted, score
from eval.gold import GoldQuestion
from judge.extractive import NothingToQuote, extract_answer
from judge.ports import Resolver, Retriever
from judge.values import Extraction, Question, RuleCitation
from judge.verdict import validate


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `evaluate answers`."""
    parser.add_argument("--gold", type=Path, default=EVAL / "gold.yaml", help="the question set (%(default)s)")
    parser.add_argument("--extractor", choices=EXTRACTORS, default="local", help="where concepts and cards come from")
    parser.add_argument(
        "--extractions", type=Path, default=EVAL / "extractions.json", help="the recorded extractions (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    parser.add_argument("--misses", action="store_true", help="list what was not quoted, and what was")
    parser.add_argument("--min-quoted", type=float, default=0.0, help="fail below this fraction of decisive rules")


def run(options: Mapping[str, Any], stdout: Output) -> int:
    """Prints the figures and gives the exit code: 1 under the gate. Raises CommandError for what cannot be run."""
    questions = recall.questions_of(options["gold"])
    embedder = recall.embedder_of_settings()
    extract = recall.extraction_by(options, questions, embedder)
    answers = [answer(each, extract, DatabaseResolver(), PostgresRetriever(embedder)) for each in questions]
    figures = score(answers)
    for line in _json(figures) if options["json"] else _table(figures):
        stdout.write(line)
    if options["misses"]:
        for line in _misses(answers):
            stdout.write(line)
    return int(figures.quoted < options["min_quoted"])


def answer(
    gold: GoldQuestion,
    extract: Callable[[GoldQuestion, Question], Extraction],
    resolver: Resolver,
    retriever: Retriever,
) -> Quoted:
    """The rule quotes of the extractive answer to *gold*, checked like any answer's; none where nothing fits."""
    question = Question(text=gold.question, history=gold.history)
    extraction = extract(gold, question)
    context = recall.judge(gold, lambda *_: extraction, resolver, retriever).retrieved.context
    raw = extract_answer(question, extraction, context)
    if isinstance(raw, NothingToQuote):
        return Quoted(gold, (), context)
    cited = validate(raw, context, extraction.source).citations
    return Quoted(gold, tuple(one for one in cited if isinstance(one, RuleCitation)), context)


def _json(figures: AnswerScore) -> Iterator[str]:
    yield json.dumps(
        {
            "n": figures.n,
            "decisive": figures.decisive,
            "quoted": figures.quoted,
            "none": figures.none,
            "quotes": figures.quotes,
        }
    )


def _table(figures: AnswerScore) -> Iterator[str]:
    none = figures.none / figures.n if figures.n else 0.0
    yield f"{figures.n} questions, {figures.decisive} decisive rules"
    yield f"quoted     {figures.quoted:.1%} of the decisive rules"
    yield f"none       {none:.1%} of the questions ({figures.none}) have no decisive rule quoted"
    yield f"quotes     {figures.quotes:.1f} rule quotes an answer"


def _misses(answers: Sequence[Quoted]) -> Iterator[str]:
    """Every decisive rule that is not quoted, beside what is."""
    for each in answers:
        if each.missed:
            wanted = ", ".join(" or ".join(entry) for entry in each.missed)
            quoted = ", ".join(one.id for one in each.quotes) or "nothing"
            yield f"{each.question.id}: {wanted} missing; {quoted} quoted"
