"""What a question is about, without a model: its source, category, concepts and English wording (DESIGN 4.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from judge.folding import fold_name
from judge.translation import ForeignTerm
from judge.values import RULE_ID_IN_PROSE, CardSpan, CategoryKey, Extraction, Source
from judge.vocabulary import Phrases, Term, Vocabulary, most_spoken

MAX_CONCEPTS = 6
MAX_SECTIONS = 4
MAX_SECONDARY = 2
# A rule asked for by its number: "702.19b", "rule 702", "CR 603".
_RULE = re.compile(rf"{RULE_ID_IN_PROSE.pattern}|\b(?:rules?|cr|section)\s+[1-9]\d\d\b", re.IGNORECASE)
FALLBACK = CategoryKey("other")


def extraction_of(
    text: str,
    spans: Sequence[CardSpan],
    language: str,
    vocabulary: Vocabulary,
    categories: Sequence[tuple[str, Phrases]],
    *,
    rules_terms: Sequence[str] = (),
    telling_terms: Sequence[str] = (),
    follows_up: bool = False,
) -> Extraction:
    """The extraction of *text*, whose names and language are known.

    categories: (key, keywords). rules_terms: names of keywords and glossary entries the text uses, in English.
    telling_terms: those of them that tell one question from another ("double strike", not "creature").
    follows_up: the question has a history, so saying little of Magic does not make it another subject.
    """
    english, foreign = vocabulary.in_english(text, language, [span.text for span in spans])
    folded = fold_name(english)
    spoken = vocabulary.spoken_in(folded)
    ranked = [CategoryKey(key) for key in most_spoken(folded, categories)]
    # Only English says little of Magic for certain: the lists of other languages are short.
    about_magic = bool(
        _RULE.search(text) or spans or spoken or foreign or rules_terms or follows_up or ranked or language != "en"
    )
    return Extraction(
        spans=tuple(spans),
        question_en=english,
        concepts=_concepts(spoken, foreign, telling_terms),
        sections=_sections(spoken, foreign),
        primary=ranked[0] if ranked else FALLBACK,
        secondary=tuple(ranked[1 : 1 + MAX_SECONDARY]),
        source=_source((fold_name(text), folded), vocabulary, about_magic=about_magic),
        answer_language=language,
    )


def _source(readings: Sequence[str], vocabulary: Vocabulary, *, about_magic: bool) -> Source:
    """Prices, decks and other games first: they name cards too; then tournament policy, then Commander."""
    for source in (Source.OUT_OF_SCOPE, Source.TOURNAMENT, Source.COMMANDER):
        topic = vocabulary.sources.get(source)
        if topic is not None and any(topic.speaks_for(folded) for folded in readings):
            return source
    return Source.CR if about_magic else Source.OUT_OF_SCOPE


def _concepts(spoken: Sequence[Term], foreign: Sequence[ForeignTerm], telling_terms: Sequence[str]) -> tuple[str, ...]:
    """The rules' wordings of what is said, the longest phrase said first, then the terms themselves."""
    worded = [term.cr for term in spoken] + [*telling_terms] + [term.english for term in foreign]
    return tuple(dict.fromkeys(worded))[:MAX_CONCEPTS]


def _sections(spoken: Sequence[Term], foreign: Sequence[ForeignTerm]) -> tuple[str, ...]:
    guessed = [term.section for term in foreign] + [section for term in spoken for section in term.sections]
    return tuple(dict.fromkeys(guessed))[:MAX_SECTIONS]
