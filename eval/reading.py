"""Reads a list of entries from a file of an evaluation set, and says what is wrong with a file that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml


class BadSet(ValueError):
    """A file of questions, cases or extractions cannot be read; the message names the file, the entry and why."""


def text_of(file: Path) -> str:
    """What *file* says. Raises BadSet."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise BadSet(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise BadSet(f"{file} is not UTF-8: {error}") from None


def entries_of(file: Path, key: str, noun: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every entry of the list *key* of the YAML *file*, with what to call it: "gold.yaml, question 3 (walls)".

    Raises BadSet, also for a list that is missing or empty.
    """
    try:
        loaded = yaml.safe_load(text_of(file))
    except yaml.YAMLError as error:
        raise BadSet(f"{file} is not readable YAML: {error}") from None
    entries = loaded.get(key) if isinstance(loaded, dict) else None
    if not isinstance(entries, list) or not entries:
        raise BadSet(f"{file} has no list called {key!r}")
    for number, entry in enumerate(entries, start=1):
        yield _named(f"{file}, {noun} {number}", entry)


def lines_of(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every line of a file of JSON lines, with what to call it. Raises BadSet."""
    for number, line in enumerate(text_of(file).splitlines(), start=1):
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise BadSet(f"{file}, line {number} is not readable JSON: {error}") from None
        yield _named(f"{file}, line {number}", entry)


def _named(where: str, entry: Any) -> tuple[str, dict[str, Any]]:
    if not isinstance(entry, dict):
        raise BadSet(f"{where} is not a mapping")
    return f"{where} ({entry.get('id', 'without id')})", entry
