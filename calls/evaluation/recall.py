"""`manage.py evaluate recall`: how much of what decides each question is found, and how much of it is shown."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.core.management.base import CommandError

from calls.adapters.resolver import DatabaseResolver
from calls.adapters.retriever import PostgresRetriever
from calls.model_wiring import configured_embedder, model_extractor
from eval.gates import gate_of
from eval.gold import GoldQuestion, read_extractions, read_gold, read_peers
from eval.last_run import last_run_file, moved, places, read_run, write_run
from eval.reading import BadSet
from eval.recall import Outcome, Recall, by_kind, fraction_found, place_of, scored
from judge.errors import ProviderError, VerdictRejected
from judge.ports import Embedder, Extractor, Resolver, Retriever
from judge.questions import brackets
from judge.values import Card, Extraction, Question, Resolved, Retrieved, RuleChunk, RuleId
from llm.local import UnknownEmbedder
from rules.models import Edition

EVAL = Path(settings.BASE_DIR) / "eval"
# Of the peer's own README, on its 57 questions of which eval/peers has 27; its retrieval shows the rule, not a list.
PUBLISHED = (
    "Published by the peer, of its 57 questions: answers judged correct 0.60 by vectors, 0.61 by graph, 0.65 by both; "
    "about several cards 0.41, 0.27, 0.36, and the governing rule delivered on 2 of 22. Two of its numbers are of an "
    "older edition and count as missed here: 706.2 for copying (now 707.2), 701.15 for regenerating (now 701.19)."
)
EXTRACTORS = ("local", "recorded", "model")


class Output(Protocol):
    """What the command writes lines to."""

    def write(self, msg: str) -> object:
        """Writes one line."""
        ...


@dataclass(frozen=True, slots=True)
class Run:
    """One question put through extraction, resolution and retrieval."""

    outcome: Outcome
    cards: tuple[Card, ...]
    retrieved: Retrieved


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `evaluate recall`."""
    parser.add_argument("--gold", type=Path, default=EVAL / "gold.yaml", help="the question set (%(default)s)")
    parser.add_argument("--extractor", choices=EXTRACTORS, default="local", help="where concepts and cards come from")
    parser.add_argument(
        "--extractions", type=Path, default=EVAL / "extractions.json", help="the recorded extractions (%(default)s)"
    )
    parser.add_argument(
        "--peers",
        action="store_true",
        help="the questions of eval/peers instead, and their own figures",
    )
    parser.add_argument("--compare", action="store_true", help="name the questions that moved since the last run here")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    parser.add_argument("--explain", metavar="ID", help="one question: each leg's places of the rules expected")
    parser.add_argument("--misses", action="store_true", help="list what was not shown, and its place")
    parser.add_argument("--min-retrieved", type=float, help="fail below this fraction (by default the set's own gate)")
    parser.add_argument("--min-shown", type=float, help="fail below this fraction (by default the set's own gate)")


def run(options: Mapping[str, Any], stdout: Output) -> int:
    """Prints the figures and gives the exit code: 1 under a gate. Raises CommandError for what cannot be run."""
    options = {**options, "gold": EVAL / "peers"} if options["peers"] else options
    questions = questions_of(options["gold"], options["explain"])
    embedder = embedder_of_settings()
    extract = extraction_by(options, questions, embedder)
    judged = [judge(each, extract, DatabaseResolver(), PostgresRetriever(embedder)) for each in questions]
    if options["explain"]:
        for line in explained(judged[0]):
            stdout.write(line)
        return 0
    outcomes = [each.outcome for each in judged]
    total, kinds = scored(outcomes), by_kind(outcomes)
    for line in _json(total, kinds) if options["json"] else _table(total, kinds, judged):
        stdout.write(line)
    if options["misses"]:
        for line in _misses(outcomes):
            stdout.write(line)
    if options["peers"] and not options["json"]:
        stdout.write(PUBLISHED)
    file = last_run_file(Path(settings.JUDGE_HOME), options["gold"], options["extractor"])
    if options["compare"]:
        for line in moved(read_run(file), places(outcomes)):
            stdout.write(line)
    write_run(file, places(outcomes))
    return _passed(total, options, stdout)


def _passed(total: Recall, options: Mapping[str, Any], stdout: Output) -> int:
    """The exit code: 1 under the gates of the command line, or where it names none under the set's own."""
    gate = gate_of(options["gold"], options["extractor"])
    retrieved = gate.retrieved if options["min_retrieved"] is None else options["min_retrieved"]
    shown = gate.shown if options["min_shown"] is None else options["min_shown"]
    if total.retrieved >= retrieved and total.shown >= shown:
        return 0
    if not options["json"]:
        stdout.write(
            f"Missed: {total.retrieved:.2%} of {retrieved:.2%} retrieved, {total.shown:.2%} of {shown:.2%} shown."
        )
    return 1


def judge(
    gold: GoldQuestion,
    extract: Callable[[GoldQuestion, Question], Extraction],
    resolver: Resolver,
    retriever: Retriever,
) -> Run:
    """*gold* put through everything up to the context; names that stay ambiguous or unknown bring no card."""
    question = Question(text=gold.question, history=gold.history)
    extraction = extract(gold, question)
    spans = {span.text: span for span in (*brackets(question), *extraction.spans)}
    resolutions = resolver.resolve(tuple(spans.values()))
    found: dict[object, Resolved] = {}
    for each in resolutions:
        if isinstance(each, Resolved):
            found.setdefault(each.card.id, each)
    retrieved = retriever.retrieve(question, extraction, tuple(found.values()))
    outcome = Outcome(
        gold,
        tuple(ranked.id for ranked in retrieved.trace.ranked),
        tuple(number for chunk in retrieved.context.rules for number in shown_numbers(chunk)),
    )
    return Run(outcome, tuple(each.card for each in found.values()), retrieved)


