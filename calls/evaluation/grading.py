"""`manage.py evaluate grade`: holds the answers of a run against the known ones, by a model that grades."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandError
from django.db import connections

from calls.evaluation.model_answers import RUNS, every_question, table
from calls.evaluation.recall import EVAL, Output
from calls.model_wiring import chat
from eval.gold import GoldQuestion
from eval.run_files import BadRun, RunRow, all_cited, expected_reply, figures, read_run, write_run
from judge.errors import ProviderError
from llm.backends import Chat
from llm.grading import Known, grade


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `evaluate grade`."""
    parser.add_argument("name", help="the run: eval/runs/NAME.jsonl")
    parser.add_argument("--workers", type=int, default=4, help="answers graded at once (%(default)s)")
    parser.add_argument("--again", action="store_true", help="grade what is graded already")
    parser.add_argument("--show", action="store_true", help="only print the figures and what went wrong")


def run(options: Mapping[str, Any], stdout: Output) -> int:
    """Grades, writes the grades into the run's file, prints the figures and what is wrong."""
    file = RUNS / f"{options['name']}.jsonl"
    try:
        info, rows = read_run(file)
    except BadRun as error:
        raise CommandError(str(error)) from None
    questions = every_question(EVAL / info.gold)
    if not options["show"]:
        grader = chat("verify") or chat("synth")
        if grader is None:
            raise CommandError("No model is set up to grade; `manage.py config` says what is.")
        wanted = [each for each in questions if _to_grade(each, rows.get(each.id), again=options["again"])]
        with ThreadPoolExecutor(max(1, options["workers"])) as pool:
            for made in pool.map(lambda each: _graded(grader, each, rows[each.id]), wanted):
                rows[made.id] = made
                write_run(file, info, (rows[each.id] for each in questions if each.id in rows))
    for line in table(figures(questions, rows)):
        stdout.write(line)
    for question in questions:
        if (row := rows.get(question.id)) and (wrong := _wrong(question, row)):
            stdout.write(f"{question.id}: {wrong}")
    return 0


def _to_grade(question: GoldQuestion, row: RunRow | None, *, again: bool) -> bool:
    if row is None or expected_reply(question) != "answer":
        return False
    return again or row.graded is None


def _graded(grader: Chat, question: GoldQuestion, row: RunRow) -> RunRow:
    """*row* with its grade. An answer that is none is wrong without asking; a grader that fails leaves it ungraded."""
    if row.reply != "answer":
        return replace(row, graded=False, grade_reason=f"no model answered: {row.reply}")
    known = Known(question.question, question.answer, question.key)
    try:
        found = grade(grader, known, row.answer)
    except ProviderError as error:
        return replace(row, graded=None, grade_reason=str(error))
    finally:
        connections.close_all()
    return replace(row, graded=found.agrees, grade_reason=found.why)


def _wrong(question: GoldQuestion, row: RunRow) -> str:
    if row.reply != expected_reply(question):
        return f"{row.reply} where {expected_reply(question)} was right {row.reason}".rstrip()
    if expected_reply(question) != "answer":
        return ""
    faults = []
    if row.graded is False:
        faults.append(f"graded wrong: {row.grade_reason}")
    if question.expected and not all_cited(question, row):
        wanted = ", ".join(" or ".join(entry) for entry in question.expected)
        faults.append(f"cites {', '.join(row.rules) or 'no rule'}, not all of {wanted}")
    return "; ".join(faults)
