"""What the curated files say, as plain values: one entry a row, each knowing where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from uuid import UUID


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where an entry stands: file name and line, counted from 1; line 0 means the file as a whole."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Something that was not loaded, and why, in words for the person who keeps the files."""

    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class CardName:
    """How a file names a card: its full name, and the oracle_id where several cards share the name."""

    name: str
    oracle_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class AliasEntry:
    """A nickname and the card it stands for. folded is fold_name(alias), never empty."""

    alias: str
    folded: str
    card: CardName
    common_word: bool
    place: Place


@dataclass(frozen=True, slots=True)
class NoteEntry:
    """A note on one card, with the numbers of the rules that decide it, in the file's order."""

    card: CardName
    text: str
    rules: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class CategoryEntry:
    """One category. sections holds CR sections ("603") and rules ("113.3") as written."""

    key: str
    title: str
    description: str
    sections: tuple[str, ...]
    keywords: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class UnmappedEntry:
    """A CR section that no category maps on purpose."""

    section: str
    reason: str
    place: Place


@dataclass(frozen=True, slots=True)
class AskedEntry:
    """A way players ask about exactly one rule or subrule; edition: the one that *number* is of."""

    number: str
    text: str
    edition: date
    place: Place


@dataclass(frozen=True, slots=True)
class CuratedFiles:
    """All that a folder of curated files says.

    A part that is None could not be read at all (no such file, broken YAML): what is loaded of it stays as it is.
    problems: everything that is wrong by itself, before any card or rule is looked up.
    """

    aliases: tuple[AliasEntry, ...] | None = None
    notes: tuple[NoteEntry, ...] | None = None
    categories: tuple[CategoryEntry, ...] | None = None
    asked: tuple[AskedEntry, ...] | None = None
    unmapped: tuple[UnmappedEntry, ...] = ()
    problems: tuple[Problem, ...] = field(default=())
