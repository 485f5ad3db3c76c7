"""The curated files (aliases.yaml, notes.yaml, categories.yaml, asked/) read into entries. Pure: looks nothing up."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import yaml

from curation.asked_files import ASKED_FOLDER, parse_asked
from curation.entries import (
    AliasEntry,
    CardName,
    CategoryEntry,
    CuratedFiles,
    NoteEntry,
    Place,
    Problem,
    UnmappedEntry,
)
from curation.yaml_entries import Fields, UnreadableFileError, read_lists
from judge.errors import InvalidRuleId
from judge.folding import fold_name
from judge.values import parse_rule_id

ALIASES_FILE = "aliases.yaml"
NOTES_FILE = "notes.yaml"
CATEGORIES_FILE = "categories.yaml"

# Lengths of the columns these end up in.
_ALIAS_LIMIT = 200
_NAME_LIMIT = 300
_NUMBER_LIMIT = 12
_KEY_LIMIT = 60
_TITLE_LIMIT = 100
_KEYWORD_LIMIT = 80

_KEY = re.compile(r"[a-z][a-z0-9_]*")
_SECTION = re.compile(r"[1-9]\d\d")


def parse_folder(folder: Path) -> CuratedFiles:
    """What the files in *folder* and its asked/ say, and everything that is wrong with them by themselves."""
    problems: list[Problem] = []
    aliases = _parse_list(folder / ALIASES_FILE, "aliases", parse_alias, problems)
    notes = _parse_list(folder / NOTES_FILE, "notes", parse_note, problems)
    categories, unmapped = _parse_categories(folder / CATEGORIES_FILE, problems)
    asked = parse_asked(folder / ASKED_FOLDER, problems)
    return CuratedFiles(
        aliases=_unclaimed(aliases, problems),
        notes=_first_of_each(notes, lambda note: str(note.card.oracle_id or note.card.name), "the card", problems),
        categories=_first_of_each(categories, lambda category: category.key, "the key", problems),
        asked=asked,
        unmapped=unmapped,
        problems=tuple(sorted(problems)),
    )


def parse_alias(fields: Fields) -> AliasEntry | None:
    """The alias that *fields* write, or None: then fields.problems says why."""
    alias = fields.text("alias", limit=_ALIAS_LIMIT)
    card = _card_name(fields)
    common_word = fields.flag("common_word")
    folded = fold_name(alias)
    if alias and not folded:
        fields.object_to(f"the alias {alias!r} has no letter or digit")
    if not fields.finish():
        return None
    return AliasEntry(alias=alias, folded=folded, card=card, common_word=common_word, place=fields.place)


def parse_note(fields: Fields) -> NoteEntry | None:
    """The note that *fields* write, or None: then fields.problems says why."""
    card = _card_name(fields)
    text = fields.text("text")
    rules = fields.texts("rules", limit=_NUMBER_LIMIT, numbers=True)
    if not rules and not fields.problems:
        fields.object_to("the note names no rule that decides it ('rules')")
    for number in rules:
        if not _is_rule_number(number):
            fields.object_to(f"{number!r} is no rule number; rule numbers look like 702.19 or 702.19b")
    return NoteEntry(card=card, text=text, rules=rules, place=fields.place) if fields.finish() else None


def parse_category(fields: Fields) -> CategoryEntry | None:
    """The category that *fields* write, or None: then fields.problems says why."""
    key = fields.text("key", limit=_KEY_LIMIT)
    title = fields.text("title", limit=_TITLE_LIMIT)
    description = fields.text("description", required=False)
    sections = fields.texts("sections", limit=_NUMBER_LIMIT, numbers=True)
    keywords = fields.texts("keywords", limit=_KEYWORD_LIMIT)
    if key and not _KEY.fullmatch(key):
        fields.object_to(f"the key {key!r} may hold small letters, digits and underscores only")
    for number in sections:
        if not (_SECTION.fullmatch(number) or _is_rule_number(number)):
            fields.object_to(f"{number!r} is neither a section such as 603 nor a rule such as 113.3")
    if not fields.finish():
        return None
    return CategoryEntry(
        key=key, title=title, description=description, sections=sections, keywords=keywords, place=fields.place
    )


def parse_unmapped(fields: Fields) -> UnmappedEntry | None:
    """The section left unmapped on purpose, or None: then fields.problems says why."""
    section = fields.text("section", limit=_NUMBER_LIMIT)
    reason = fields.text("reason")
    if section and not _SECTION.fullmatch(section):
        fields.object_to(f"{section!r} is no section; sections look like 206")
    return UnmappedEntry(section=section, reason=reason, place=fields.place) if fields.finish() else None


def _card_name(fields: Fields) -> CardName:
    name = fields.text("card", limit=_NAME_LIMIT)
    written = fields.text("oracle_id", required=False)
    if not written:
        return CardName(name)
    try:
        return CardName(name, UUID(written))
    except ValueError:
        fields.object_to(f"the oracle_id {written!r} is no UUID")
        return CardName(name)


def _is_rule_number(text: str) -> bool:
    # A number is stored as the rules write it, so the forgiving spellings of parse_rule_id are refused here.
    try:
        return parse_rule_id(text) == text
    except InvalidRuleId:
        return False


def _parse_list[E](
    path: Path, key: str, parse: Callable[[Fields], E | None], problems: list[Problem]
) -> list[E] | None:
    """The entries under *key*; None when the file cannot be read."""
    try:
        nodes = read_lists(path, (key,))[key]
    except UnreadableFileError as error:
        problems.append(error.problem)
        return None
    return _parse_nodes(nodes, path.name, parse, problems)


def _parse_categories(
    path: Path, problems: list[Problem]
) -> tuple[list[CategoryEntry] | None, tuple[UnmappedEntry, ...]]:
    try:
        lists = read_lists(path, ("categories", "unmapped"))
    except UnreadableFileError as error:
        problems.append(error.problem)
        return None, ()
    categories = _parse_nodes(lists["categories"], path.name, parse_category, problems)
    return categories, tuple(_parse_nodes(lists["unmapped"], path.name, parse_unmapped, problems))


def _parse_nodes[E](
    nodes: list[yaml.Node], file: str, parse: Callable[[Fields], E | None], problems: list[Problem]
) -> list[E]:
    entries: list[E] = []
    for node in nodes:
        fields = Fields(node, file)
        entry = parse(fields)
        problems.extend(fields.problems)
        if entry is not None:
            entries.append(entry)
    return entries


def _unclaimed(aliases: list[AliasEntry] | None, problems: list[Problem]) -> tuple[AliasEntry, ...] | None:
    """*aliases* without those that two entries claim: for two cards none is taken, for one card the first is."""
    if aliases is None:
        return None
    claims: dict[str, list[AliasEntry]] = {}
    for entry in aliases:
        claims.setdefault(entry.folded, []).append(entry)
    kept: list[AliasEntry] = []
    for first, *others in claims.values():
        if not others:
            kept.append(first)
        elif all(other.card == first.card for other in others):
            kept.append(first)
            problems.extend(
                Problem(other.place, f"the alias {other.alias!r} already stands on line {first.place.line}")
                for other in others
            )
        else:
            problems.append(_claimed_twice(first, others))
    return tuple(kept)


def _claimed_twice(first: AliasEntry, others: list[AliasEntry]) -> Problem:
    claimants = ", ".join(f"{entry.card.name} (line {entry.place.line})" for entry in (first, *others))
    message = f"the alias {first.alias!r} is claimed for different cards: {claimants}; none of them is taken"
    return Problem(first.place, message)


def _first_of_each[E: (NoteEntry, CategoryEntry)](
    entries: list[E] | None, key_of: Callable[[E], str], what: str, problems: list[Problem]
) -> tuple[E, ...] | None:
    """*entries* without those whose key an earlier one has."""
    if entries is None:
        return None
    seen: dict[str, Place] = {}
    kept: list[E] = []
    for entry in entries:
        key = key_of(entry)
        if key in seen:
            problems.append(Problem(entry.place, f"{what} {key!r} already has an entry on line {seen[key].line}"))
            continue
        seen[key] = entry.place
        kept.append(entry)
    return tuple(kept)
