"""One reply of every kind, about invented cards and rules, made the way the judge makes them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from uuid import UUID

from judge.raw import RawCitation, RawOracleText, RawRule, RawRuling, RawVerdict
from judge.replies import (
    AmbiguousCards,
    Answered,
    Busy,
    CardsNotFound,
    Extractive,
    Failed,
    OutOfScope,
    RateLimited,
    Reply,
)
from judge.support import Claim, Support
from judge.values import (
    Ambiguous,
    CallId,
    Card,
    CardId,
    CardSpan,
    Confidence,
    Context,
    CorpusState,
    Face,
    GlossaryEntry,
    Leaf,
    LegRank,
    Note,
    RankedRule,
    Resolved,
    Reworded,
    RuleChunk,
    RuleId,
    Ruling,
    RulingKey,
    Rung,
    Source,
    Trace,
)
from judge.verdict import validate

EDITION = date(2031, 2, 3)
STATE = CorpusState(edition=EDITION, cards=2, embedded=4, to_embed=4)

OWL = Card(
    id=CardId(UUID("00000000-0000-4000-8000-000000000001")),
    name="Pellona, Lantern Owl",
    layout="normal",
    faces=(
        Face(
            index=0,
            name="Pellona, Lantern Owl",
            mana_cost="{1}{B}",
            type_line="Legendary Creature — Bird",
            oracle_text="Flying\nAt the beginning of your upkeep, look at the top card of your library.",
            power="2",
            toughness="1",
        ),
    ),
)
MOTH = Card(
    id=CardId(UUID("00000000-0000-4000-8000-000000000002")),
    name="Lantern Moth",
    layout="normal",
    faces=(Face(index=0, name="Lantern Moth", mana_cost="{B}", type_line="Creature — Insect", oracle_text=""),),
)
CHUNK = RuleChunk(
    id=RuleId("113.7"),
    section_title="Abilities",
    heading="",
    text="113.7. The source of an ability is the thing it came from.\n"
    "113.7a A triggered ability stays on the stack without its source. Removing the source changes nothing.",
    leaves=(
        Leaf(
            RuleId("113.7a"),
            "A triggered ability stays on the stack without its source. Removing the source changes nothing.",
        ),
    ),
)
RULED = "The look happens even without the owl."
RULING = Ruling(OWL.id, RulingKey("abcdef0123456789"), date(2030, 5, 6), "wotc", RULED)
CONTEXT = Context(
    edition=EDITION,
    cards=(OWL,),
    rules=(CHUNK,),
    rulings=(RULING,),
    glossary=(GlossaryEntry("Source of an Ability", "The thing an ability came from. See rule 113.7."),),
)
TRACE = Trace(
    ranked=(RankedRule(RuleId("113.7"), 1.5, (LegRank("text", 1, 7.25),), shown=True),),
    legs_missing=("vector: no vectors yet",),
    milliseconds=(("extract", 1.5),),
)
CITATIONS: tuple[RawCitation, ...] = (
    RawRule(kind="rule", id="113.7a", quote="A triggered ability stays on the stack without its source."),
    RawRuling(kind="ruling", card=str(OWL.id), key=RULING.key, quote=RULED),
    RawOracleText(kind="oracle_text", card=str(OWL.id), face=0, quote="look at the top card of your library"),
)
ANSWER = (
    "Yes. The trigger still resolves.\n\n"
    "Once it has triggered it stands on the stack by itself [1], and the ruling says so too [2]. See 113.7a."
)
RESOLVED = (Resolved(CardSpan("owl"), OWL, Rung.ALIAS),)


def answered(call: int | None = 7, answer: str = ANSWER) -> Answered:
    raw = RawVerdict(answer=answer, confidence=Confidence.HIGH, citations=CITATIONS)
    return Answered(
        verdict=validate(raw, CONTEXT, Source.CR),
        context=CONTEXT,
        resolved=RESOLVED,
        trace=TRACE,
        call=CallId(call) if call else None,
    )


DOUBTED = "Once it has triggered it stands on the stack by itself, and the ruling says so too."
UNCITED = "Owls draw two cards."


def doubted() -> Answered:
    """An answer with a claim its quote does not back and one that points at nothing, read without a model."""
    claims = (
        Claim("The trigger still resolves.", ("A quote.",)),
        Claim(DOUBTED, ("A quote.",), Support.WEAK),
        Claim(UNCITED, (), Support.UNCITED),
    )
    return replace(answered(), claims=claims, remarks=("The question was read without a model.",))


OUTDATED = "Without its source a triggered ability leaves the stack."


def noted() -> Extractive:
    """An answer about a card with a curators' note, quoting a ruling that is older than the wording of a rule."""
    ruling = replace(RULING, text=OUTDATED)
    context = replace(
        CONTEXT,
        rulings=(ruling,),
        notes=(Note(OWL.id, "It looks from beyond the grave."),),
        reworded=(Reworded(RuleId("113.7a"), date(2030, 7, 8)),),
    )
    cited: tuple[RawCitation, ...] = (
        CITATIONS[0],
        RawRuling(kind="ruling", card=str(OWL.id), key=RULING.key, quote=OUTDATED),
    )
    raw = RawVerdict(answer=ANSWER, confidence=Confidence.LOW, citations=cited)
    return replace(extractive(), context=context, verdict=validate(raw, context, Source.CR))


def extractive() -> Extractive:
    answer = answered(answer="No model reasoned about this: these are the passages. [1]\n\nRules\n- 113.7a [1] [2] [3]")
    return Extractive(
        verdict=answer.verdict,
        context=CONTEXT,
        resolved=RESOLVED,
        trace=TRACE,
        reason="No language model is set up here.",
        call=CallId(8),
        not_found=(CardSpan("Glimmerfrog"),),
    )


AMBIGUOUS = AmbiguousCards((Ambiguous(CardSpan("lantern"), (OWL, MOTH), Rung.SHORT),))

EVERY_KIND: dict[str, Reply] = {
    "answer": answered(),
    "extractive": extractive(),
    "ambiguous": AMBIGUOUS,
    "not_found": CardsNotFound((CardSpan("Glimmerfrog <b>"), CardSpan("Owlbear"))),
    "out_of_scope": OutOfScope(Source.TOURNAMENT),
    "busy": Busy(5),
    "rate_limited": RateLimited(421),
    "error": Failed("The rules are not loaded yet.", "deadbeef"),
}
