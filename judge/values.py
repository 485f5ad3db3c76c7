"""The values the judge speaks in: ids, cards, rules, questions, context, citations.

Every value is frozen and every collection in it a tuple, so a context can be shared between threads and a
verdict can point into it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from judge.ids import RULE_ID_IN_PROSE as RULE_ID_IN_PROSE
from judge.ids import CallId as CallId
from judge.ids import CardId as CardId
from judge.ids import CategoryKey as CategoryKey
from judge.ids import RuleId as RuleId
from judge.ids import RulingKey as RulingKey
from judge.ids import covers as covers
from judge.ids import parent_of as parent_of
from judge.ids import parse_rule_id as parse_rule_id
from judge.ids import rule_order as rule_order
from judge.ids import section_of as section_of


class Source(StrEnum):
    """Which body of rules a question is about. Only the first two are answered."""

    CR = "cr"
    COMMANDER = "commander"
    TOURNAMENT = "tournament"
    OUT_OF_SCOPE = "out_of_scope"


class Confidence(StrEnum):
    """How sure a verdict is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Rung(StrEnum):
    """The rung of the resolution ladder that answered, loosest last (DESIGN 4.2)."""

    ALIAS = "alias"
    ALIAS_STRIPPED = "alias_stripped"  # after dropping a possessive or punctuation
    EXACT = "exact"
    PRINTED = "printed"
    SHORT = "short"  # the part of a name before the comma
    ALIAS_SUFFIX = "alias_suffix"  # an alias preceded only by printing words: "foil bob"
    FUZZY = "fuzzy"


@dataclass(frozen=True, slots=True)
class Face:
    """One face of a card, texts as Scryfall gives them; colors are WUBRG letters."""

    index: int
    name: str
    mana_cost: str
    type_line: str
    oracle_text: str
    power: str = ""
    toughness: str = ""
    loyalty: str = ""
    defense: str = ""
    colors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """A card as the rules know it: one per Oracle identity, at least one face."""

    id: CardId
    name: str
    layout: str
    faces: tuple[Face, ...]
    color_identity: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    legalities: tuple[tuple[str, str], ...] = ()  # (format, status) in Scryfall's words
    scryfall_uri: str = ""

    @property
    def oracle_text(self) -> str:
        """The Oracle text of every face, front first, one paragraph break between faces."""
        return "\n\n".join(face.oracle_text for face in self.faces if face.oracle_text)


@dataclass(frozen=True, slots=True)
class Ruling:
    """One official ruling on a card."""

    card: CardId
    key: RulingKey
    published_at: date
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """One subrule with the examples under it; text is exactly what may be quoted.

    score: what retrieval found for it, larger answers better; comparable within one context only.
    """

    id: RuleId
    text: str
    score: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class RuleChunk:
    """A rule with everything under it: the unit that is searched, shown and counted against the budget.

    text: the rule's own sentence, its examples and all its subrules, a line each. leaves: the same subrules
    apart, each citable by its own number. abridged: some subrules were cut to fit a budget, from text and leaves.
    score: what retrieval found for the rule, larger answers better; comparable within one context only.
    """

    id: RuleId
    section_title: str
    heading: str  # "Trample" for 702.19, "" where the rule is a plain sentence
    text: str
    leaves: tuple[Leaf, ...] = ()
    abridged: bool = False
    score: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """One glossary term with its definition, lines joined by a line feed."""

    term: str
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A curator's note on a card that breaks intuition (a "nightmare" card). Shown, never quoted."""

    card: CardId
    text: str
    rules: tuple[RuleId, ...] = ()


@dataclass(frozen=True, slots=True)
class PriorCall:
    """An earlier, well-rated call, offered as an example; never above the rules."""

    id: CallId
    question: str
    answer: str
    score: float  # smoothed mean in [1, 3]
    edition: date


@dataclass(frozen=True, slots=True)
class Exchange:
    """One earlier question and its answer, of the same asker in the same thread."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Pin:
    """The asker's pick for an ambiguous span: *name* is a full card name."""

    span: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked, and by which door it came in. Make with judge.questions.parse_question."""

    text: str
    history: tuple[Exchange, ...] = ()
    private: bool = False
    door: str = "cli"  # cli | web | api | discord | agent
    thread: str = ""  # "" where the door has no conversation


@dataclass(frozen=True, slots=True)
class CardSpan:
    """A piece of the question that names a card. exact: it stood in [[brackets]].

    sure: the asker certainly means a card by it, so when none has that name the asker is told instead of
    answered. A span an extractor only suspects is not sure, and never blocks an answer (D43).
    """

    text: str
    exact: bool = False
    sure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What extraction read out of a question (DESIGN 4.1).

    concepts: 3-6 phrases worded as the CR would word them. sections: at most four guesses such as "702".
    """

    spans: tuple[CardSpan, ...]
    question_en: str
    concepts: tuple[str, ...]
    sections: tuple[str, ...]
    primary: CategoryKey
    secondary: tuple[CategoryKey, ...] = ()
    source: Source = Source.CR
    answer_language: str = "en"  # ISO 639-1


