"""An answer without a model: the passages that best decide the question, quoted and nothing else.

A passage is a whole line of a source, or whole sentences of a long one. It is worth the rarity of the words
it shares with the question and its concepts, rarity counted over the context's own passages, so that "creature"
weighs little beside "trample". Retrieval's order counts too: it knows more about a question than shared words do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from judge.folding import fold_name
from judge.passages import Passage, passages_of, stems
from judge.phrases import PHRASES, Phrases
from judge.raw import RawCitation, RawGlossary, RawOracleText, RawRule, RawRuling, RawVerdict
from judge.values import Card, Confidence, Context, Extraction, GlossaryEntry, Question, RuleChunk, Ruling
from judge.weights import Weights

MIN_RULES = 3  # wanted, down to passages at LOW_FLOOR; a single rule seldom decides
MAX_RULES = 6
MAX_RULINGS = 3
MAX_CARDS = 6
RULES_READ = 15  # ranked rules that compete; what stands lower in the ranking does not decide
RANK_LOSS = 0.06  # of a passage's worth, for every rank below the first
SAID_WORTH = 0.6  # of a word an earlier passage has already; with it fewer rules say as much; D45
FLOOR = 0.3  # of the best passage's worth; below it a passage is padding; D45
RULING_FLOOR = 0.4
LOW_FLOOR = 0.15  # of the best passage's worth; weaker ones are not even shown to make three
EXAMPLE_WORTH = 0.6  # an example illustrates, the sentence above it decides
LEANING_WORTH = 0.8  # half a thought; the same passage begun a sentence earlier or later is better
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
    stems: frozenset[str] = frozenset()


def extract_answer(question: Question, extraction: Extraction, context: Context) -> RawVerdict | NothingToQuote:
    """The raw verdict made of *context*'s own words, confidence low; validate() checks it like any other.

    NothingToQuote when the context holds no rule's sentence: rulings and card text alone do not decide a question.
    """
    weights = Weights.of(question, extraction, context)
    rules = _rules(context.rules, weights)
    if not rules:
        return NothingToQuote("No rule that fits this question was found in the rules that are loaded.")
    words = PHRASES.get(extraction.answer_language, PHRASES["en"])
    groups = _within_room(
        [
            (words.rules, [*rules, *_glossary(context.glossary, extraction, weights)]),
            (words.rulings, _rulings(context, weights)),
            (words.card_text, _card_texts(context.cards[:MAX_CARDS], weights)),
        ]
    )
    citations = tuple(pick.citation for _, picks in groups for pick in picks)
    return RawVerdict(answer=_prose(words, groups), confidence=Confidence.LOW, citations=citations)


def _rules(chunks: Sequence[RuleChunk], weights: Weights) -> list[_Pick]:
    """The best passage of each of the best rules, best first; what an earlier one says already counts for less."""
    found = (_best_of_rule(chunk, rank, weights) for rank, chunk in enumerate(chunks[:RULES_READ]))
    left = [pick for pick in found if pick is not None]
    best = max((pick.worth for pick in left), default=0.0)
    chosen: list[_Pick] = []
    said: frozenset[str] = frozenset()
    while left and len(chosen) < (MAX_RULES if best > 0 else MIN_RULES):  # no word shared: retrieval's order decides
        worth, at = max((pick.worth * _news(pick, said, weights), -at) for at, pick in enumerate(left))
        if worth < best * (FLOOR if len(chosen) >= MIN_RULES else LOW_FLOOR):
            break
        chosen.append(left.pop(-at))
        said |= chosen[-1].stems
    return chosen


def _news(pick: _Pick, said: frozenset[str], weights: Weights) -> float:
    """The share of *pick*'s weight that is new beside *said*, in [SAID_WORTH, 1]."""
    whole = weights.of_words(pick.stems)
    return 1 - (1 - SAID_WORTH) * weights.of_words(pick.stems & said) / whole if whole else 1.0


def _best_of_rule(chunk: RuleChunk, rank: int, weights: Weights) -> _Pick | None:
    """The passage of *chunk* that shares most with the question; None where nothing is a sentence."""
    units = [(chunk.id, _own_lines(chunk)), *((leaf.id, leaf.text) for leaf in chunk.leaves)]
    heading = stems(chunk.heading)
    found = [(rule, passage) for rule, text in units for passage in passages_of(text)]
    if not found:
        return None
    trust = max(1 - RANK_LOSS * rank, 0.1)
    rule, best = max(found, key=lambda one: _worth(one[1], weights))
    worth = trust * (_worth(best, weights) + weights.of_words(heading) / 2)
    return _Pick(RawRule(kind="rule", id=rule, quote=best.text), rule, worth, best.stems)


def _own_lines(chunk: RuleChunk) -> str:
    """What of *chunk* belongs to none of its subrules."""
    if not chunk.leaves:
        return chunk.text
    taken = {line for leaf in chunk.leaves for line in leaf.text.split("\n")}
    return "\n".join(
        line
        for line in chunk.text.split("\n")
        if not any(line == own or line.endswith(own) for own in taken if own.strip())
    )


def _rulings(context: Context, weights: Weights) -> list[_Pick]:
    """Up to three rulings that share informative words with the question, best first."""
    names = {card.id: card.name for card in context.cards}
    ranks: dict[object, int] = {}
    picks: list[_Pick] = []
    for ruling in context.rulings:
        rank = ranks[ruling.card] = ranks.get(ruling.card, -1) + 1
        if ruling.card in names and (pick := _best_of_ruling(ruling, names[ruling.card], rank, weights)):
            picks.append(pick)
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


def _card_texts(cards: Iterable[Card], weights: Weights) -> list[_Pick]:
    """The ability of each card that matters most here; its longest one when none stands out."""
    picks: list[_Pick] = []
    for card in cards:
        found = [(face, passage) for face in card.faces for passage in passages_of(face.oracle_text, shortest=1)]
        if not found:
            continue
        face, best = max(found, key=lambda one: (_worth(one[1], weights), len(one[1].text)))
        raw = RawOracleText(kind="oracle_text", card=str(card.id), face=face.index, quote=best.text)
        picks.append(_Pick(raw, face.name, _worth(best, weights)))
    return picks


def _glossary(entries: Iterable[GlossaryEntry], extraction: Extraction, weights: Weights) -> list[_Pick]:
    """The entry whose term the question is about, if there is one that says more than where to look."""
    asked = [f" {fold_name(text)} " for text in (extraction.question_en, *extraction.concepts)]
    picks: list[_Pick] = []
    for entry in entries:
        named = any(f" {fold_name(entry.term)} " in text for text in asked)
        found = [passage for passage in passages_of(entry.text) if not passage.text.startswith("See ")]
        if named and found:
            best = max(found, key=lambda passage: _worth(passage, weights))
            raw = RawGlossary(kind="glossary", term=entry.term, quote=best.text)
            picks.append(_Pick(raw, entry.term, weights.of_words(stems(entry.term)) + _worth(best, weights)))
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


def _prose(words: Phrases, groups: Iterable[tuple[str, list[_Pick]]]) -> str:
    """The answer's text: one honest line, then each group, a line a quote."""
    parts = [words.opening]
    numbers = count(1)
    for title, picks in groups:
        lines = [f"- {pick.name}: “{' '.join(pick.citation.quote.split())}” [{next(numbers)}]" for pick in picks]
        parts.append("\n".join([title, *lines]))
    return "\n\n".join(parts)
