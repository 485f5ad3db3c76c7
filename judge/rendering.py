"""Sources put in words: labels of citations, and the card data a citation may quote."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from judge.values import (
    Card,
    CardDataCitation,
    CardId,
    Citation,
    Context,
    Face,
    GlossaryCitation,
    OracleTextCitation,
    PriorCallCitation,
    RuleCitation,
    RulingCitation,
)


def label(citation: Citation, context: Context) -> str:
    """The source of *citation* in words, short enough for a line on a phone: "rule 702.19b"."""
    match citation:
        case RuleCitation():
            return f"rule {citation.id}"
        case RulingCitation():
            return f"ruling on {_card_name(citation.card, context)}{_ruling_date(citation, context)}"
        case OracleTextCitation():
            return f"Oracle text of {_face_name(citation, context)}"
        case GlossaryCitation():
            return f"glossary entry “{citation.term}”"
        case CardDataCitation():
            return f"card data of {_card_name(citation.card, context)}"
        case PriorCallCitation():
            return f"earlier call {citation.id}"
    assert_never(citation)


def card_data(card: Card) -> str:
    """What is printed on *card* beside its rules text, one fact a line: the text CardDataCitation quotes.

    Facts of a face name the face when there are several. Legality lines use Scryfall's words.
    """
    faces = [line for face in card.faces for line in _face_data(face, named=len(card.faces) > 1)]
    return "\n".join([f"Name: {card.name}", *faces, *_identity(card)])


def _face_data(face: Face, *, named: bool) -> Iterable[str]:
    of = f" of {face.name}" if named else ""
    facts = (
        ("Mana cost", face.mana_cost),
        ("Type line", face.type_line),
        ("Colors", ", ".join(face.colors)),
        ("Power/toughness", f"{face.power}/{face.toughness}" if face.power or face.toughness else ""),
        ("Loyalty", face.loyalty),
        ("Defense", face.defense),
    )
    return (f"{name}{of}: {value}" for name, value in facts if value)


def _identity(card: Card) -> Iterable[str]:
    yield f"Color identity: {', '.join(card.color_identity) or 'colorless'}"
    if card.keywords:
        yield f"Keywords: {', '.join(card.keywords)}"
    for name, status in card.legalities:
        yield f"Legality in {name}: {status.replace('_', ' ')}"


def _card_name(wanted: CardId, context: Context) -> str:
    return next((card.name for card in context.cards if card.id == wanted), "a card")


def _face_name(citation: OracleTextCitation, context: Context) -> str:
    faces = (face for card in context.cards if card.id == citation.card for face in card.faces)
    return next((face.name for face in faces if face.index == citation.face), "a card")


def _ruling_date(citation: RulingCitation, context: Context) -> str:
    for ruling in context.rulings:
        if (ruling.card, ruling.key) == (citation.card, citation.key):
            return f" ({ruling.published_at.isoformat()})"
    return ""