def shown_numbers(chunk: RuleChunk) -> tuple[RuleId, ...]:
    """What *chunk* lets an answer read: itself when it is whole, else the subrules it kept.

    So a decisive subrule that was cut does not count as shown through its rule. The rule's own sentence always
    stands; a rule expected as a whole is covered by any subrule of it.
    """
    return tuple(leaf.id for leaf in chunk.leaves) if chunk.abridged else (chunk.id,)


def explained(judged: Run) -> Iterator[str]:
    """For each rule expected: its place in the fused list, whether it was shown, and its place in every leg."""
    gold, trace = judged.outcome.question, judged.retrieved.trace
    yield f"{gold.id}: {gold.question}"
    yield f"Cards: {', '.join(card.name for card in judged.cards) or 'none'}"
    for missing in trace.legs_missing:
        yield f"Missing leg: {missing}"
    for entry in gold.expected:
        yield f"\n{' or '.join(entry)}"
        place = place_of(entry, judged.outcome.retrieved)
        if place is None:
            yield f"  not among the first {len(trace.ranked)} of the fused list"
            continue
        ranked = trace.ranked[place - 1]
        fate = "shown" if ranked.shown else "cut by the budget"
        yield f"  {ranked.id} at {place} of the fused list, score {ranked.score:.4f}: {fate}"
        for leg in sorted(ranked.legs, key=lambda leg: leg.rank):
            yield f"  {leg.rank:>5}. {leg.leg} ({leg.score:.3f})"
    yield "\nShown, in order: " + ", ".join(judged.outcome.shown)
    yield "Milliseconds: " + ", ".join(f"{stage} {spent:.0f}" for stage, spent in trace.milliseconds)


def questions_of(file: Path, only: str | None = None) -> list[GoldQuestion]:
    """The questions with rules to find, or the one called *only*."""
    try:
        questions = [each for each in (read_peers if file.is_dir() else read_gold)(file) if each.expected]
    except BadSet as error:
        raise CommandError(str(error)) from None
    chosen = [each for each in questions if only in (None, each.id)]
    if not chosen:
        raise CommandError(
            f"{file} has no question {only!r} with expected rules" if only else f"{file} expects no rules"
        )
    if Edition.objects.current() is None:
        raise CommandError("No rules are loaded yet; run ingest_rules first.")
    return chosen


def embedder_of_settings() -> Embedder | None:
    """The embedder JUDGE_EMBEDDER names, None for none. Raises CommandError."""
    try:
        return configured_embedder()
    except UnknownEmbedder as error:
        raise CommandError(str(error)) from None


def extraction_by(
    options: Mapping[str, Any], questions: Sequence[GoldQuestion], embedder: Embedder | None
) -> Callable[[GoldQuestion, Question], Extraction]:
    """What gives the extraction of a question: the local extractor, the recorded ones, or the configured model."""
    if options["extractor"] == "model":
        asked = model_extractor()
        if asked is None:
            raise CommandError("No model is set up to read questions; `manage.py config` says what is.")
        return lambda _gold, question: _read_by(asked, question)
    if options["extractor"] == "local":
        from calls.adapters.extractor import LocalExtractor

        extractor = LocalExtractor(embedder)
        return lambda _gold, question: extractor.extract(question)
    try:
        recorded = read_extractions(options["extractions"])
    except BadSet as error:
        raise CommandError(str(error)) from None
    if absent := [each.id for each in questions if each.id not in recorded]:
        some = ", ".join(absent[:5])
        raise CommandError(f"{options['extractions']} has no extraction of {len(absent)} of the questions: {some}")
    return lambda gold, _question: recorded[gold.id]


def _read_by(extractor: Extractor, question: Question) -> Extraction:
    try:
        return extractor.extract(question)
    except (ProviderError, VerdictRejected) as error:
        raise CommandError(f"the model could not read a question: {error}") from None


def _json(total: Recall, kinds: Mapping[str, Recall]) -> Iterator[str]:
    figures = {kind: {"n": each.n, "retrieved": each.retrieved, "shown": each.shown} for kind, each in kinds.items()}
    yield json.dumps({"n": total.n, "retrieved": total.retrieved, "shown": total.shown, "by_kind": figures})


def _table(total: Recall, kinds: Mapping[str, Recall], judged: Sequence[Run]) -> Iterator[str]:
    yield f"{'':<14}{'n':>5}{'retrieved':>12}{'shown':>9}"
    for kind, recall in (("all", total), *kinds.items()):
        yield f"{kind:<14}{recall.n:>5}{recall.retrieved:>11.1%} {recall.shown:>8.1%}"
    for missing in dict.fromkeys(leg for each in judged for leg in each.retrieved.trace.legs_missing):
        yield f"Missing leg: {missing}"


def _misses(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Every expected rule that was not shown, with its place in the fused list."""
    for outcome in outcomes:
        for entry in outcome.question.expected:
            if not fraction_found([entry], outcome.shown):
                place = place_of(entry, outcome.retrieved)
                yield f"{outcome.question.id}: {' or '.join(entry)} {f'at {place}' if place else 'not retrieved'}"
