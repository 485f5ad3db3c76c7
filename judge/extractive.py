"""An answer without a model: the passages that best decide the question, quoted and nothing else.

A passage is a whole line of a source, or whole sentences of a long one. judge.rule_quotes chooses those of the
rules. One of a ruling or a card is worth the rarity of the words it shares with the question and its concepts,
rarity counted over the context's own passages, so that "creature" weighs little beside "trample".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from judge.folding import fold_name
from judge.marks import marked_numbers
from judge.passages import Passage, passages_of, stems
from judge.phrases import PHRASES, Phrases
from judge.raw import RawCitation, RawGlossary, RawOracleText, RawRule, RawRuling, RawVerdict
from judge.rule_quotes import ASKING, EXAMPLE_WORTH, LEANING_WORTH, rule_passages, rules_asked_for
from judge.values import Card, Confidence, Context, Extraction, Face, GlossaryEntry, Question, Ruling
from judge.weights import Weights

MAX_RULINGS = 3
YEARS_LOSS = 0.02  # of a ruling's worth, for every year it is older than the edition
MAX_CARDS = 6
WHOLE_TEXT = 500  # characters of an Oracle text that is quoted whole
RANK_LOSS = 0.06  # of a ruling's worth, for every rank below its card's first
RULING_FLOOR = 0.7  # of the best one's worth
MAX_RULES_ASKED = 5  # numbers that are told to be no rule's
ANSWER_ROOM = 3_600  # characters; leaves validate()'s 4,000 some slack for headings


@dataclass(frozen=True, slots=True)
class NothingToQuote:
    """The context holds nothing that could decide a question; reason is for the asker."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Pick:
    """A passage chosen to be quoted. name: what stands before the quote, "" where the group says it."""

    citation: RawCitation
    name: str
    worth: float


def extract_answer(question: Question, extraction: Extraction, context: Context) -> RawVerdict | NothingToQuote:
    """The raw verdict made of *context*'s own words, confidence low; validate() checks it like any other.

    NothingToQuote when the context holds no rule's sentence: rulings and card text alone do not decide a question.
    """
    weights = Weights.of(question, extraction, context)
    asked, only_those = rules_asked_for(question.text, context.rules, context.absent)
    named = {one.passage.text for one in asked}
    best = rule_passages(context.rules, weights, with_cards=bool(context.cards))
    found = [*asked, *(one for one in best if one.passage.text not in named)]
    if asked and only_those:
        found = list(asked)
    if not found:
        return NothingToQuote("No rule that fits this question was found in the rules that are loaded.")
    rules = [_Pick(RawRule(kind="rule", id=one.rule, quote=one.passage.text), one.rule, one.worth) for one in found]
    terms = _glossary(context.glossary, extraction, weights, defines=found[0].defines)
    words = PHRASES.get(extraction.answer_language, PHRASES["en"])
    groups = _within_room(
        [
            (words.rules, [*terms, *rules] if found[0].defines else [*rules, *terms]),
            (words.rulings, _rulings(context, weights)),
            (words.card_text, _card_texts(context.cards[:MAX_CARDS], weights)),
        ]
    )
    citations = tuple(pick.citation for _, picks in groups for pick in picks)
    return RawVerdict(answer=_prose(_opening(words, context), groups), confidence=Confidence.LOW, citations=citations)


def _rulings(context: Context, weights: Weights) -> list[_Pick]:
    """Up to three rulings that share informative words with the question, best first, newer before older.

    What two rulings say in the same words (of one card again, or of two cards) is quoted once, from the newest.
    """
    names = {card.id: card.name for card in context.cards}
    ranks: dict[object, int] = {}
    picks: list[_Pick] = []
    newest = {fold_name(ruling.text): ruling for ruling in sorted(context.rulings, key=lambda one: one.published_at)}
    for ruling in context.rulings:
        rank = ranks[ruling.card] = ranks.get(ruling.card, -1) + 1
        if ruling.card not in names or newest[fold_name(ruling.text)] is not ruling:
            continue
        if pick := _best_of_ruling(ruling, names[ruling.card], rank, weights):
            years = max((context.edition - ruling.published_at).days / 365.25, 0.0)
            picks.append(replace(pick, worth=pick.worth * max(1 - YEARS_LOSS * years, 0.5)))
    picks.sort(key=lambda pick: -pick.worth)
    return [pick for pick in picks if pick.worth >= RULING_FLOOR * picks[0].worth][:MAX_RULINGS]


