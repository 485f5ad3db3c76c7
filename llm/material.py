"""A context as a model reads it: each source labelled the way a citation has to name it.

Order: the rules before everything, what only helps after what decides, earlier calls and the asker's own words last;
the same context always gives the same text. Rules stand in rank order, because models read the head of a long text
best (D96).

Nothing that comes from outside can pose as the program: a "<" that would open or close one of our sections becomes
"‹", a "[" that would begin one of our labels becomes "(", and a name stays on its line. Official texts keep every
other character, as they are quoted; the asker's words are never quoted, so they lose every "<" and ">".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from judge.citing import SHORT_KEY
from judge.rendering import card_data
from judge.retrieval import shortened
from judge.values import (
    Card,
    CardId,
    Context,
    Exchange,
    Extraction,
    GlossaryEntry,
    PriorCall,
    Question,
    RuleChunk,
    Ruling,
)

RULING_CHARACTERS = 16_000  # of the rulings of all cards together; the rules have 30,000 (DESIGN 4.3)
PRIOR_CHARACTERS = 1_500  # of an earlier answer
OUTSIDE_CHARACTERS = 600  # of an earlier question, and of a question and answer of the history (DESIGN 4.3)
NOTE_CHARACTERS = 1_500
HISTORY = 4  # exchanges told

_SECTIONS = (
    "rules|glossary|cards|notes|earlier_calls|history|question|reading|answer_language|categories|statements|reason"
)
_LABELS = "rule|glossary|card|card_data|oracle_text|ruling|note|prior_call"
_TAG = re.compile(rf"[<＜﹤](?=[\s/／\u200b-\u200f\u2060\ufeff]*(?:{_SECTIONS})\b)", re.IGNORECASE)
_LABEL = re.compile(rf"^(\s*)\[(?=\s*(?:{_LABELS})\b)", re.IGNORECASE | re.MULTILINE)
_LEGALITY = re.compile(r"\b(?:legality|legal in|allowed in|banned|ban ?list|restricted|formats?)\b", re.IGNORECASE)
_ANGLES = str.maketrans("<>", "‹›")


def material(context: Context, about: str = "") -> str:
    """Everything of *context* that may be read, but for the history, in sections.

    about: the question's words. Of a card's twenty-odd legality lines only those of formats they name are shown, all
    of them where they speak of legality at all, and always Commander's.
    """
    return "\n\n".join(_sections(context, about))


def rules_section(rules: Iterable[RuleChunk]) -> str:
    """The rules alone, as material() and the answer to a look-up show them."""
    return "\n\n".join(_rule(rule) for rule in rules)


def asked(question: Question, history: Sequence[Exchange]) -> str:
    """The last exchanges of *history* and the question, marked as the asker's words."""
    turns = "\n\n".join(
        f"Asked: {words(turn.question, OUTSIDE_CHARACTERS)}\nAnswered: {words(turn.answer, OUTSIDE_CHARACTERS)}"
        for turn in history[max(0, len(history) - HISTORY) :]
    )
    before = f"<history>\n{turns}\n</history>\n\n" if turns else ""
    return f"{before}<question>\n{words(question.text)}\n</question>"


def wanted(question: Question, extraction: Extraction, history: Sequence[Exchange]) -> str:
    """What the material is to answer: asked(), how extraction read it where that says more, and the language."""
    read = words(extraction.question_en)
    reading = f"<reading>\n{read}\n</reading>\n\n" if read != words(question.text) else ""
    language = f"<answer_language>{extraction.answer_language}</answer_language>"
    return f"{asked(question, history)}\n\n{reading}{language}"


def safe(text: str) -> str:
    """*text*, which may be quoted, without what would pass for a section or a label of ours."""
    return _LABEL.sub(r"\1(", _TAG.sub("‹", text))


def words(text: str, limit: int | None = None) -> str:
    """*text* of somebody from outside, which nobody quotes, made harmless; its first *limit* characters."""
    return safe((text if limit is None else shortened(text, limit)).translate(_ANGLES))


