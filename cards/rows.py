"""Scryfall's objects as the rows we keep. Pure: no database, no file.

Object fields: https://scryfall.com/docs/api/cards and https://scryfall.com/docs/api/rulings
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judge.folding import fold_name

# Raise it when this module or the fold changes what comes out of the same object: every file is then read again.
MAPPING_VERSION = 1

type Obj = Mapping[str, Any]

# Layouts and front types of what is in no deck: none of it is asked about by name, and its names get in the way of
# cards (a token called Illusion, an art card called Edgar). Lower case, for "pLAnE" is a real type line.
_EXTRA_LAYOUTS = {
    "token": "token",
    "double_faced_token": "token",
    "emblem": "emblem",
    "art_series": "art card",
    "planar": "plane or phenomenon",
    "scheme": "scheme",
    "vanguard": "vanguard",
}
_EXTRA_TYPES = {
    "token": "token",
    "emblem": "emblem",
    "card": "art card",
    "plane": "plane or phenomenon",
    "phenomenon": "plane or phenomenon",
    "scheme": "scheme",
    "vanguard": "vanguard",
    "stickers": "sticker sheet",
    "hero": "hero or challenge deck",
}
# Formats that only exist on a screen; a card legal in any other format has been printed on paper, whichever
# printing stands for it in the file.
_SCREEN_FORMATS = frozenset(
    {"alchemy", "historic", "historicbrawl", "timeless", "gladiator", "brawl", "standardbrawl", "explorer", "penny"}
)
_PLAYABLE = frozenset({"legal", "restricted", "banned"})
# Readings that some sources put behind kanji; a few names stop inside one.
_FURIGANA = re.compile(r"（[ぁ-ゖゝゞァ-ヺー・\s]+(?:）|$)")
_MANA_COLORS = "WUBRG"
_NAME = 300  # characters, as the name columns


class Unusable(ValueError):
    """An object we do not keep; str() is the reason, a few words that the report counts by."""


@dataclass(frozen=True, slots=True)
class FaceRow:
    """cards_cardface without its card."""

    index: int
    name: str
    folded: str
    mana_cost: str
    type_line: str
    oracle_text: str
    power: str
    toughness: str
    loyalty: str
    defense: str
    colors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CardRow:
    """cards_card with its faces. legalities is JSON; fingerprint covers every other field and the faces."""

    oracle_id: uuid.UUID
    name: str
    folded: str
    layout: str
    color_identity: tuple[str, ...]
    keywords: tuple[str, ...]
    legalities: str
    scryfall_uri: str
    released_at: dt.date | None
    set_type: str
    is_funny: bool
    faces: tuple[FaceRow, ...]
    fingerprint: str
    is_reversible: bool  # a printing with the same card on both sides; a plain object of the card is better


@dataclass(frozen=True, slots=True)
class RulingRow:
    """cards_ruling. key is the same whenever date and text are."""

    oracle_id: uuid.UUID
    key: str
    published_at: dt.date
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class NameRow:
    """cards_printedname without the file that told it."""

    oracle_id: uuid.UUID
    lang: str
    name: str
    folded: str


def card_rows(obj: Obj) -> tuple[CardRow, ...]:
    """The cards in one object of oracle_cards: one, or those on the sides of a reversible card.

    Raises Unusable for extras, for digital-only cards and for what is no complete card.
    """
    _refuse_extras(obj)
    if obj.get("layout") == "reversible_card" and "oracle_id" not in obj:
        sides: dict[uuid.UUID, Obj] = {}
        for face in _dicts(obj, "card_faces"):
            sides.setdefault(_oracle_id(face), face)
        if not sides:
            raise Unusable("no oracle_id")
        return tuple(_card(oracle_id, obj, face, (face,)) for oracle_id, face in sides.items())
    faces = tuple(_dicts(obj, "card_faces")) or (obj,)
    return (_card(_oracle_id(obj), obj, obj, faces),)


def ruling_row(obj: Obj) -> RulingRow:
    """The ruling in one object of rulings. Raises Unusable when it is none."""
    text = _text(obj, "comment")
    published_at = _date(obj, "published_at")
    if not text or published_at is None:
        raise Unusable("malformed")
    return RulingRow(
        _oracle_id(obj), ruling_key(published_at, text), published_at, _text(obj, "source", limit=20), text
    )


def ruling_key(published_at: dt.date, text: str) -> str:
    """SHA-256, in hex, of the ISO date, a line feed and the text: the ruling's identity on its card."""
    return hashlib.sha256(f"{published_at.isoformat()}\n{text}".encode()).hexdigest()


