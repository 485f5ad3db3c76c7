"""Curated entries held against the loaded cards and rules: what points at nothing is refused, with a hint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from cards.models import Card, CardFace
from curation.entries import AliasEntry, CardName, CategoryEntry, NoteEntry, Place, Problem, UnmappedEntry
from judge.folding import fold_name
from rules.models import Edition, Rule, Section

_HINTS = 3  # names offered for a card that is not there


@dataclass(frozen=True, slots=True)
class SoundAlias:
    """An alias whose card is there."""

    entry: AliasEntry
    card_id: UUID


@dataclass(frozen=True, slots=True)
class SoundNote:
    """A note whose card is there; rules holds the numbers that exist, at least one."""

    entry: NoteEntry
    card_id: UUID
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SoundCategory:
    """A category; sections holds those that exist."""

    entry: CategoryEntry
    sections: tuple[str, ...]


class CardLookup:
    """Finds the one card that each of *wanted* names; two queries for all of them."""

    def __init__(self, wanted: Iterable[CardName]) -> None:
        names = set(wanted)
        self._by_name: dict[str, list[UUID]] = {}
        rows = Card.objects.filter(name__in={card.name for card in names}).values_list("name", "oracle_id")
        for name, oracle_id in rows:
            self._by_name.setdefault(name, []).append(oracle_id)
        by_id = Card.objects.filter(oracle_id__in={card.oracle_id for card in names if card.oracle_id})
        self._by_id = dict(by_id.values_list("oracle_id", "name"))

    def find(self, card: CardName) -> UUID | str:
        """The oracle_id of *card*, or the reason, in words, why there is not exactly one."""
        if card.oracle_id is not None:
            return self._find_by_id(card.oracle_id, card.name)
        found = self._by_name.get(card.name, [])
        match found:
            case [only]:
                return only
            case []:
                return f"there is no card named {card.name!r}{_hint(card.name)}"
            case _:
                ids = ", ".join(sorted(str(one) for one in found))
                return f"{len(found)} cards are named {card.name!r}; say which by adding its oracle_id: one of {ids}"

    def _find_by_id(self, oracle_id: UUID, name: str) -> UUID | str:
        found = self._by_id.get(oracle_id)
        if found is None:
            return f"there is no card with the oracle_id {oracle_id}"
        if found != name:
            return f"the oracle_id {oracle_id} belongs to {found!r}, not to {name!r}"
        return oracle_id


def check_aliases(entries: Sequence[AliasEntry], refused: list[Problem]) -> tuple[SoundAlias, ...]:
    """The *entries* that may be loaded; the others are told in *refused*."""
    lookup = CardLookup(entry.card for entry in entries)
    named = _cards_by_folded_name(entry.folded for entry in entries)
    sound: list[SoundAlias] = []
    for entry in entries:
        found = lookup.find(entry.card)
        if isinstance(found, str):
            refused.append(Problem(entry.place, f"the alias {entry.alias!r} points at no card: {found}"))
        elif others := {name for card_id, name in named.get(entry.folded, ()) if card_id != found}:
            other = sorted(others)[0]
            message = f"the alias {entry.alias!r} for {entry.card.name} is itself the name of the card {other!r}"
            refused.append(Problem(entry.place, message))
        else:
            sound.append(SoundAlias(entry, found))
    return tuple(sound)


def check_notes(entries: Sequence[NoteEntry], numbers: frozenset[str], refused: list[Problem]) -> tuple[SoundNote, ...]:
    """The notes that may be loaded, without the rules that do not exist; what was left out is told in *refused*.

    numbers: every rule and subrule number of the current edition.
    """
    lookup = CardLookup(entry.card for entry in entries)
    sound: list[SoundNote] = []
    for entry in entries:
        found = lookup.find(entry.card)
        if isinstance(found, str):
            refused.append(Problem(entry.place, f"the note points at no card: {found}"))
            continue
        what = f"the note on {entry.card.name}"
        rules = _existing(entry.rules, numbers, entry.place, what, refused)
        if rules:
            sound.append(SoundNote(entry, found, rules))
        else:
            refused.append(Problem(entry.place, f"{what} names no rule of the current edition, so it is left out"))
    return tuple(sound)


def check_categories(
    entries: Sequence[CategoryEntry], numbers: frozenset[str], refused: list[Problem]
) -> tuple[SoundCategory, ...]:
    """Every category, without the sections and rules that do not exist; those are told in *refused*.

    numbers: every section, rule and subrule number of the current edition. A category stays without the number
    that a new edition dropped, rather than disappearing with it (D61).
    """
    return tuple(
        SoundCategory(entry, _existing(entry.sections, numbers, entry.place, f"the category {entry.key!r}", refused))
        for entry in entries
    )


def check_unmapped(
    entries: Sequence[UnmappedEntry], mapped: frozenset[str], numbers: frozenset[str], refused: list[Problem]
) -> frozenset[str]:
    """The sections that are unmapped on purpose and really are; the others are told in *refused*."""
    sound: set[str] = set()
    for entry in entries:
        if entry.section not in numbers:
            message = f"the unmapped section {entry.section} does not exist in the current edition"
        elif entry.section in mapped:
            message = f"the section {entry.section} is listed as unmapped, but a category maps it"
        else:
            sound.add(entry.section)
            continue
        refused.append(Problem(entry.place, message))
    return frozenset(sound)


def uncovered_sections(
    sections: Sequence[tuple[str, str]], mapped: frozenset[str], unmapped: frozenset[str]
) -> tuple[str, ...]:
    """The three-digit sections that are neither mapped nor unmapped on purpose, as "number. title".

    sections: (number, title) pairs. mapped and unmapped: three-digit numbers. Pure.
    """
    return tuple(
        f"{number}. {title}"
        for number, title in sections
        if len(number) == 3 and number not in mapped and number not in unmapped
    )


def section_numbers(edition: Edition) -> list[tuple[str, str]]:
    """(number, title) of each three-digit section of *edition*, in order."""
    rows = Section.objects.filter(edition=edition).order_by("number").values_list("number", "title")
    return [(number, title) for number, title in rows if len(number) == 3]


def rule_numbers(edition: Edition) -> frozenset[str]:
    """Every rule and subrule number of *edition*."""
    return frozenset(Rule.objects.filter(edition=edition).values_list("number", flat=True))


def mapped_sections(numbers: Iterable[str]) -> frozenset[str]:
    """The three-digit sections that *numbers* touch: "603" maps 603, and so does "603.7"."""
    return frozenset(number[:3] for number in numbers)


def _existing(
    written: Sequence[str], numbers: frozenset[str], place: Place, what: str, refused: list[Problem]
) -> tuple[str, ...]:
    for number in written:
        if number not in numbers:
            message = f"{what} names {number}, which the current edition does not have"
            refused.append(Problem(place, message))
    return tuple(number for number in written if number in numbers)


def _cards_by_folded_name(folded: Iterable[str]) -> dict[str, set[tuple[UUID, str]]]:
    """(oracle_id, name) of the cards and faces that are called *folded*, by folded name.

    Cards legal in no format are left out: an un-card called "Rhino-" must not take "rhino" from everybody (D62).
    """
    wanted = set(folded)
    named: dict[str, set[tuple[UUID, str]]] = {}
    serious = Card.objects.filter(folded__in=wanted, is_funny=False)
    cards = serious.values_list("folded", "oracle_id", "name")
    faces = CardFace.objects.filter(folded__in=wanted, card__is_funny=False).values_list("folded", "card_id", "name")
    for text, card_id, name in (*cards, *faces):
        named.setdefault(text, set()).add((card_id, name))
    return named


def _hint(name: str) -> str:
    """'; did you mean ...' with full names that fold alike or have such a face, or ""."""
    folded = fold_name(name)
    alike = Card.objects.filter(folded=folded) | Card.objects.filter(faces__folded=folded)
    names = sorted(set(alike.values_list("name", flat=True)))[:_HINTS]
    return f"; did you mean {' or '.join(repr(found) for found in names)}?" if names else ""
