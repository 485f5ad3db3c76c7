"""Rows of the cards app as the judge's values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cards import models
from judge.values import Card, CardId, Face, Ruling, RulingKey


def cards_by_id(ids: Iterable[CardId]) -> dict[CardId, Card]:
    """The cards of *ids*; an id without a card is absent. Two queries, none for no ids."""
    wanted = set(ids)
    if not wanted:
        return {}
    return {CardId(row.oracle_id): card_value(row) for row in models.Card.objects.of_ids(wanted)}


def rulings_by_card(ids: Iterable[CardId]) -> Mapping[CardId, tuple[Ruling, ...]]:
    """The rulings of each card that has any, newest first. One query, none for no ids."""
    wanted = set(ids)
    if not wanted:
        return {}
    found: dict[CardId, list[Ruling]] = {}
    for row in models.Ruling.objects.of_cards(wanted):
        found.setdefault(CardId(row.card_id), []).append(_ruling(row))
    return {card: tuple(rulings) for card, rulings in found.items()}


def card_value(row: models.Card) -> Card:
    """The card of *row*, whose faces should be prefetched."""
    return Card(
        id=CardId(row.oracle_id),
        name=row.name,
        layout=row.layout,
        faces=tuple(_face(face) for face in sorted(row.faces.all(), key=lambda face: face.index)),
        color_identity=tuple(row.color_identity),
        keywords=tuple(row.keywords),
        legalities=tuple(sorted(row.legalities.items())),
        scryfall_uri=row.scryfall_uri,
    )


def _face(row: models.CardFace) -> Face:
    return Face(
        index=row.index,
        name=row.name,
        mana_cost=row.mana_cost,
        type_line=row.type_line,
        oracle_text=row.oracle_text,
        power=row.power,
        toughness=row.toughness,
        loyalty=row.loyalty,
        defense=row.defense,
        colors=tuple(row.colors),
    )


def _ruling(row: models.Ruling) -> Ruling:
    return Ruling(
        card=CardId(row.card_id),
        key=RulingKey(row.key),
        published_at=row.published_at,
        source=row.source,
        text=row.text,
    )