def name_rows(obj: Obj) -> Iterator[NameRow]:
    """The names one printing carries beside its Oracle name: printed, flavour and localized, whole and by face.

    Names are not compared with the Oracle name here. Raises Unusable when the object is no printing.
    """
    lang = _text(obj, "lang", limit=10)
    if not lang:
        raise Unusable("malformed")
    faces = _dicts(obj, "card_faces")
    owner = _oracle_id(obj) if "oracle_id" in obj else None
    for key in ("printed_name", "flavor_name"):
        yield from _named(owner or _oracle_id(faces[0] if faces else obj), lang, _text(obj, key, limit=_NAME))
        by_face = [_text(face, key, limit=_NAME) for face in faces]
        for face, name in zip(faces, by_face, strict=True):
            yield from _named(owner or _oracle_id(face), lang, name)
        if owner and len(by_face) > 1 and all(by_face):
            yield from _named(owner, lang, " // ".join(by_face))


def _named(oracle_id: uuid.UUID, lang: str, name: str) -> Iterator[NameRow]:
    name = _FURIGANA.sub("", name) if lang == "ja" else name
    if name and (folded := fold_name(name)) and len(folded) <= _NAME:
        yield NameRow(oracle_id, lang, name, folded)


def _refuse_extras(obj: Obj) -> None:
    """Raises Unusable when *obj* is none of the cards that are played with."""
    extra = _EXTRA_LAYOUTS.get(_text(obj, "layout"))
    front = _text(obj, "type_line").partition(" // ")[0].partition("—")[0].lower().split()
    if extra is None:
        extra = next((_EXTRA_TYPES[word] for word in front if word in _EXTRA_TYPES), None)
    if extra is None and obj.get("set_type") == "token" and not _formats(obj) and "dungeon" not in front:
        extra = "hero or challenge deck"
    if extra is None and _is_digital(obj):
        extra = "digital only"
    if extra is not None:
        raise Unusable(extra)


def _is_digital(obj: Obj) -> bool:
    """Whether the card exists on screens alone; without `games` only Arena's rebalanced "A-" names tell."""
    games = obj.get("games")
    if isinstance(games, list) and "paper" in games:
        return False
    if re.match(r"A-\w", _text(obj, "name")):  # "Armory Veteran" has a rebalanced twin "A-Armory Veteran"
        return True
    return isinstance(games, list) and not _formats(obj) - _SCREEN_FORMATS


def _formats(obj: Obj) -> set[str]:
    """The formats that know the card, be it legal, restricted or banned there."""
    return {name for name, status in _dict(obj, "legalities").items() if status in _PLAYABLE}


def _is_funny(obj: Obj) -> bool:
    """Whether *obj* is an un-card or a playtest card: no format knows it, and it looks like one.

    Neither sign is enough. Cards not yet released, and those whose printing in the file is a gold-bordered one,
    are legal nowhere either; some cards of funny sets are legal.
    """
    looks = (
        obj.get("set_type") == "funny"
        or obj.get("border_color") == "silver"
        or obj.get("security_stamp") == "acorn"
        or "playtest" in (obj.get("promo_types") or ())
    )
    return bool(looks and _dict(obj, "legalities") and not _formats(obj))