@dataclass(frozen=True, slots=True)
class Resolved:
    """*span* names exactly *card*."""

    span: CardSpan
    card: Card
    matched_via: Rung


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """*span* could be any of *candidates* (best first); the asker has to say which."""

    span: CardSpan
    candidates: tuple[Card, ...]
    via: Rung


@dataclass(frozen=True, slots=True)
class NotFound:
    """*span* names no card."""

    span: CardSpan


Resolution = Resolved | Ambiguous | NotFound


@dataclass(frozen=True, slots=True)
class AbsentRule:
    """A number the question writes that no rule of the edition has. nearest: the rules where it would stand."""

    number: RuleId
    nearest: tuple[RuleId, ...]


@dataclass(frozen=True, slots=True)
class Reworded:
    """A rule or subrule that no edition from before *since* words so; what was said of it earlier may not hold."""

    rule: RuleId
    since: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """All that an answer may read and cite. rules are in rank order, already within the budget."""

    edition: date
    cards: tuple[Card, ...] = ()
    rules: tuple[RuleChunk, ...] = ()
    rulings: tuple[Ruling, ...] = ()  # most relevant first within a card
    glossary: tuple[GlossaryEntry, ...] = ()
    notes: tuple[Note, ...] = ()
    prior_calls: tuple[PriorCall, ...] = ()
    history: tuple[Exchange, ...] = ()
    absent: tuple[AbsentRule, ...] = ()  # rules asked for by number that this edition does not have
    reworded: tuple[Reworded, ...] = ()  # those of rules that changed after the oldest of rulings


@dataclass(frozen=True, slots=True)
class LegRank:
    """Where one leg placed a rule: rank from 1, score in the leg's own unit."""

    leg: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class RankedRule:
    """One rule of the fused list, best first."""

    id: RuleId
    score: float  # fused score, larger is better; comparable within one list only
    legs: tuple[LegRank, ...]
    shown: bool  # False: cut by the budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Everything retrieval did, kept with the call: why each rule was shown or cut."""

    ranked: tuple[RankedRule, ...]
    legs_missing: tuple[str, ...] = ()  # legs that could not run, e.g. "vector" while embedding is under way
    milliseconds: tuple[tuple[str, float], ...] = ()  # (stage, duration)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A context and how it came about."""

    context: Context
    trace: Trace


# Citations, as they stand in a Verdict: the quote is the source's own characters.


@dataclass(frozen=True, slots=True)
class RuleCitation:
    """A quote from a rule or subrule of the context's edition."""

    id: RuleId
    quote: str


@dataclass(frozen=True, slots=True)
class RulingCitation:
    """A quote from an official ruling."""

    card: CardId
    key: RulingKey
    quote: str


@dataclass(frozen=True, slots=True)
class OracleTextCitation:
    """A quote from the Oracle text of one face."""

    card: CardId
    face: int
    quote: str


@dataclass(frozen=True, slots=True)
class GlossaryCitation:
    """A quote from a glossary entry."""

    term: str
    quote: str


@dataclass(frozen=True, slots=True)
class CardDataCitation:
    """A quote from a card's printed data (legality, cost, power/toughness) as judge.rendering words it."""

    card: CardId
    quote: str


@dataclass(frozen=True, slots=True)
class PriorCallCitation:
    """A quote from an earlier call's answer."""

    id: CallId
    quote: str


Citation = RuleCitation | RulingCitation | OracleTextCitation | GlossaryCitation | CardDataCitation | PriorCallCitation


@dataclass(frozen=True, slots=True)
class Space:
    """Which embedding space a vector belongs to. Vectors of two spaces are never compared."""

    provider: str  # local | voyage | openai
    model: str
    width: int  # floats a vector


Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much rules text an answer may read (DESIGN 4.3)."""

    chunks: int = 25
    characters: int = 30_000
    rulings_per_card: int = 20
    prior_calls: int = 5
    history: int = 4
    history_characters: int = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusState:
    """What the judge stands on right now; doors show it beside every answer."""

    edition: date | None  # None: no rules loaded
    sample: bool = False  # the invented sample corpus, not Magic
    cards: int = 0
    embedded: int = 0  # passages with a vector
    to_embed: int = 0  # passages in all
    loading: tuple[str, ...] = field(default=())  # what is still coming in, in words
