"""Reads card names out of running text: judge.mentions' evidence over names looked up in the database."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from calls.adapters.lexicon import long_terms, per_million, rules_terms, rules_words
from calls.adapters.names import Name, Table, names_called
from calls.adapters.resolver import DatabaseNameIndex
from calls.adapters.vocabulary import vocabulary
from cards.models import CardFace
from judge.folding import fold_name
from judge.languages import function_words
from judge.mentions import (
    ENOUGH,
    NO_CARD,
    Candidate,
    Doubt,
    Kind,
    Word,
    bare,
    candidates,
    evidence,
    longest_first,
    stand_together,
    words_of,
)
from judge.resolution import misspelled
from judge.spans import PRINTING_WORDS, has_words, stripped_forms
from judge.values import CardSpan
from rules.models import Edition

# Occurrences in a million words; D53.
EVERYDAY = 0.5  # from here on a name is also a word people use
FREQUENT = 10.0  # from here on it costs one more evidence
SMALL_TALK = 300.0  # words of every second sentence: "take", "turn"
NICKNAME_COMMON = 50.0  # nicknames as usual as "key" or "top" need one more evidence
NICKNAME_RARE = 0.2  # nicknames rarer than this are hardly words
VERB = 0.1  # of a form in -ing, from which on the word is a verb too
NICKNAME_EVERYDAY = 20.0  # nicknames were given on purpose, so only a very common word makes one doubtful

# Their name means the card as much as the land type, and either way the same thing on the table.
BASIC_LANDS = frozenset({"plains", "island", "swamp", "mountain", "forest"})

_SHORTEST_UNKNOWN = 4  # letters of a word that may be a misspelled name
_UNKNOWN_RUNS = 6  # runs around unknown words that are compared with all names, at most
_RUN = 4  # words of such a run
_SHORT_WORDS = 3  # words of a name before the comma
_SURELY_A_NAME = 5  # letters of a capitalised unknown word that the asker must mean as a name


class Reading:
    """One question's text with its words and the names they may be."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.language = language
        self.words = words_of(text)
        self.index = DatabaseNameIndex()
        self._read: dict[Candidate, list[tuple[Name, bool]]] = {}
        self._doubted: dict[Candidate, Doubt | None] = {}

    def spans(self) -> tuple[CardSpan, ...]:
        """The names found, in order of the text, each once."""
        mentions = self._mentions()
        shorts = self._short_names(_outside(self.candidates, mentions))
        known = longest_first((*mentions, *shorts))
        unknown = self._unknown_names(known)
        spans = {found.folded: CardSpan(found.text) for found in known}
        spans |= {fold_name(span.text): span for span in unknown if fold_name(span.text) not in spans}
        return tuple(spans.values())

    def _mentions(self) -> tuple[Candidate, ...]:
        """The candidates that are names: those beyond doubt or with evidence, then those the first ones speak for."""
        named = [found for found in self.candidates if self._readings(found)]
        weighed = [(found, self._doubt(found)) for found in named]
        sure = [found for found, doubt in weighed if doubt is None or self._weigh(found, doubt) >= ENOUGH]
        first = longest_first(sure)
        beside = [
            found
            for found, doubt in weighed
            if doubt is not None
            and any(stand_together(self.words, found, other) for other in first)
            and self._weigh(found, doubt) + 1 >= ENOUGH
        ]
        kept = longest_first({*first, *beside})
        return tuple(found for found in kept if not self._is_part(found, kept))

    def _is_part(self, found: Candidate, others: Sequence[Candidate]) -> bool:
        """Whether *found* is a plain word of a longer name in the text: "manticore" beside its full name."""
        longer = [other for other in others if other.last - other.first > found.last - found.first]
        plain = found.first == found.last and (found.text[:1].islower() or self._doubt(found) is not None)
        return plain and any(has_words(other.folded, found.folded) for other in longer)

    def means_card(self, span: str) -> bool:
        """Whether *span*, handed over as a name, is used as one: no doubt about it, or enough evidence in the text."""
        folded = fold_name(span)
        places = [found for found in self.candidates if found.folded == folded]
        doubtful = [(found, doubt) for found in places if (doubt := self._doubt(found)) is not None]
        if places and self._is_rules_talk(folded) and not any(self._readings(found) for found in places):
            # "trample" is in many names; "with trample" is said of a creature.
            doubtful = [(found, Doubt(Kind.NAME, int(self._follows_with(found)))) for found in places]
        if not doubtful:
            return True
        return any(self._weigh(found, doubt) + self._claimed(found, doubt) >= ENOUGH for found, doubt in doubtful)

    def _follows_with(self, found: Candidate) -> bool:
        return found.first > 0 and self.words[found.first - 1].folded == "with"

    def _claimed(self, found: Candidate, doubt: Doubt) -> int:
        """What the claim that *found* is a name is worth: nothing where an ordinary noun or verb could stand (D55)."""
        if doubt.kind is Kind.ALIAS:
            together = any(stand_together(self.words, found, other) for other in self._beyond_doubt)
            return bare(self.words, found, self._named) + together
        return int(doubt.kind is Kind.FOREIGN and self.words[found.first].text[:1].isupper())

    @cached_property
    def _beyond_doubt(self) -> tuple[Candidate, ...]:
        """The candidates that are names and nothing else."""
        return tuple(found for found in self.candidates if self._readings(found) and self._doubt(found) is None)

    @cached_property
    def _named(self) -> frozenset[int]:
        """Places of words that are names, or nicknames, if in doubt: what is done to those is done in a game."""
        nicknamed = [
            found for found in self.candidates if any(name.table is Table.ALIAS for name, _ in self._readings(found))
        ]
        return frozenset(at for found in (*self._beyond_doubt, *nicknamed) for at in range(found.first, found.last + 1))

    def without(self, spans: Iterable[CardSpan]) -> str:
        """The text with the names blanked, for whoever reads the other words."""
        text = self.text
        for span in spans:
            text = re.sub(re.escape(span.text), " ", text, flags=re.IGNORECASE)
        return text

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """Every run of words that could be a name."""
        return tuple(candidates(self.text, self.words))

    @cached_property
    def names(self) -> Mapping[str, Sequence[Name]]:
        """The names that a candidate, or a form of it, is called exactly."""
        queries = {form for found in self.candidates for form in self._forms(found)}
        grouped: dict[str, list[Name]] = {}
        for name in names_called(queries):
            grouped.setdefault(name.folded, []).append(name)
        return grouped

    def _forms(self, found: Candidate) -> tuple[str, ...]:
        if found.last - found.first >= _RUN:
            return (found.folded,)
        return (
            found.folded,
            *(form for form in stripped_forms(found.text) if form.count(" ") == found.folded.count(" ")),
        )

    def _weigh(self, found: Candidate, doubt: Doubt) -> int:
        if self._is_in_term(found):
            return NO_CARD
        masked = all(at in self._masked for at in range(found.first, found.last + 1))
        score = evidence(self.text, self.words, found, doubt, german=self.language == "de", named=self._named)
        return score - 3 * masked

    def _readings(self, found: Candidate) -> list[tuple[Name, bool]]:
        """(name, whether only an inflection of the words is it), the words as they stand first."""
        if found not in self._read:
            self._read[found] = self._readings_of(found)
        return self._read[found]

    def _readings_of(self, found: Candidate) -> list[tuple[Name, bool]]:
        # A term of the rules is no other name's inflection: "decayed" is not "decay".
        forms = (found.folded,) if self._is_term(found.folded) else self._forms(found)
        for form in forms:
            if names := [name for name in self.names.get(form, ()) if self._may_be_read(name, found)]:
                return [(name, form != found.folded) for name in names]
        return []

    def _may_be_read(self, name: Name, found: Candidate) -> bool:
        """Names of other languages only in that language, or where they are long enough to be nothing else."""
        if name.table is not Table.PRINTED or name.lang in ("en", self._printed_language):
            return True
        words = found.folded.split()
        strange = [word for word in words if not self._is_everyday(word)]
        return len(words) > 1 and bool(strange) and len(found.folded) >= 8

    @property
    def _printed_language(self) -> str:
        return {"zh": "zhs"}.get(self.language, self.language)

    def _doubt(self, found: Candidate) -> Doubt | None:
        """Why *found* may be just words; None where it is a name and nothing else, or no name at all."""
        if found not in self._doubted:
            doubts = [self._doubt_of(name, found, inflected) for name, inflected in self._readings(found)]
            known = [doubt for doubt in doubts if doubt is not None]
            sure = len(known) < len(doubts) or not doubts
            self._doubted[found] = None if sure else min(known, key=lambda doubt: doubt.level)
        return self._doubted[found]

    def _doubt_of(self, name: Name, found: Candidate, inflected: bool) -> Doubt | None:
        doubt = self._doubt_of_word(name, found, inflected)
        if doubt is None:
            return None
        called = self._in_english(found.text) if name.table is Table.PRINTED else name.folded
        return replace(doubt, term=self._is_term(called) and called not in BASIC_LANDS)

    def _in_english(self, text: str) -> str:
        """*text*, folded, in English where it is a term in the question's language: "Wachsamkeit" is "vigilance"."""
        return fold_name(vocabulary().in_english(text, self.language)[0])

    def _doubt_of_word(self, name: Name, found: Candidate, inflected: bool) -> Doubt | None:
        words = found.folded.split()
        if name.table is Table.ALIAS:
            often = max(self._frequency(word) for word in words)
            doubtful = name.common_word or (len(words) == 1 and often >= NICKNAME_EVERYDAY)
            foreign = self.language != "en" and per_million(found.folded, self.language) >= EVERYDAY
            level = self._is_rules_talk(found.folded) + 2 * foreign + (often >= NICKNAME_COMMON)
            if doubtful and often < NICKNAME_RARE and not foreign:
                level -= 1  # a word so rare is taken unless the sentence speaks against it
            return Doubt(Kind.ALIAS, level, inflected, self._is_verb(found)) if doubtful or foreign else None
        kind = Kind.FOREIGN if name.table is Table.PRINTED else Kind.NAME
        level = self._level(found.folded) + (inflected and len(words) == 1 and self._is_rules_talk(found.folded))
        everyday = all(self._is_everyday(word) for word in words)
        if kind is Kind.FOREIGN and found.last > found.first and len(words) == 1:
            return None  # several signs of a script without spaces
        if len(words) == 1 and (kind is Kind.FOREIGN or (self.language != "en" and found.text[:1].islower())):
            return Doubt(kind, level, inflected)
        if len(words) == 1 and not everyday and level == 0 and self._is_word(words[0]):
            return Doubt(kind, -1, inflected)  # a rare word: taken unless the sentence speaks against it
        if len(words) > 1:
            plain = everyday and all(self._frequency(word) >= SMALL_TALK for word in words)
            return Doubt(kind, level, inflected) if plain or self._is_rules_talk(found.folded) else None
        single = len(found.folded) == 1
        return Doubt(kind, level, inflected) if everyday or single or self._is_rules_talk(found.folded) else None

    def _is_verb(self, found: Candidate) -> bool:
        """Whether the last word has a form in -ing that people use."""
        word = found.folded.split()[-1]
        forms = (f"{word}ing", f"{word.removesuffix('e')}ing", f"{word}{word[-1]}ing", f"{word.removesuffix('s')}ing")
        return any(per_million(form, "en") >= VERB for form in forms)

    def _level(self, folded: str) -> int:
        often = min(self._frequency(word) for word in folded.split())
        talk = self._is_rules_talk(folded) or folded in PRINTING_WORDS
        return (often >= FREQUENT) + 2 * (often >= SMALL_TALK) + talk + 4 * (len(folded) == 1)

    def _frequency(self, word: str) -> float:
        here = per_million(word, self.language)
        return here if self.language == "en" else max(here, per_million(word, "en"))

    def _is_everyday(self, word: str) -> bool:
        forms = (word, *(form for form in stripped_forms(word) if " " not in form))
        return any(self._frequency(form) >= EVERYDAY for form in forms)

    def _is_word(self, word: str) -> bool:
        return any(self._frequency(form) > 0 for form in (word, *stripped_forms(word)))

    def _is_rules_talk(self, folded: str) -> bool:
        return any(map(self._is_term, (folded, *stripped_forms(folded)))) or vocabulary().is_rules_talk(folded)

    def _is_term(self, folded: str) -> bool:
        """Whether the edition's glossary lists *folded*, or a rule of a keyword is called so."""
        terms = rules_terms(self.edition)
        return folded in terms or f"{folded} variant" in terms

    @cached_property
    def edition(self) -> int:
        """The id of the edition whose terms are told from names; 0 where none is loaded."""
        edition = Edition.objects.current()
        return edition.pk if edition else 0

    @cached_property
    def _line(self) -> tuple[str, Sequence[int]]:
        """The folded words in a line, and of each of its characters the word it belongs to."""
        places: list[int] = []
        line = ""
        for at, word in enumerate(self.words):
            if word.folded:
                line += f"{word.folded} "
                places += [at] * (len(word.folded) + 1)
        return line, places

    @cached_property
    def _terms_said(self) -> list[frozenset[int]]:
        """The places of the words of every term of several words."""
        line, places = self._line
        return [frozenset(places[start:end]) for start, end in long_terms(self.edition).found_in(line)]

    def _is_in_term(self, found: Candidate) -> bool:
        """Whether *found* is a piece of a term of the rules: no word of "Blood token" is a card."""
        words = {at for at in range(found.first, found.last + 1) if self.words[at].folded}
        return any(words < term for term in self._terms_said)

    @cached_property
    def _masked(self) -> frozenset[int]:
        """Places of the words that belong to an idiom or a longer phrase of the rules."""
        line = self._line[0]
        spoken = [place for term in vocabulary().terms for place in term.phrases.found_in(line)]
        phrases = [*vocabulary().idioms.found_in(line), *(place for place in spoken if " " in line[slice(*place)])]
        places = self._line[1]
        return frozenset(at for start, end in phrases for at in places[start:end])

    def _short_names(self, open_places: Sequence[Candidate]) -> list[Candidate]:
        """Names before the comma among the words nothing has read yet."""
        asked = [found for found in open_places if self._may_be_short(found)]
        hits = self.index.shortened(list(dict.fromkeys(form for found in asked for form in self._forms(found))))
        named = [found for found in asked if any(hits.get(form) for form in self._forms(found))]
        return [found for found in named if self._is_short_mention(found)]

    def _may_be_short(self, found: Candidate) -> bool:
        words = found.folded.split()
        if len(words) > _SHORT_WORDS or len(found.folded) < 3:
            return False
        return any(not self._is_everyday(word) for word in words) or self.words[found.first].text[:1].isupper()

    def _is_short_mention(self, found: Candidate) -> bool:
        if any(not self._is_everyday(word) for word in found.folded.split()):
            return not self._is_rules_talk(found.folded)
        return self._weigh(found, Doubt(Kind.SHORT, 1 + self._level(found.folded))) >= ENOUGH

    def _unknown_names(self, known: Sequence[Candidate]) -> list[CardSpan]:
        """Misspelled names, and capitalised words that can only be meant as names though no card has them."""
        taken = {at for found in known for at in range(found.first, found.last + 1)}.union(*self._terms_said)
        strange = [at for at, word in enumerate(self.words) if at not in taken and self._is_strange(word)]
        if not strange:
            return []
        misspelled_names = self._misspelled(strange, taken)
        covered = {at for found in misspelled_names for at in range(found.first, found.last + 1)}
        spans = [CardSpan(found.text) for found in misspelled_names]
        for run in self._capital_runs([at for at in strange if at not in covered], taken):
            spans.append(CardSpan(run, sure=True))
        return spans

    def _is_strange(self, word: Word) -> bool:
        """Whether no list knows the word: neither a language's, nor the rules, nor the players' own."""
        if len(word.folded) < _SHORTEST_UNKNOWN or not word.folded.isalpha():
            return False
        forms = (word.folded, *stripped_forms(word.text))
        if any(self._frequency(form) > 0 or form in rules_words(self.edition) for form in forms):
            return False
        return not self._is_rules_talk(word.folded)

    def _misspelled(self, strange: Sequence[int], taken: set[int]) -> tuple[Candidate, ...]:
        runs = [
            found
            for found in self.candidates
            if found.last - found.first < _RUN
            and any(found.first <= at <= found.last for at in strange)
            and not any(at in taken for at in range(found.first, found.last + 1))
            and not self._readings(found)  # a name that the sentence spoke against is no misspelling either
            and (found.first == found.last or self.words[found.first].folded not in function_words("en"))
        ]
        runs = sorted(runs, key=lambda found: found.last - found.first)[:_UNKNOWN_RUNS]
        similar = self.index.similar([found.folded for found in runs])
        sure = [found for found in runs if misspelled(found.folded, similar.get(found.folded, ()))]
        return longest_first(sure)

    def _capital_runs(self, strange: Sequence[int], taken: set[int]) -> list[str]:
        """Runs of capitalised words, one of them unknown: "Moonfrost Hydralisk"."""
        runs: dict[tuple[int, int], int] = {}  # to the place of the unknown word
        for at in strange:
            first = last = at
            while (
                first - 1 >= 0
                and first - 1 not in taken
                and not self.words[first].opens
                and self._is_capital(first - 1)
            ):
                first -= 1
            while last + 1 < len(self.words) and last + 1 not in taken and self._is_capital(last + 1):
                last += 1
            if self._may_be_meant(self.words[at], alone=first == last):
                runs[first, last] = at
        written = CardFace.objects.words_written([self.words[at].text for at in runs.values()])
        return [
            self.text[self.words[first].start : self.words[last].end]
            for (first, last), at in runs.items()
            if self.words[at].text not in written
        ]

    def _may_be_meant(self, word: Word, *, alone: bool) -> bool:
        """Whether a capital makes an unknown word a name: not in German, nor where another language opens with it."""
        if not word.text[:1].isupper() or word.text.isupper() or len(word.folded) < _SURELY_A_NAME:
            return False
        return not (self.language == "de" or (self.language != "en" and word.opens and alone))

    def _is_capital(self, at: int) -> bool:
        return self.words[at].text[:1].isupper()


def _outside(found: Iterable[Candidate], taken: Sequence[Candidate]) -> list[Candidate]:
    return [each for each in found if all(each.last < other.first or other.last < each.first for other in taken)]