def _sections(context: Context, about: str) -> Iterator[str]:
    names = {card.id: card.name for card in context.cards}
    yield f'<rules edition="{context.edition.isoformat()}">\n{rules_section(context.rules)}\n</rules>'
    if context.glossary:
        yield _section("glossary", map(_entry, context.glossary))
    if context.cards:
        shown = _rulings_shown(context)
        yield _section("cards", (_card(card, shown.get(card.id, ()), about) for card in context.cards))
    if context.notes:
        yield _section(
            "notes",
            (
                f"[note on {_line(names.get(note.card, 'a card'))}]\n{safe(shortened(note.text, NOTE_CHARACTERS))}"
                + (f"\nSee {', '.join(note.rules)}." if note.rules else "")
                for note in context.notes
            ),
        )
    if context.prior_calls:
        yield _section("earlier_calls", map(_prior_call, context.prior_calls))


def _section(name: str, parts: Iterable[str]) -> str:
    return f"<{name}>\n" + "\n\n".join(parts) + f"\n</{name}>"


def _rule(rule: RuleChunk) -> str:
    title = ": ".join(filter(None, (rule.section_title, rule.heading)))
    label = f"[rule {rule.id}]{f' {_line(title)}' if title else ''}"
    if rule.abridged:
        label += " (abridged: … stands for subrules that are not shown)"
    return f"{label}\n{safe(rule.text)}"


def _entry(entry: GlossaryEntry) -> str:
    return f"[glossary {_line(entry.term)}]\n{safe(entry.text)}"


def _card(card: Card, rulings: Sequence[Ruling], about: str) -> str:
    faces = [
        f"[oracle_text, face {face.index}: {_line(face.name)}]\n{safe(face.oracle_text) or '(no rules text)'}"
        for face in card.faces
    ]
    own = [
        f"[ruling, key {_line(ruling.key[:SHORT_KEY])}, {ruling.published_at.isoformat()}]\n{safe(ruling.text)}"
        for ruling in rulings
    ]
    one_line_each = replace(
        card,
        name=_line(card.name),
        faces=tuple(replace(face, name=_line(face.name)) for face in card.faces),
        legalities=tuple(each for each in card.legalities if _speaks_of(each[0], about)),
    )
    return "\n".join([f"[card {_line(card.name)}]", *faces, f"[card_data]\n{safe(card_data(one_line_each))}", *own])


def _speaks_of(game_format: str, about: str) -> bool:
    named = re.search(rf"\b{re.escape(game_format)}\b", about, re.IGNORECASE)
    return game_format == "commander" or named is not None or _LEGALITY.search(about) is not None


def _prior_call(call: PriorCall) -> str:
    return (
        f"[prior_call {call.id}: rated {call.score:.1f} of 3, answered under the rules of {call.edition.isoformat()}]\n"
        f"Asked: {words(call.question, OUTSIDE_CHARACTERS)}\n"
        f"Answered: {safe(shortened(call.answer, PRIOR_CHARACTERS))}"
    )


def _rulings_shown(context: Context) -> dict[CardId, list[Ruling]]:
    """The rulings of each card that fit RULING_CHARACTERS together: every card's best before any card's second.

    The first of a card is always shown.
    """
    queues = {card.id: [r for r in context.rulings if r.card == card.id] for card in context.cards}
    shown: dict[CardId, list[Ruling]] = {}
    left = RULING_CHARACTERS
    for place in range(max(map(len, queues.values()), default=0)):
        for card, queue in queues.items():
            if place < len(queue) and (place == 0 or len(queue[place].text) <= left):
                shown.setdefault(card, []).append(queue[place])
                left -= len(queue[place].text)
    return shown


def _line(text: str) -> str:
    """*text* on one line and without a bracket that would end its label."""
    return safe(" ".join(text.split())).replace("]", ")")
