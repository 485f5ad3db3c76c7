"""Small real classes that satisfy the judge's ports, and an invented corpus to judge with.

The cards and rules are made up; only their form is the official one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from uuid import UUID

from judge.cancelling import Cancellation
from judge.errors import VerdictRejected
from judge.failures import Failure
from judge.folding import fold_name
from judge.raw import RawVerdict
from judge.rejections import Rejection
from judge.replies import Answered, Extractive
from judge.transcripts import PromptDigest, Round, Transcript
from judge.values import (
    Ambiguous,
    CallId,
    Card,
    CardId,
    CardSpan,
    CategoryKey,
    Context,
    CorpusState,
    Extraction,
    Face,
    GlossaryEntry,
    Leaf,
    NotFound,
    PriorCall,
    Question,
    RankedRule,
    Resolution,
    Resolved,
    Retrieved,
    RuleChunk,
    RuleId,
    Ruling,
    RulingKey,
    Rung,
    Trace,
)
from llm.messages import ModelTurn, Request, Response, Stop, ToolCall, Usage

EDITION = date(2031, 5, 2)


def card(number: int, name: str, *faces: Face, **fields: object) -> Card:
    """An invented card with the oracle id *number*; one plain face unless *faces* are given."""
    made = Card(CardId(UUID(int=number)), name, "normal", faces or (face(name),))
    return replace(made, **fields)  # type: ignore[arg-type]  # the fields of Card, given by name


def face(name: str, oracle_text: str = "", index: int = 0, **fields: str) -> Face:
    """An invented face."""
    made = Face(index, name, "{2}{G}", "Creature — Newt", oracle_text)
    return replace(made, **fields)  # type: ignore[arg-type]  # the text fields of Face, given by name


NEWT = card(
    1,
    "Murk Newt",
    face(
        "Murk Newt",
        "Sogging\nWhen Murk Newt dies, draw a card unless it was sodden.\n"
        "{T}: Murk Newt gains sogging until end of turn.",
        power="2",
        toughness="1",
    ),
    keywords=("Sogging",),
    legalities=(("commander", "legal"), ("vintage", "not_legal")),
    color_identity=("G",),
)
TWINS = card(
    2,
    "Dry Twin // Wet Twin",
    face("Dry Twin", "Dry Twin can’t be sodden.", type_line="Creature — Twin"),
    face("Wet Twin", "Whenever Wet Twin becomes sodden, you gain 2 life.", index=1),
    layout="transform",
)
BOLT = card(3, "Thunder Bolt", face("Thunder Bolt", "Thunder Bolt deals 3 damage to any target.", type_line="Instant"))
BEND = card(4, "Thunder Bend", face("Thunder Bend", "Change the target of target spell.", type_line="Instant"))

SOGGING = RuleChunk(
    RuleId("750.9"),
    "Invented Abilities",
    "Sogging",
    "750.9. Sogging\n"
    "750.9a Sogging is a static ability. A creature with sogging doesn’t untap during its controller’s untap step—"
    "it stays sodden.\n"
    "750.9b If a sodden creature dies, abilities that trigger on its death still resolve, using the last known "
    "information of that creature. See rule 760.4.\n"
    "Example: A Murk Newt dies while it is sodden. Its ability resolves, and no card is drawn.\n"
    "750.9c Multiple instances of sogging on the same creature are redundant.",
    (
        Leaf(
            RuleId("750.9a"),
            "Sogging is a static ability. A creature with sogging doesn’t untap during its controller’s untap step—"
            "it stays sodden.",
        ),
        Leaf(
            RuleId("750.9b"),
            "If a sodden creature dies, abilities that trigger on its death still resolve, using the last known "
            "information of that creature. See rule 760.4.\n"
            "Example: A Murk Newt dies while it is sodden. Its ability resolves, and no card is drawn.",
        ),
        Leaf(RuleId("750.9c"), "Multiple instances of sogging on the same creature are redundant."),
    ),
)
TRIGGERS = RuleChunk(
    RuleId("760.4"),
    "Invented Triggers",
    "",
    "760.4. An ability that has triggered exists apart from its source; removing the source doesn’t remove it "
    "from the stack. Its controller chooses targets as it goes on the stack.",
)
WATER = RuleChunk(
    RuleId("770.1"),
    "Invented Waters",
    "",
    "770.1. A player may pour water only during that player’s own main phase, while the stack is empty.",
)
NEWT_RULING = Ruling(
    NEWT.id,
    RulingKey("k-newt"),
    date(2030, 1, 2),
    "wotc",
    "If Murk Newt dies in response to its own triggered ability, that ability still resolves.",
)
TWIN_RULING = Ruling(
    TWINS.id,
    RulingKey("k-twin"),
    date(2030, 3, 4),
    "wotc",
    "Wet Twin’s ability triggers only once each turn, however often it becomes sodden.",
)
SODDEN = GlossaryEntry("Sodden", "A creature that stayed tapped because of sogging.\nSee rule 750.9, “Sogging.”")
EARLIER = PriorCall(
    CallId(41), "Is a newt wet?", "A newt is sodden while it stays tapped, and dry otherwise.", 2.4, EDITION
)

CONTEXT = Context(
    edition=EDITION,
    cards=(NEWT, TWINS),
    rules=(SOGGING, TRIGGERS, WATER),
    rulings=(NEWT_RULING, TWIN_RULING),
    glossary=(SODDEN,),
    prior_calls=(EARLIER,),
)


def extraction(*spans: str | CardSpan, **fields: object) -> Extraction:
    """An extraction about a newt that dies, naming *spans*."""
    made = Extraction(
        spans=tuple(span if isinstance(span, CardSpan) else CardSpan(span) for span in spans),
        question_en="Does the newt's trigger still happen if it dies in response?",
        concepts=("triggered ability resolves after its source dies", "last known information"),
        sections=("760",),
        primary=CategoryKey("triggered_abilities"),
    )
    return replace(made, **fields)  # type: ignore[arg-type]  # the fields of Extraction, given by name


@dataclass
class ScriptedExtractor:
    """Gives the same extraction for every question, and keeps the questions."""

    gives: Extraction = field(default_factory=extraction)
    asked: list[Question] = field(default_factory=list)

    def extract(self, question: Question, cancel: Cancellation | None = None) -> Extraction:
        self.asked.append(question)
        return self.gives


@dataclass
class TableResolver:
    """Resolves from a table of folded names; two cards under one name are ambiguous."""

    table: Mapping[str, tuple[Card, ...]]
    asked: list[CardSpan] = field(default_factory=list)

    def resolve(self, spans: Sequence[CardSpan]) -> tuple[Resolution, ...]:
        self.asked.extend(spans)
        return tuple(self._one(span) for span in spans)

    def _one(self, span: CardSpan) -> Resolution:
        found = self.table.get(fold_name(span.text), ())
        if not found:
            return NotFound(span)
        if len(found) > 1:
            return Ambiguous(span, found, Rung.SHORT)
        return Resolved(span, found[0], Rung.EXACT)


@dataclass
class FixedRetriever:
    """Gives the same context for every question, and keeps what it was asked with."""

    context: Context = CONTEXT
    legs_missing: tuple[str, ...] = ()
    asked: list[tuple[Question, Extraction, tuple[Card, ...]]] = field(default_factory=list)

    def retrieve(self, question: Question, extraction: Extraction, resolved: Sequence[Resolved]) -> Retrieved:
        self.asked.append((question, extraction, tuple(each.card for each in resolved)))
        ranked = tuple(RankedRule(rule.id, 1.0, (), shown=True) for rule in self.context.rules)
        return Retrieved(self.context, Trace(ranked=ranked, legs_missing=self.legs_missing))


@dataclass
class MemoryStore:
    """Keeps calls in a list; the id is the place in it, from 1."""

    calls: list[tuple[Question, Extraction, Answered | Extractive]] = field(default_factory=list)

    def save(self, question: Question, extraction: Extraction, reply: Answered | Extractive) -> CallId:
        self.calls.append((question, extraction, reply))
        return CallId(len(self.calls))


@dataclass
class FixedCorpus:
    """A corpus in one state."""

    now: CorpusState = CorpusState(edition=EDITION, cards=4)  # noqa: RUF009 - a frozen value

    def state(self) -> CorpusState:
        return self.now


Step = RawVerdict | Exception


@dataclass
class ScriptedDraft:
    """A draft whose verdict is *step*, or that cannot be read where that is a VerdictRejected."""

    step: Step
    context: Context
    synthesizer: ScriptedSynthesizer

    @property
    def transcript(self) -> Transcript:
        rounds = tuple(Round("the question", str(told), "end") for told in self.synthesizer.told)
        return Transcript(model="scripted", prompts=(PromptDigest("synthesize", "0" * 64),), rounds=rounds)

    def raw(self) -> RawVerdict:
        if isinstance(self.step, Exception):
            raise self.step
        return self.step

    def again(self, rejected: Rejection, cancel: Cancellation | None = None) -> ScriptedDraft:
        return self.synthesizer.next_draft(self.context, rejected, cancel)


@dataclass
class ScriptedSynthesizer:
    """Gives its steps in order, and keeps the rejection it was told each time.

    A VerdictRejected is a draft that cannot be read; any other exception is raised while asking.
    """

    script: list[Step]
    told: list[Rejection | None] = field(default_factory=list)
    cancels: list[Cancellation | None] = field(default_factory=list)

    def draft(
        self, question: Question, extraction: Extraction, context: Context, cancel: Cancellation | None = None
    ) -> ScriptedDraft:
        return self.next_draft(context, None, cancel)

    def next_draft(self, context: Context, rejected: Rejection | None, cancel: Cancellation | None) -> ScriptedDraft:
        self.told.append(rejected)
        self.cancels.append(cancel)
        if cancel is not None:
            cancel.check()
        step = self.script.pop(0)
        if isinstance(step, Exception) and not isinstance(step, VerdictRejected):
            raise step
        return ScriptedDraft(step, context, self)


@dataclass
class MemoryFailures:
    """Keeps failed attempts in a list."""

    kept: list[tuple[Question, Failure]] = field(default_factory=list)

    def keep(self, question: Question, failure: Failure) -> None:
        self.kept.append((question, failure))


@dataclass
class ScriptedChat:
    """A model that gives its responses (or raises its errors) in order, and keeps the requests."""

    script: list[Response | Exception]
    requests: list[Request] = field(default_factory=list)
    kind: str = "scripted"
    model: str = "scripted-1"

    def send(self, request: Request) -> Response:
        self.requests.append(request)
        step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        return step


def says(text: str, stop: Stop = Stop.END, *calls: ToolCall) -> Response:
    """A response of a ScriptedChat."""
    turn = ModelTurn("scripted", {"text": text, "calls": [call.id for call in calls]})
    return Response(text=text, stop=stop, usage=Usage(10, 10), turn=turn, tool_calls=calls, model="scripted-1")


@dataclass
class Broken:
    """Every port at once, and all of it fails."""

    error: Exception = field(default_factory=lambda: RuntimeError("the database is gone"))

    def extract(self, question: Question, cancel: Cancellation | None = None) -> Extraction:
        raise self.error

    def resolve(self, spans: Sequence[CardSpan]) -> tuple[Resolution, ...]:
        raise self.error

    def retrieve(self, question: Question, extraction: Extraction, resolved: Sequence[Resolved]) -> Retrieved:
        raise self.error

    def save(self, question: Question, extraction: Extraction, reply: Answered | Extractive) -> CallId:
        raise self.error

    def state(self) -> CorpusState:
        raise self.error
