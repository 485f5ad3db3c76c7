"""Runs of a question set through a model: what came back, kept in files that can be compared and graded again.

A file is JSON lines: one about the run, then one a question. It carries the answers' prose and what they cite, never
the quotes themselves, as those are not ours to publish; the program that ran it has checked every one of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from eval.gold import GoldQuestion
from judge.errors import InvalidRuleId
from judge.values import RuleId, covers, parse_rule_id

# The reply a question of that kind ought to get; every other kind is to be answered.
_REPLIES = {
    "tournament": "out_of_scope",
    "offtopic": "out_of_scope",
    "ambiguous": "ambiguous",
    "notfound": "not_found",
}


class BadRun(ValueError):
    """A file of a run cannot be read; the message says which and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """What a run was made with. prompts: sha256 by name; edition: effective date of the rules."""

    name: str
    gold: str
    models: Mapping[str, str]  # by stage
    prompts: Mapping[str, str]
    edition: str
    started: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """What became of one question.

    reply: answer, extractive, ambiguous, not_found, out_of_scope or error. rules: every rule cited. sources: other
    citations by kind. rejected: why a first draft was not let through. graded: whether the answer agrees with the
    known one, None before grading.
    """

    id: str
    reply: str
    answer: str = ""
    confidence: str = ""
    language: str = ""
    rules: tuple[str, ...] = ()
    sources: Mapping[str, int] = field(default_factory=dict)
    spans: tuple[str, ...] = ()
    doubtful: int = 0
    reason: str = ""
    rejected: tuple[str, ...] = ()
    looked_up: tuple[str, ...] = ()
    extraction: Mapping[str, Any] | None = None
    shown: tuple[str, ...] = ()
    seconds: float = 0.0
    microdollars: int = 0
    requests: int = 0
    graded: bool | None = None
    grade_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Fractions in [0, 1] of the questions they are about; None where there is no such question or nothing is graded.

    verdicts: graded right, of the questions to be answered. cited: all decisive rules cited, of those that have any.
    both: right and all cited. premises: false premises graded right. replies: ended in the kind of reply they should.
    model: answered by the model and not by the fallback. quotes: answers let through, all of whose quotes are valid by
    construction; rejected counts the first drafts that were not.
    """

    n: int
    verdicts: float | None
    cited: float | None
    both: float | None
    premises: float | None
    replies: float | None
    model: float | None
    language: float | None
    declined: float | None
    asked: float | None
    rejected: int
    doubtful: int
    seconds: float
    microdollars: int


def expected_reply(question: GoldQuestion) -> str:
    """The kind of reply *question* ought to get."""
    return _REPLIES.get(question.kind, "answer")


def all_cited(question: GoldQuestion, row: RunRow) -> bool:
    """Whether every decisive rule of *question* is cited: any one of each entry; leaf and parent cover each other."""
    cited = [rule for text in row.rules if (rule := _rule(text)) is not None]
    return all(any(covers(rule, one) for rule in entry for one in cited) for entry in question.expected)


def figures(questions: Sequence[GoldQuestion], rows: Mapping[str, RunRow]) -> Figures:
    """The figures of *rows* over those of *questions* that were run."""
    pairs = [(question, rows[question.id]) for question in questions if question.id in rows]
    answered = [(question, row) for question, row in pairs if expected_reply(question) == "answer"]
    graded = [(question, row) for question, row in answered if row.graded is not None]
    return Figures(
        n=len(pairs),
        verdicts=_share(bool(row.graded) for _, row in graded),
        cited=_share(all_cited(question, row) for question, row in answered if question.expected),
        both=_share(bool(row.graded) and all_cited(question, row) for question, row in graded),
        premises=_share(bool(row.graded) for question, row in graded if question.false_premise),
        replies=_share(_ended_well(question, row) for question, row in pairs),
        model=_share(row.reply == "answer" for _, row in answered),
        language=_share(row.language == question.language for question, row in answered if row.reply == "answer"),
        declined=_share(row.reply == "out_of_scope" for q, row in pairs if expected_reply(q) == "out_of_scope"),
        asked=_share(row.reply == "ambiguous" for q, row in pairs if expected_reply(q) == "ambiguous"),
        rejected=sum(bool(row.rejected) for _, row in pairs),
        doubtful=sum(row.doubtful > 0 for _, row in pairs),
        seconds=sum(row.seconds for _, row in pairs) / len(pairs) if pairs else 0.0,
        microdollars=sum(row.microdollars for _, row in pairs),
    )


def write_run(file: Path, info: RunInfo, rows: Iterable[RunRow]) -> None:
    """Writes the run whole; a file that was there is replaced only once the new one is."""
    lines = [json.dumps(asdict(info), ensure_ascii=False)]
    lines += [json.dumps(asdict(row), ensure_ascii=False) for row in rows]
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".part")
    fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fresh.replace(file)


def read_run(file: Path) -> tuple[RunInfo, dict[str, RunRow]]:
    """The run in *file*, rows by question id. Raises BadRun."""
    try:
        first, *rest = file.read_text(encoding="utf-8").splitlines()
        info = RunInfo(**json.loads(first))
        rows = [RunRow(**{key: _frozen(value) for key, value in json.loads(line).items()}) for line in rest]
    except OSError as error:
        raise BadRun(f"{file}: {error.strerror or error}") from None
    except (ValueError, TypeError) as error:
        raise BadRun(f"{file} is no run: {error}") from None
    return info, {row.id: row for row in rows}


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _ended_well(question: GoldQuestion, row: RunRow) -> bool:
    wanted = expected_reply(question)
    return row.reply == wanted or (wanted == "answer" and row.reply == "extractive")


def _share(values: Iterable[bool]) -> float | None:
    all_of = list(values)
    return sum(all_of) / len(all_of) if all_of else None


def _rule(text: str) -> RuleId | None:
    try:
        return parse_rule_id(text)
    except InvalidRuleId:
        return None
