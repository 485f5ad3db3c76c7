"""The glossary of a Comprehensive Rules file, and the words it and rule 207.2c list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rules.parsed import ParsedTerm

_OBSOLETE = "(Obsolete)"
_NUMBERED = re.compile(r"\d+\. \S")
_ABILITY_WORDS = re.compile(r"The ability words are ([^.]+)\.")
# A comma ends a form, and so does one quoted form before the next: “Partner—[text],” “Partner with [name]”.
_BETWEEN_FORMS = re.compile(r",”? |” (?=“)")


def blocks(lines: Iterable[str]) -> Iterator[list[str]]:
    """The runs of non-blank lines in *lines*."""
    for filled, run in groupby(lines, key=bool):
        if filled:
            yield list(run)


def parse_glossary(lines: Sequence[str]) -> tuple[tuple[ParsedTerm, ...], tuple[str, ...]]:
    """The entries in *lines* and what was odd, as sentences. A term that comes twice becomes one entry."""
    entries: dict[str, list[str]] = {}
    warnings: list[str] = []
    term = ""
    for first, *rest in blocks(lines):
        if term and _goes_on(first, rest, entries[term]):
            warnings.append(f"Glossary: a paragraph after a blank line was added to {term!r}.")
            entries[term] += [first, *rest]
            continue
        if first in entries:
            warnings.append(f"Glossary: {first!r} stands twice; both texts are kept in one entry.")
        term = first
        entries.setdefault(term, []).extend(rest)
    warnings += [f"Glossary: {term!r} has no definition." for term, text in entries.items() if not text]
    return tuple(_entry(term, text) for term, text in entries.items()), tuple(warnings)


def _goes_on(first: str, rest: list[str], above: list[str]) -> bool:
    """Whether the block starting with *first* belongs to the entry above it, whose text so far is *above*.

    It does when that entry has no text yet, or when its own first line can be no term: a numbered definition,
    or a lone sentence.
    """
    return not above or bool(_NUMBERED.match(first)) or (not rest and first.endswith((".", ".”", ".)")))


def _entry(term: str, text: list[str]) -> ParsedTerm:
    return ParsedTerm(term, "\n".join(text), term_forms(term), is_obsolete=term.endswith(_OBSOLETE))


def term_forms(term: str) -> tuple[str, ...]:
    """The forms a glossary term lists: "Champion, Championed" gives both; (Obsolete) and quotes are dropped."""
    name = term.removesuffix(_OBSOLETE).strip()
    forms = (form.strip(" “”,") for form in _BETWEEN_FORMS.split(name))
    return tuple(form for form in forms if form)


def ability_words(text: str) -> tuple[str, ...]:
    """The ability words that rule 207.2c's *text* lists; () when it lists none.

    The list ends with ", and X.": neither the "and" nor the sentences after it are part of a word (FIELD A4).
    """
    match = _ABILITY_WORDS.search(text)
    if match is None:
        return ()
    return tuple(word.strip().removeprefix("and ") for word in match[1].split(",") if word.strip())
