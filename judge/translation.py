"""Another language's rules terms and ordinary words put into English, word by word: enough for a keyword search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from judge.folding import fold_name

_REMARK = re.compile(r"\s*\([^)]*\)")  # "counter (a spell or ability)" is searched as "counter"


@dataclass(frozen=True)
class ForeignTerm:
    """A term in another language and what it is called in English.

    forms: folded, a * at the end of a word stands for any ending. section: where the rules define the term, "" for
    an ordinary word.
    """

    forms: tuple[str, ...]
    english: str
    section: str = ""


@dataclass(frozen=True)
class Translation:
    """One language's terms; where two have the same form the first counts."""

    terms: tuple[ForeignTerm, ...]

    def of(self, text: str, names: Iterable[str] = ()) -> tuple[str, tuple[ForeignTerm, ...]]:
        """*text* folded, with every known form in English, and the rules terms found, in order.

        One pass, longest form first: what is English already is not put again. names: pieces of *text* that are
        card names and stay as they are.
        """
        found: list[ForeignTerm] = []
        kept = {spelled(name) for name in names} - {""}

        def english(match: re.Match[str]) -> str:
            term = None if match.group() in kept else self._term(match.group())
            if term is None:
                return match.group()
            if term.section:
                found.append(term)
            return _REMARK.sub("", term.english)

        pattern = "|".join([*(re.escape(name) for name in sorted(kept, key=len, reverse=True)), self._forms])
        return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", english, spelled(text)), tuple(dict.fromkeys(found))

    @cached_property
    def _by_form(self) -> dict[str, ForeignTerm]:
        table: dict[str, ForeignTerm] = {}
        for term in self.terms:
            for form in term.forms:
                table.setdefault(form, term)
        return table

    @cached_property
    def _forms(self) -> str:
        return "|".join(map(_pattern, sorted(self._by_form, key=len, reverse=True)))

    @cached_property
    def _open(self) -> Sequence[tuple[re.Pattern[str], ForeignTerm]]:
        """The forms with an open ending, longest first."""
        forms = sorted((form for form in self._by_form if "*" in form), key=len, reverse=True)
        return [(re.compile(_pattern(form)), self._by_form[form]) for form in forms]

    def _term(self, words: str) -> ForeignTerm | None:
        exact = self._by_form.get(words)
        return exact or next((term for form, term in self._open if form.fullmatch(words)), None)


def spelled(text: str) -> str:
    """*text* folded, an apostrophe dividing words: "l'attaque" is "l attaque"."""
    return fold_name(text.replace("'", " ").replace("’", " "))


def spelled_form(form: str) -> str:
    """*form* spelled as text is, the * at the end of a word kept."""
    return " ".join(spelled(word) + ("*" if word.endswith("*") else "") for word in form.split())


def _pattern(form: str) -> str:
    return r"\s".join(re.escape(word.rstrip("*")) + (r"\w*" if word.endswith("*") else "") for word in form.split())
