"""What players say and how the rules word it: phrases found in folded text as whole words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from judge.folding import fold_name
from judge.translation import ForeignTerm, Translation


@dataclass(frozen=True)
class Phrases:
    """A set of phrases compiled once. A * at the end of a word stands for any ending."""

    forms: tuple[str, ...]

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        patterns = sorted((_pattern(form) for form in self.forms if fold_name(form)), key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)") if patterns else None

    def found_in(self, folded: str) -> list[tuple[int, int]]:
        """Where a phrase stands in *folded* text, (start, end) in characters, longest phrase first at each place."""
        return [match.span() for match in self._pattern.finditer(folded)] if self._pattern else []


def _pattern(form: str) -> str:
    return r"\s".join(re.escape(fold_name(word)) + (r"\w*" if word.endswith("*") else "") for word in form.split())


@dataclass(frozen=True)
class Term:
    """One thing players say: *phrases* for it, the rules' wording *cr*, the sections it stands in."""

    phrases: Phrases
    cr: str
    sections: tuple[str, ...] = ()


@dataclass(frozen=True)
class Topic:
    """Words that tell a question's subject: one of *decide* is enough, of *hint* it takes two."""

    decide: Phrases
    hint: Phrases

    def speaks_for(self, folded: str) -> bool:
        """Whether *folded* is about this."""
        return bool(self.decide.found_in(folded)) or len(self.hint.found_in(folded)) >= 2


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """All that the local extractor knows about words. foreign: by language."""

    terms: tuple[Term, ...] = ()
    idioms: Phrases = Phrases(())
    foreign: dict[str, Translation] = field(default_factory=dict)
    sources: dict[str, Topic] = field(default_factory=dict)

    def spoken_in(self, folded: str) -> tuple[Term, ...]:
        """The terms *folded* text uses, the longest phrase first."""
        places = [(term.phrases.found_in(folded), term) for term in self.terms]
        found = [(max(end - start for start, end in spans), term) for spans, term in places if spans]
        return tuple(term for _, term in sorted(found, key=lambda pair: -pair[0]))

    def is_rules_talk(self, folded: str) -> bool:
        """Whether the whole of *folded* is something players say about the rules."""
        return (0, len(folded)) in self._all_phrases.found_in(folded)

    @cached_property
    def _all_phrases(self) -> Phrases:
        return phrases(form for term in self.terms for form in term.phrases.forms)

    def in_english(self, text: str, language: str, names: Iterable[str] = ()) -> tuple[str, tuple[ForeignTerm, ...]]:
        """*text* with what is known of *language* in English, and the rules terms found, in order.

        names: pieces of *text* that are card names and stay as they are. A language without terms leaves the text.
        """
        translation = self.foreign.get(language)
        return translation.of(text, names) if translation else (text, ())


def phrases(forms: Iterable[str]) -> Phrases:
    """The phrases of *forms*, each once."""
    return Phrases(tuple(dict.fromkeys(forms)))


def most_spoken(folded: str, keywords: Sequence[tuple[str, Phrases]]) -> list[str]:
    """The keys whose phrases *folded* uses most, best first; a phrase counts by its words. Keys without any are out."""
    scores = {key: sum(1 + folded.count(" ", *place) for place in words.found_in(folded)) for key, words in keywords}
    return sorted((key for key, score in scores.items() if score), key=lambda key: -scores[key])
