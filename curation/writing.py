"""The curated tables written back in the one form the files in data/ have: a diff shows only changes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, override

import yaml

from cards.models import Card
from curation.asked_files import ASKED_FOLDER, asked_text, file_of, with_edition
from curation.entries import UnmappedEntry
from curation.models import AskedPhrase, CardAlias, CardNote, Category
from curation.parsing import ALIASES_FILE, CATEGORIES_FILE, NOTES_FILE, parse_folder
from rules.models import Edition

_WIDTH = 108  # characters; the last word of a line may pass it


class _Prose(str):
    """Text written as a folded block."""


class _Row(tuple[str, ...]):
    """A list written on one line, wrapped."""


class _Dumper(yaml.SafeDumper):
    """SafeDumper without anchors: equal lists are written out each time."""

    @override
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _write_prose(dumper: yaml.SafeDumper, text: _Prose) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=">")


def _write_row(dumper: yaml.SafeDumper, row: _Row) -> yaml.Node:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", list(row), flow_style=True)


_Dumper.add_representer(_Prose, _write_prose)
_Dumper.add_representer(_Row, _write_row)


def export_curation(folder: Path) -> tuple[Path, ...]:
    """Writes the files into *folder* and gives their paths; a file appears whole or not at all.

    Live rows only, files' and curators' alike. The comment that opens a file already there is kept, and so is its
    list of unmapped sections, which no table holds. Ways to ask go into asked/ there, under the current edition.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        ALIASES_FILE: render({"aliases": _alias_rows()}),
        NOTES_FILE: render({"notes": _note_rows()}),
        CATEGORIES_FILE: render(_categories_document(parse_folder(folder).unmapped)),
    }
    written = [_replace(folder / name, _opening_comment(folder / name) + text) for name, text in texts.items()]
    return (*written, *_export_asked(folder / ASKED_FOLDER))


def _export_asked(folder: Path) -> list[Path]:
    """Writes a file for each hundred that has phrases; one that has none any more keeps its comment alone."""
    edition = Edition.objects.current()
    if edition is None:
        return []
    rows: dict[str, list[tuple[str, str]]] = {path.name: [] for path in sorted(folder.glob("?xx.txt"))}
    for number, text in AskedPhrase.objects.values_list("number", "text"):
        rows.setdefault(file_of(number), []).append((number, text))
    if rows:
        folder.mkdir(exist_ok=True)
    return [
        _replace(
            folder / name, with_edition(_opening_comment(folder / name), edition.effective) + asked_text(rows[name])
        )
        for name in sorted(rows)
    ]


def render(document: Mapping[str, Sequence[Mapping[str, object]]]) -> str:
    """*document* as YAML text in the files' form."""
    return yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_WIDTH)


def _alias_rows() -> list[dict[str, object]]:
    # Sorted here and not by the database, whose order depends on its collation.
    aliases = sorted(CardAlias.objects.live().select_related("card"), key=lambda alias: alias.folded)
    shared = _shared_names(alias.card for alias in aliases)
    rows = []
    for alias in aliases:
        row: dict[str, object] = {"alias": alias.alias, **_card(alias.card, shared)}
        if alias.common_word:
            row["common_word"] = True
        rows.append(row)
    return rows


def _note_rows() -> list[dict[str, object]]:
    # A curator's note comes last for its card and wins, as it does when loading.
    notes = {note.card_id: note for note in CardNote.objects.select_related("card").order_by("-origin")}
    shared = _shared_names(note.card for note in notes.values())
    return [
        {**_card(note.card, shared), "rules": _Row(note.rules), "text": _Prose(note.text)}
        for note in sorted(notes.values(), key=lambda note: (note.card.folded, str(note.card_id)))
    ]


def _categories_document(unmapped: Iterable[UnmappedEntry]) -> dict[str, list[dict[str, object]]]:
    categories: list[dict[str, object]] = [
        {
            "key": category.key,
            "title": category.title,
            **({"description": _Prose(category.description)} if category.description else {}),
            "sections": _Row(category.sections),
            "keywords": _Row(category.keywords),
        }
        for category in sorted(Category.objects.all(), key=lambda category: category.key)
    ]
    document = {"categories": categories}
    left: list[dict[str, object]] = [{"section": entry.section, "reason": entry.reason} for entry in unmapped]
    if left:
        document["unmapped"] = left
    return document


def _card(card: Card, shared: frozenset[str]) -> dict[str, object]:
    return {"card": card.name, **({"oracle_id": str(card.oracle_id)} if card.name in shared else {})}


def _shared_names(cards: Iterable[Card]) -> frozenset[str]:
    """The names among *cards* that several cards have: those need their oracle_id."""
    names = {card.name for card in cards}
    counts = Counter(Card.objects.filter(name__in=names).values_list("name", flat=True))
    return frozenset(name for name, count in counts.items() if count > 1)


def _replace(path: Path, text: str) -> Path:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def _opening_comment(path: Path) -> str:
    """The comment lines that open the file at *path*, with their line ends; "" when there is none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except FileNotFoundError:
        return ""
    comment = []
    for line in lines:
        if not line.startswith("#"):
            break
        comment.append(line)
    return "".join(comment)
