"""The local Extractor: names found in the text by SQL, the rest by words. No model is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from calls.adapters.lexicon import rules_terms, telling_terms
from calls.adapters.mentions import Reading
from calls.adapters.resolver import DatabaseResolver
from calls.adapters.vocabulary import vocabulary
from curation.models import Category
from judge.cancelling import Cancellation
from judge.errors import ProviderError
from judge.folding import fold_name
from judge.follow_ups import follows_up
from judge.languages import language_of
from judge.local_extraction import FALLBACK, extraction_of
from judge.ports import Embedder
from judge.questions import brackets, without_brackets
from judge.values import CardSpan, CategoryKey, Exchange, Extraction, Question, Resolved, Vector
from judge.vocabulary import Phrases, phrases

_TERMS = 4  # glossary terms and keywords of the question that become concepts


class LocalExtractor:
    """The judge's Extractor without a model.

    embedder: tells the category of a question whose words speak for none; None leaves those in "other".
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.embedder = embedder
        self._described: tuple[tuple[str, str], ...] = ()
        self._vectors: list[Vector] = []

    def extract(self, question: Question, cancel: Cancellation | None = None) -> Extraction:  # noqa: ARG002  # too quick to cancel
        """What *question* is about. Names in [[brackets]] are left to judge.questions.brackets."""
        text = without_brackets(question.text)
        reading = Reading(text, language_of(text))
        spans = reading.spans()
        rest = reading.without(spans)
        terms = _terms_in(vocabulary().in_english(rest, reading.language)[0], reading.edition)
        telling = [term for term in terms if term in telling_terms(reading.edition)][:_TERMS]
        if not spans and not brackets(question) and follows_up(question, has_subject=bool(telling)):
            spans = _carried(question.history)
        extraction = extraction_of(
            text,
            spans,
            reading.language,
            vocabulary(),
            _categories(),
            rules_terms=terms,
            telling_terms=telling,
            follows_up=bool(question.history or brackets(question)),
        )
        return self._categorised(extraction)

    def _categorised(self, extraction: Extraction) -> Extraction:
        """*extraction* with the nearest category where no keyword spoke for one."""
        if extraction.primary != FALLBACK or self.embedder is None or not extraction.question_en.strip():
            return extraction
        described = _described()
        if not described:
            return extraction
        try:
            asked = self.embedder.query(extraction.question_en)
            if self._described != described:
                vectors = self.embedder.documents([text for _, text in described])
                self._described, self._vectors = described, vectors
        except ProviderError:  # the retriever's trace tells
            return extraction
        nearest = max(zip(described, self._vectors, strict=True), key=lambda pair: _dot(asked, pair[1]))
        return replace(extraction, primary=CategoryKey(nearest[0][0]))


def _carried(history: Sequence[Exchange]) -> tuple[CardSpan, ...]:
    """The names of the last earlier question that names a card, for one that says "it"; only those that name just one.

    What stayed open then has been asked about then, and never blocks the answer now (D58).
    """
    resolver = DatabaseResolver()
    for exchange in reversed(history):
        earlier = Question(text=exchange.question)
        plain = without_brackets(exchange.question)
        named = (*brackets(earlier), *Reading(plain, language_of(plain)).spans())
        spans = tuple(replace(each.span, sure=False) for each in resolver.resolve(named) if isinstance(each, Resolved))
        if spans:
            return spans
    return ()


def means_card(text: str, span: str) -> bool:
    """Whether *span*, which somebody took for a card's name in *text*, is one there and not just a word."""
    return Reading(text, language_of(text)).means_card(span)


def _categories() -> list[tuple[str, Phrases]]:
    return [(row.key, _phrases(tuple(row.keywords))) for row in Category.objects.all()]


@cache
def _phrases(keywords: tuple[str, ...]) -> Phrases:
    return phrases(keywords)


def _described() -> tuple[tuple[str, str], ...]:
    """(key, what it is about) of every category a question may be put in without a keyword."""
    return tuple((row.key, f"{row.title}. {row.description}") for row in Category.objects.all() if row.key != FALLBACK)


def _dot(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _terms_in(text: str, edition: int) -> list[str]:
    """Keywords and glossary terms of the edition with that id that *text* names, the longest first."""
    line = f" {fold_name(text)} "
    found = [term for term in rules_terms(edition) if f" {term} " in line]
    return sorted(found, key=lambda term: (-len(term.split()), -len(term), term))
