"""`manage.py evaluate model`: a question set through the configured model, its prompts and its validation.

The model sees the questions and never the known answers. `evaluate grade` holds what it said against them; both write
files under eval/runs that can be compared and graded again.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import connections

from calls.evaluation.recall import EVAL, Output
from calls.model_wiring import config
from calls.wiring import corpus, judge
from eval.gold import GoldQuestion, read_gold
from eval.reading import BadSet
from eval.run_files import BadRun, Figures, RunInfo, RunRow, figures, read_run, write_run
from judge.failures import Failure
from judge.languages import language_of
from judge.pipeline import Judge
from judge.ports import Extractor
from judge.replies import AmbiguousCards, Answered, CardsNotFound, Extractive, Failed, OutOfScope, Reply
from judge.values import Extraction, Question, RuleCitation
from llm.config_faults import CHAT_STAGES
from llm.prompting import digest

RUNS = EVAL / "runs"
_PROMPTS = ("extract", "extract_retry", "synthesize", "lookup_tool", "lookup", "retry")


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `evaluate model`."""
    parser.add_argument("--gold", type=Path, default=EVAL / "gold.yaml", help="the question set (%(default)s)")
    parser.add_argument("--name", required=True, help="the run's name: the file is eval/runs/NAME.jsonl")
    parser.add_argument("--only", nargs="*", metavar="ID", help="these questions only")
    parser.add_argument("--workers", type=int, default=4, help="questions asked at once (%(default)s)")
    parser.add_argument("--again", action="store_true", help="ask every question again, also those the file has")


def run(options: Mapping[str, Any], stdout: Output) -> int:
    """Asks, writes the file after every answer, prints the figures. A run that was stopped goes on where it was."""
    if config().stage("synth") is None:
        raise CommandError("No model is set up to answer; `manage.py config` says what is.")
    questions = every_question(options["gold"])
    file = RUNS / f"{options['name']}.jsonl"
    rows = {} if options["again"] or not file.exists() else _read(file)[1]
    wanted = [each for each in questions if each.id not in rows and (not options["only"] or each.id in options["only"])]
    info = _info(options)
    with ThreadPoolExecutor(max(1, options["workers"])) as pool:
        for done in as_completed([pool.submit(_asked, each) for each in wanted]):
            row = done.result()
            rows[row.id] = row
            write_run(file, info, (rows[each.id] for each in questions if each.id in rows))
            stdout.write(f"{len(rows)}/{len(questions)} {row.id}: {row.reply} ({row.seconds:.0f} s)")
    for line in table(figures(questions, rows)):
        stdout.write(line)
    return 0


def every_question(file: Path) -> tuple[GoldQuestion, ...]:
    """Every question of *file*, those to be declined too. Raises CommandError."""
    try:
        return read_gold(file)
    except BadSet as error:
        raise CommandError(str(error)) from None


def _read(file: Path) -> tuple[RunInfo, dict[str, RunRow]]:
    try:
        return read_run(file)
    except BadRun as error:
        raise CommandError(str(error)) from None


def _info(options: Mapping[str, Any]) -> RunInfo:
    edition = corpus().state().edition
    models = {name: stage.model for name in CHAT_STAGES if (stage := config().stage(name)) is not None}
    return RunInfo(
        name=options["name"],
        gold=options["gold"].name,
        models=models,
        prompts={name: digest(name).sha256 for name in _PROMPTS},
        edition="" if edition is None else edition.isoformat(),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


@dataclass
class _Kept:
    """An extractor that remembers what it read, and a failure store that keeps the failures of one question."""

    extractor: Extractor
    extraction: Extraction | None = None
    failures: list[Failure] = field(default_factory=list)

    def extract(self, question: Question, cancel: Any = None) -> Extraction:
        self.extraction = self.extractor.extract(question, cancel)
        return self.extraction

    def keep(self, question: Question, failure: Failure) -> None:  # noqa: ARG002  # it keeps those of one
        self.failures.append(failure)


def _asked(gold: GoldQuestion) -> RunRow:
    """What becomes of *gold*, asked as any door asks; nothing is stored."""
    try:
        kept = _Kept(judge().extractor)
        asked: Judge = replace(judge(), store=None, extractor=kept, failures=kept)
        began = time.monotonic()
        reply = asked.answer(Question(text=gold.question, history=gold.history, door="evaluation"))
        return _row(gold, reply, kept, time.monotonic() - began)
    finally:
        connections.close_all()


def _row(gold: GoldQuestion, reply: Reply, kept: _Kept, seconds: float) -> RunRow:
    row = RunRow(
        id=gold.id,
        reply=_KINDS[type(reply)],
        extraction=None if kept.extraction is None else _extraction(kept.extraction),
        rejected=tuple(reason for failure in kept.failures for reason in failure.rejections),
        seconds=round(seconds, 1),
    )
    match reply:
        case Answered() | Extractive():
            return _answered(row, reply)
        case AmbiguousCards():
            return replace(row, spans=tuple(each.span.text for each in reply.spans))
        case CardsNotFound():
            return replace(row, spans=tuple(span.text for span in reply.spans))
        case Failed():
            return replace(row, reason=reply.reason)
    return row


_KINDS: dict[type, str] = {
    Answered: "answer",
    Extractive: "extractive",
    AmbiguousCards: "ambiguous",
    CardsNotFound: "not_found",
    OutOfScope: "out_of_scope",
    Failed: "error",
}


def _answered(row: RunRow, reply: Answered | Extractive) -> RunRow:
    cited = reply.verdict.citations
    others = [type(one).__name__ for one in cited if not isinstance(one, RuleCitation)]
    told = reply.transcript if isinstance(reply, Answered) else None
    return replace(
        row,
        answer=reply.verdict.answer if isinstance(reply, Answered) else "",  # an extractive one is all quotes
        confidence=reply.verdict.confidence.value,
        language=language_of(reply.verdict.answer),
        rules=tuple(one.id for one in cited if isinstance(one, RuleCitation)),
        sources={name: others.count(name) for name in sorted(set(others))},
        doubtful=len(reply.doubtful) if isinstance(reply, Answered) else 0,
        reason="" if isinstance(reply, Answered) else reply.reason,
        looked_up=tuple(told.looked_up) if told else (),
        shown=tuple(rule.id for rule in reply.context.rules),
        requests=len(told.rounds) if told else 0,
    )


def _extraction(extraction: Extraction) -> dict[str, Any]:
    """As eval/extractions.json has it."""
    told = asdict(extraction)
    return {
        "spans": [span.text for span in extraction.spans],
        "question_en": extraction.question_en,
        "concepts": list(extraction.concepts),
        "categories": [extraction.primary, *extraction.secondary],
        "sections": list(extraction.sections),
        "source": told["source"].value,
        "answer_language": extraction.answer_language,
    }


def table(found: Figures) -> Iterator[str]:
    """*found* as lines to read."""
    yield f"{found.n} questions"
    rows: Sequence[tuple[str, float | None]] = (
        ("verdicts right", found.verdicts),
        ("all decisive rules cited", found.cited),
        ("right and all cited", found.both),
        ("false premises corrected", found.premises),
        ("answered by the model", found.model),
        ("replies of the right kind", found.replies),
        ("declined that should be", found.declined),
        ("asked which card", found.asked),
        ("answer in the asker's language", found.language),
    )
    for name, value in rows:
        yield f"{name:32} {'-' if value is None else f'{value:.1%}'}"
    yield f"{'first drafts rejected':32} {found.rejected}"
    yield f"{'answers with a doubtful claim':32} {found.doubtful}"
    yield f"{'seconds a question':32} {found.seconds:.1f}"
