"""The files of data/asked: how players ask about exactly one rule, "number: phrase" a line. Pure: looks nothing up.

A file a hundred, "7xx.txt" for sections 700 to 799. Comment lines begin with "#"; one of them says which edition the
numbers are those of: "# edition: 2026-08-07". Lines are sorted by number, then by phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from curation.entries import AskedEntry, Place, Problem
from judge.errors import InvalidRuleId
from judge.values import parse_rule_id, rule_order

ASKED_FOLDER = "asked"
PHRASE_LIMIT = 300  # characters, as the column has

_FILE = re.compile(r"[1-9]xx\.txt")
_EDITION = re.compile(r"# edition: *(\S+)\s*")
_LINE = re.compile(r"(\S+): +(\S.*)")


def parse_asked(folder: Path, problems: list[Problem]) -> tuple[AskedEntry, ...] | None:
    """The phrases in *folder*, each number and text once; what is wrong is added to *problems*.

    None where there is no such folder, or where one of its files cannot be read or names no edition: then nothing
    that is loaded changes (D64).
    """
    if not folder.is_dir():
        return None
    entries: dict[tuple[str, str], AskedEntry] = {}
    is_whole = True
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        name = f"{folder.name}/{path.name}"
        lines = _read(path, name, problems)
        edition = None if lines is None else _edition(lines, name, problems)
        if lines is None or edition is None:
            is_whole = False
            continue
        for entry in _entries(lines, name, edition, problems):
            first = entries.setdefault((entry.number, entry.text), entry)
            if first is not entry:
                problems.append(Problem(entry.place, f"this phrase already stands on line {first.place.line}"))
    return tuple(entries.values()) if is_whole else None


def asked_text(rows: Iterable[tuple[str, str]]) -> str:
    """The lines of *rows* (number and phrase, all of one file) in the order and form the files have."""
    ordered = sorted(rows, key=lambda row: (rule_order(parse_rule_id(row[0])), row[1]))
    return "".join(f"{number}: {text}\n" for number, text in ordered)


def file_of(number: str) -> str:
    """The file that *number* stands in: "7xx.txt"."""
    return f"{number[0]}xx.txt"


def edition_named(text: str) -> date | None:
    """The edition that the file's *text* names, None when none is named or it is no date."""
    for line in text.splitlines():
        if match := _EDITION.fullmatch(line):
            try:
                return date.fromisoformat(match[1])
            except ValueError:
                return None
    return None


def with_edition(comment: str, edition: date) -> str:
    """The opening *comment* of a file with *edition* for the one it names; added at its end when it names none."""
    line = f"# edition: {edition}\n"
    lines = comment.splitlines(keepends=True)
    if not any(_EDITION.fullmatch(each) for each in lines):
        return comment + line
    return "".join(line if _EDITION.fullmatch(each) else each for each in lines)


def _read(path: Path, name: str, problems: list[Problem]) -> list[str] | None:
    if not _FILE.fullmatch(path.name):
        problems.append(Problem(Place(name), "files here are called 1xx.txt to 9xx.txt, by the hundred of the rules"))
        return None
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        problems.append(Problem(Place(name), "the file is not UTF-8 text"))
    except OSError as error:
        problems.append(Problem(Place(name), f"the file cannot be read: {error.strerror or error}"))
    return None


def _edition(lines: list[str], name: str, problems: list[Problem]) -> date | None:
    edition = edition_named("\n".join(lines))
    if edition is None:
        problems.append(Problem(Place(name), "the file must name the edition of its numbers: '# edition: 2026-08-07'"))
    return edition


def _entries(lines: list[str], name: str, edition: date, problems: list[Problem]) -> Iterator[AskedEntry]:
    for at, line in enumerate(lines, start=1):
        if line.startswith("#") or not line.strip():
            continue
        found = _entry(line, Place(name, at), edition)
        if isinstance(found, Problem):
            problems.append(found)
        else:
            yield found


def _entry(line: str, place: Place, edition: date) -> AskedEntry | Problem:
    match = _LINE.fullmatch(line.rstrip())
    if match is None:
        return Problem(place, "expected a rule number, a colon and a phrase: '702.19b: my trampler is double blocked'")
    number, text = match[1], " ".join(match[2].split())
    if not _is_rule_number(number):
        return Problem(place, f"{number!r} is no rule number; rule numbers look like 702.19 or 702.19b")
    if file_of(number) != Path(place.file).name:
        return Problem(place, f"{number} belongs in {file_of(number)}")
    if len(text) > PHRASE_LIMIT:
        return Problem(place, f"the phrase has {len(text)} characters; {PHRASE_LIMIT} fit")
    return AskedEntry(number, text, edition, place)


def _is_rule_number(text: str) -> bool:
    try:
        return parse_rule_id(text) == text
    except InvalidRuleId:
        return False
