"""Invented cards, rulings and printings in Scryfall's shape, and folders of them."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

_NAMESPACE = uuid.UUID("9a1d6a52-77c2-4b0e-9d5e-0c8a3d1f4e60")


def oracle_id(name: str) -> uuid.UUID:
    """The oracle_id that the invented card *name* always has."""
    return uuid.uuid5(_NAMESPACE, name)


def _without_nones(obj: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in obj.items() if value is not None}


def card(name: str, /, **fields: Any) -> dict[str, Any]:
    """An oracle_cards object; a field that is None is left out."""
    base: dict[str, Any] = {
        "object": "card",
        "oracle_id": str(oracle_id(name)),
        "name": name,
        "lang": "en",
        "layout": "normal",
        "released_at": "2026-01-01",
        "type_line": "Creature — Warden",
        "color_identity": [],
        "keywords": [],
        "legalities": {"vintage": "legal"},
        "games": ["paper"],
        "set_type": "expansion",
    }
    return _jsonable(_without_nones(base | fields))


def face(name: str, /, **fields: Any) -> dict[str, Any]:
    """A card_faces object."""
    return _jsonable({"object": "card_face", "name": name, "type_line": "Creature — Warden", **fields})


def ruling(name: str, comment: str, **fields: Any) -> dict[str, Any]:
    """A rulings object of the card *name*."""
    base = {"object": "ruling", "oracle_id": str(oracle_id(name)), "source": "wotc", "published_at": "2026-01-01"}
    return base | {"comment": comment} | fields


def printing(name: str, /, **fields: Any) -> dict[str, Any]:
    """A default_cards or all_cards object of the card *name*."""
    base = {"object": "card", "oracle_id": str(oracle_id(name)), "name": name, "lang": "en", "layout": "normal"}
    return _jsonable(base | fields)


def write(folder: Path, **files: list[dict[str, Any]]) -> Path:
    """*folder* with each of *files* written as `<kind>.json`, one object a line."""
    for kind, objects in files.items():
        (folder / f"{kind}.json").write_text("[\n" + ",\n".join(json.dumps(one) for one in objects) + "\n]\n")
    return folder


def _jsonable(obj: dict[str, Any]) -> dict[str, Any]:
    return {key: str(value) if isinstance(value, uuid.UUID) else value for key, value in obj.items()}