def _card(oracle_id: uuid.UUID, obj: Obj, named: Obj, faces: tuple[Obj, ...]) -> CardRow:
    """The row of *oracle_id*: *named* gives its name, *faces* its faces, *obj* the rest."""
    name = _name(named)
    values: dict[str, Any] = {
        "name": name,
        "folded": fold_name(name),
        "layout": _text(named, "layout", limit=40) or _text(obj, "layout", limit=40),
        "color_identity": _texts(obj, "color_identity"),
        "keywords": _texts(obj, "keywords", limit=80),
        "legalities": json.dumps(_dict(obj, "legalities"), sort_keys=True),
        "scryfall_uri": _text(obj, "scryfall_uri", limit=500).partition("?")[0],
        "released_at": _date(obj, "released_at"),
        "set_type": _text(obj, "set_type", limit=40),
        "is_funny": _is_funny(obj),
        "faces": tuple(_face(index, obj, face) for index, face in enumerate(faces)),
    }
    fingerprint = hashlib.sha256(repr(values).encode()).hexdigest()
    is_reversible = obj.get("layout") == "reversible_card"
    return CardRow(oracle_id=oracle_id, fingerprint=fingerprint, is_reversible=is_reversible, **values)


def _face(index: int, card: Obj, face: Obj) -> FaceRow:
    name = _name(face)
    return FaceRow(
        index=index,
        name=name,
        folded=fold_name(name),
        mana_cost=_text(face, "mana_cost", limit=100),
        type_line=_text(face, "type_line", limit=300),
        oracle_text=_text(face, "oracle_text"),
        power=_text(face, "power", limit=10),
        toughness=_text(face, "toughness", limit=10),
        loyalty=_text(face, "loyalty", limit=10),
        defense=_text(face, "defense", limit=10),
        colors=_colors(card, face),
    )


def _colors(card: Obj, face: Obj) -> tuple[str, ...]:
    """The face's colors. Split, adventure and flip faces carry none of their own: only the card does."""
    if "colors" in face:
        return _texts(face, "colors")
    if "color_indicator" in face:
        return _texts(face, "color_indicator")
    cost = _text(face, "mana_cost")
    if cost:
        return tuple(color for color in _MANA_COLORS if color in cost)
    # A flipped card keeps the color its unflipped mana cost gives it (CR 710.1c).
    return _texts(card, "colors") if card.get("layout") == "flip" else ()


def _oracle_id(obj: Obj) -> uuid.UUID:
    try:
        return uuid.UUID(obj["oracle_id"])
    except (KeyError, ValueError, AttributeError, TypeError) as error:
        raise Unusable("no oracle_id") from error


def _name(obj: Obj) -> str:
    name = _text(obj, "name", limit=_NAME)
    if not name:
        raise Unusable("malformed")
    return name


def _text(obj: Obj, key: str, *, limit: int | None = None) -> str:
    """obj[key] without NUL, which Postgres cannot hold; "" when absent. *limit* in characters, as the column."""
    value = obj.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or (limit is not None and len(value) > limit):
        raise Unusable("malformed")
    return value.replace("\x00", "")


def _texts(obj: Obj, key: str, *, limit: int = 1) -> tuple[str, ...]:
    """obj[key], a list of texts of at most *limit* characters each; () when absent."""
    value = obj.get(key) or ()
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) and len(item) <= limit for item in value):
        raise Unusable("malformed")
    return tuple(value)


def _dicts(obj: Obj, key: str) -> list[Obj]:
    value = obj.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Unusable("malformed")
    return value


def _dict(obj: Obj, key: str) -> dict[str, Any]:
    value = obj.get(key) or {}
    if not isinstance(value, dict):
        raise Unusable("malformed")
    return value


def _date(obj: Obj, key: str) -> dt.date | None:
    value = _text(obj, key)
    try:
        return dt.date.fromisoformat(value) if value else None
    except ValueError as error:
        raise Unusable("malformed") from error