def _best_of_ruling(ruling: Ruling, name: str, rank: int, weights: Weights) -> _Pick | None:
    found = passages_of(ruling.text)
    if not found:
        return None
    best = max(found, key=lambda passage: _worth(passage, weights))
    if weights.shared(best.stems) < 2:  # one word in common says too little to speak for a ruling
        return None
    worth = max(1 - RANK_LOSS * rank, 0.1) * _worth(best, weights)
    raw = RawRuling(kind="ruling", card=str(ruling.card), key=ruling.key, quote=best.text)
    return _Pick(raw, f"{name} ({ruling.published_at.isoformat()})", worth)


def _abilities(face: Face) -> tuple[Passage, ...]:
    """The whole text of *face* where it is short: an ability is seldom understood without the others; else each."""
    text = face.oracle_text
    whole = 0 < len(text) <= WHOLE_TEXT and not marked_numbers(text)
    return (Passage(text, stems(text), is_example=False),) if whole else passages_of(text, shortest=1)


def _card_texts(cards: Iterable[Card], weights: Weights) -> list[_Pick]:
    """The text of each card, of a long one the ability that matters most here; its longest when none stands out."""
    picks: list[_Pick] = []
    for card in cards:
        found = [(face, passage) for face in card.faces for passage in _abilities(face)]
        if not found:
            continue
        face, best = max(found, key=lambda one: (_worth(one[1], weights), len(one[1].text)))
        raw = RawOracleText(kind="oracle_text", card=str(card.id), face=face.index, quote=best.text)
        picks.append(_Pick(raw, face.name, _worth(best, weights)))
    return picks


def _glossary(
    entries: Iterable[GlossaryEntry], extraction: Extraction, weights: Weights, *, defines: bool
) -> list[_Pick]:
    """The entry whose term the question is about, if there is one that says more than where to look.

    None where more is asked than what a term means: the glossary defines, and decides nothing. defines: the rules
    quoted say what a keyword is.
    """
    about = weights.asked - ASKING
    asked = [f" {fold_name(text)} " for text in (extraction.question_en, *extraction.concepts)]
    picks: list[_Pick] = []
    for entry in entries:
        named = any(f" {fold_name(entry.term)} " in text for text in asked)
        found = [passage for passage in passages_of(entry.text) if not passage.text.startswith("See ")]
        term = stems(entry.term)
        if named and found and (defines or (about and about <= term)):
            best = max(found, key=lambda passage: weights.of_words(passage.stems - term))  # the first of equals
            raw = RawGlossary(kind="glossary", term=entry.term, quote=best.text)
            worth = weights.of_words(term) + weights.of_words(best.stems)
            picks.append(_Pick(raw, entry.term, worth))
    return sorted(picks, key=lambda pick: -pick.worth)[:1]


def _worth(passage: Passage, weights: Weights) -> float:
    """The rarity of what *passage* shares with the question, a long passage's counted for a little less."""
    worth = weights.of_words(passage.stems) / (1 + len(passage.stems) / 60)
    return worth * (EXAMPLE_WORTH if passage.is_example else 1) * (LEANING_WORTH if passage.leans else 1)


def _within_room(groups: Sequence[tuple[str, list[_Pick]]]) -> list[tuple[str, list[_Pick]]]:
    """*groups* without their last picks where all would not fit, and without empty ones; first of each stays."""
    left = ANSWER_ROOM - sum(_length(picks[0]) for _, picks in groups if picks)
    kept: list[tuple[str, list[_Pick]]] = []
    for title, picks in groups:
        fitting = picks[:1]
        for pick in picks[1:]:
            if _length(pick) <= left:
                left -= _length(pick)
                fitting.append(pick)
        if fitting:
            kept.append((title, fitting))
    return kept


def _length(pick: _Pick) -> int:
    return len(pick.citation.quote) + len(pick.name) + 12  # the rest of a line: bullet, quotation marks, mark


def _opening(words: Phrases, context: Context) -> str:
    """What is said before the quotes: which rules asked for are none, and that no model reasoned."""
    lines = [
        words.absent.format(number=each.number, edition=context.edition, nearest=", ".join(each.nearest))
        for each in context.absent[:MAX_RULES_ASKED]
    ]
    return " ".join([*lines, words.opening])


def _prose(opening: str, groups: Iterable[tuple[str, list[_Pick]]]) -> str:
    """The answer's text: one honest line, then each group, a line a quote."""
    parts = [opening]
    numbers = count(1)
    for title, picks in groups:
        lines = [f"- {pick.name}: “{' '.join(pick.citation.quote.split())}” [{next(numbers)}]" for pick in picks]
        parts.append("\n".join([title, *lines]))
    return "\n\n".join(parts)
