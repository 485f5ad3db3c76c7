"""The vocabulary files of data/ as judge.vocabulary's values."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings

from judge.translation import ForeignTerm, Translation, spelled_form
from judge.vocabulary import Term, Topic, Vocabulary, phrases

LANGUAGES = ("fr", "de", "es", "it", "pt")


@cache
def vocabulary() -> Vocabulary:
    """What data/vocabulary.yaml, keywords_i18n.yaml and words_i18n.yaml say, read once a process."""
    folder = Path(settings.BASE_DIR) / "data"
    spoken = _read(folder / "vocabulary.yaml")
    # Keywords first: where both files know a form, the rules term counts.
    foreign = [*_read(folder / "keywords_i18n.yaml")["terms"], *_read(folder / "words_i18n.yaml")["words"]]
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


def _foreign(entries: list[dict[str, Any]], language: str) -> Translation:
    return Translation(
        tuple(
            ForeignTerm(
                tuple(dict.fromkeys(map(spelled_form, entry[language]))), entry["en"], str(entry.get("cr", ""))[:3]
            )
            for entry in entries
            if entry.get(language)
        )
    )


def _read(file: Path) -> Any:
    return yaml.safe_load(file.read_text(encoding="utf-8"))
