"""The vocabulary files of data/ as judge.vocabulary's values."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings

from judge.folding import fold_name
from judge.vocabulary import ForeignTerm, Term, Topic, Vocabulary, phrases

LANGUAGES = ("fr", "de", "es", "it", "pt")


@cache
def vocabulary() -> Vocabulary:
    """What data/vocabulary.yaml and data/keywords_i18n.yaml say, read once a process."""
    folder = Path(settings.BASE_DIR) / "data"
    spoken = _read(folder / "vocabulary.yaml")
    foreign = _read(folder / "keywords_i18n.yaml")["terms"]
    return Vocabulary(
        terms=tuple(
            Term(phrases(map(str, entry["say"])), entry["cr"], tuple(map(str, entry.get("sections", ()))))
            for entry in spoken["terms"]
        ),
        idioms=phrases(spoken["idioms"]),
        foreign={language: _foreign(foreign, language) for language in LANGUAGES},
        sources={
            source: Topic(phrases(map(str, words["decide"])), phrases(map(str, words["hint"])))
            for source, words in spoken["sources"].items()
        },
    )


def _foreign(entries: list[dict[str, Any]], language: str) -> tuple[ForeignTerm, ...]:
    return tuple(
        ForeignTerm(tuple(dict.fromkeys(_as_text(form) for form in entry[language])), entry["en"], str(entry["cr"])[:3])
        for entry in entries
        if entry.get(language)
    )


def _as_text(form: str) -> str:
    """*form* folded as question text is: an apostrophe divides words."""
    return fold_name(form.replace("'", " ").replace("’", " "))


def _read(file: Path) -> Any:
    return yaml.safe_load(file.read_text(encoding="utf-8"))
