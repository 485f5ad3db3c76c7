"""Invented cards, an invented edition, and a folder of curated files that loads cleanly over them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from uuid import UUID, uuid5

import pytest

from cards.models import Card, CardFace
from judge.folding import fold_name
from rules.models import Edition, Rule, Section

NAMESPACE = UUID("5f0c7a1e-0000-4000-8000-000000000000")

ALIASES = """\
# Nicknames of the invented cards.
aliases:
- alias: drake
  card: Emberfang Drake
  common_word: true
- alias: misty one
  card: Sheltering Mist
"""
NOTES = """\
# Notes of the invented cards.
notes:
- card: Emberfang Drake
  rules: [603.2a, '104.10']
  text: >-
    Its trigger is on its own once it is on the stack.
"""
CATEGORIES = """\
# Invented categories.
categories:
- key: triggers
  title: Triggers
  description: >-
    When, whenever and at.
  sections: ['603']
  keywords: [when, whenever]
- key: winning
  title: Winning
  sections: ['104.10']
  keywords: [win]
unmapped:
- section: '206'
  reason: only decoration
"""


def make_card(name: str, *, number: int = 0, is_funny: bool = False) -> Card:
    """A stored card called *name*, with its faces; number tells cards of one name apart."""
    card = Card.objects.create(
        oracle_id=uuid5(NAMESPACE, f"{name}{number or ''}"),
        name=name,
        folded=fold_name(name),
        layout="normal",
        is_funny=is_funny,
        fingerprint=name,
    )
    for index, face in enumerate(name.split(" // ")):
        CardFace.objects.create(card=card, index=index, name=face, folded=fold_name(face))
    return card


def make_edition(*, is_sample: bool = False) -> Edition:
    """A stored current edition with the sections 104, 206 and 603."""
    edition = Edition.objects.create(
        effective=date(2026, 1, 1), sha256="0" * 64, file_name="invented.txt", is_current=True, is_sample=is_sample
    )
    add_section(edition, "1", "Concepts")
    add_section(edition, "104", "Ending the Game", "104.1", "104.10")
    add_section(edition, "206", "Decoration", "206.1")
    add_section(edition, "603", "Triggers", "603.2", "603.2a")
    return edition


def add_section(edition: Edition, number: str, title: str, *rules: str) -> None:
    """Stores the section and its rules."""
    Section.objects.create(edition=edition, number=number, title=title)
    for rule in rules:
        Rule.objects.create(
            edition=edition, number=rule, section=number, position=0, text="Text.", body="Text.", body_hash=rule
        )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the three files as above."""
    for name, text in (("aliases", ALIASES), ("notes", NOTES), ("categories", CATEGORIES)):
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def corpus(db: None) -> Edition:
    """The invented cards, and the edition."""
    for name in ("Emberfang Drake", "Sheltering Mist", "Cinder Volley", "Dawn Page // Dusk Page"):
        make_card(name)
    return make_edition()
