"""Scryfall's objects as rows: layouts, extras, names. All cards here are invented."""

from __future__ import annotations

import datetime as dt
import hashlib
from pathlib import Path
from typing import Any

import pytest

from cards.rows import CardRow, Unusable, card_rows, name_rows, ruling_row
from sources.scryfall import read_objects
from tests.cards.bulk import card, face, oracle_id, printing, ruling


def one(obj: dict[str, Any]) -> CardRow:
    (row,) = card_rows(obj)
    return row


def reason(obj: dict[str, Any]) -> str:
    with pytest.raises(Unusable) as refused:
        card_rows(obj)
    return str(refused.value)


def test_a_single_faced_card_has_one_face_with_its_values() -> None:
    row = one(
        card(
            "Jötun Æther-Ram",
            mana_cost="{2}{G}",
            type_line="Creature — Ram",
            oracle_text="Trample",
            power="*",
            toughness="1+*",
            colors=["G"],
            scryfall_uri="https://example.org/card/1?utm_source=api",
        )
    )
    (only,) = row.faces
    assert (row.name, row.folded) == ("Jötun Æther-Ram", "jotun aether ram")
    assert (only.index, only.name, only.oracle_text, only.power, only.toughness) == (0, row.name, "Trample", "*", "1+*")
    assert only.colors == ("G",)
    assert row.scryfall_uri == "https://example.org/card/1"
    assert row.released_at == dt.date(2026, 1, 1)


@pytest.mark.parametrize(
    "layout", ["split", "adventure", "flip", "transform", "modal_dfc", "prepare", "meld", "room", "aftermath"]
)
def test_every_face_of_a_layout_is_kept_in_order(layout: str) -> None:
    row = one(card("Tidebell // Undertow", layout=layout, card_faces=[face("Tidebell"), face("Undertow")]))
    assert [(found.index, found.name) for found in row.faces] == [(0, "Tidebell"), (1, "Undertow")]


def test_five_halves_are_five_faces() -> None:
    halves = ["Up", "Down", "Left", "Right", "Home"]
    row = one(card(" // ".join(halves), layout="split", card_faces=[face(half) for half in halves]))
    assert [found.name for found in row.faces] == halves


@pytest.mark.parametrize("layout", ["meld", "saga", "class", "case", "leveler", "prototype", "mutate", "battle", "new"])
def test_a_layout_without_faces_is_one_face(layout: str) -> None:
    assert len(one(card("Chittering Bell", layout=layout)).faces) == 1


@pytest.mark.parametrize(
    ("layout", "top", "back", "wanted"),
    [
        ("transform", {}, {"colors": ["R"]}, ("R",)),
        ("split", {"colors": ["R", "U"]}, {"mana_cost": "{1}{U}"}, ("U",)),
        ("split", {"colors": ["R", "U"]}, {"mana_cost": "{W/U}{B/P}"}, ("W", "U", "B")),
        ("flip", {"colors": ["G"]}, {"mana_cost": ""}, ("G",)),
        ("transform", {}, {"color_indicator": ["B"], "mana_cost": ""}, ("B",)),
        ("modal_dfc", {}, {"mana_cost": ""}, ()),
    ],
    ids=["its own", "by cost", "hybrid cost", "flipped keeps the card's", "indicator", "none"],
)
def test_colors_of_a_second_face(
    layout: str, top: dict[str, Any], back: dict[str, Any], wanted: tuple[str, ...]
) -> None:
    row = one(card("A // B", layout=layout, card_faces=[face("A"), face("B", **back)], **top))
    assert row.faces[1].colors == wanted


def test_a_reversible_card_takes_its_oracle_id_and_name_from_its_sides() -> None:
    side = face("Proclaim", oracle_id=oracle_id("Proclaim"), layout="normal", oracle_text="Draw a card.")
    row = one(card("Proclaim // Proclaim", layout="reversible_card", oracle_id=None, card_faces=[side, dict(side)]))
    assert (row.oracle_id, row.name, row.layout) == (oracle_id("Proclaim"), "Proclaim", "normal")
    assert [found.oracle_text for found in row.faces] == ["Draw a card."]


def test_a_reversible_card_of_two_cards_is_two() -> None:
    sides = [face(name, oracle_id=str(oracle_id(name))) for name in ("Sun Twin", "Moon Twin")]
    rows = card_rows(card("Sun Twin // Moon Twin", layout="reversible_card", oracle_id=None, card_faces=sides))
    assert [row.name for row in rows] == ["Sun Twin", "Moon Twin"]


LEGAL = {"vintage": "legal"}
NOWHERE = {"vintage": "not_legal", "commander": "not_legal"}
ON_SCREENS = {"alchemy": "legal", "historic": "banned", "vintage": "not_legal"}


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"layout": "token", "type_line": "Token Creature — Ram"}, "token"),
        ({"layout": "double_faced_token"}, "token"),
        ({"layout": "normal", "type_line": "Token Artifact — Food"}, "token"),
        ({"layout": "emblem"}, "emblem"),
        ({"layout": "art_series", "type_line": "Card // Card"}, "art card"),
        ({"type_line": "Card"}, "art card"),
        ({"layout": "planar", "type_line": "Plane — Nowhere"}, "plane or phenomenon"),
        ({"type_line": "pLAnE — Nowhere"}, "plane or phenomenon"),
        ({"layout": "planar", "type_line": "Phenomenon"}, "plane or phenomenon"),
        ({"layout": "scheme", "type_line": "Ongoing Scheme"}, "scheme"),
        ({"layout": "vanguard", "type_line": "Vanguard"}, "vanguard"),
        ({"type_line": "Stickers"}, "sticker sheet"),
        ({"type_line": "Hero Artifact — Equipment"}, "hero or challenge deck"),
        ({"type_line": "Sorcery", "set_type": "token", "legalities": NOWHERE}, "hero or challenge deck"),
        ({"games": ["arena"], "legalities": ON_SCREENS}, "digital only"),
        ({"games": [], "legalities": NOWHERE}, "digital only"),
        ({"name": "A-Gate Warden", "games": ["arena"], "legalities": LEGAL}, "digital only"),
        ({"name": "A-Gate Warden", "games": None, "legalities": {}}, "digital only"),
        ({"oracle_id": None}, "no oracle_id"),
        ({"oracle_id": "not a uuid"}, "no oracle_id"),
        ({"oracle_id": 7}, "no oracle_id"),
        ({"name": None}, "malformed"),
        ({"name": ["x"]}, "malformed"),
        pytest.param({"name": "x" * 301}, "malformed", id="name too long"),
        ({"card_faces": ["x"]}, "malformed"),
        ({"legalities": "none"}, "malformed"),
        ({"released_at": "soon"}, "malformed"),
        ({"color_identity": ["WU"]}, "malformed"),
        ({"layout": "reversible_card", "oracle_id": None, "card_faces": []}, "no oracle_id"),
    ],
    ids=str,
)
def test_what_is_not_kept_and_why(fields: dict[str, Any], wanted: str) -> None:
    assert reason(card("Gate Warden", **fields)) == wanted


@pytest.mark.parametrize(
    "fields",
    [
        {"type_line": "Artifact — Attraction"},
        {"type_line": "Conspiracy"},
        {"type_line": "Dungeon", "set_type": "token", "legalities": NOWHERE},
        {"type_line": "Legendary Creature — Human Hero"},
        {"games": ["mtgo"], "legalities": LEGAL},  # another printing of it is on paper
        {"games": ["arena", "mtgo"], "legalities": {"legacy": "banned"}},
        {"games": ["paper"], "legalities": NOWHERE},
        {"games": None, "legalities": {}},
        {"name": "A-ha"},
        {"set_type": "token", "legalities": LEGAL},
        {"set_type": "memorabilia", "legalities": NOWHERE, "border_color": "gold"},
    ],
    ids=str,
)
def test_what_is_kept(fields: dict[str, Any]) -> None:
    assert one(card("Gate Warden", **fields))


@pytest.mark.parametrize(
    ("fields", "is_funny"),
    [
        ({"set_type": "funny", "legalities": NOWHERE}, True),
        ({"set_type": "funny", "legalities": LEGAL}, False),
        ({"set_type": "box", "border_color": "silver", "legalities": NOWHERE}, True),
        ({"security_stamp": "acorn", "legalities": NOWHERE}, True),
        ({"promo_types": ["playtest"], "legalities": NOWHERE}, True),
        ({"set_type": "memorabilia", "border_color": "gold", "legalities": NOWHERE}, False),
        ({"set_type": "expansion", "legalities": NOWHERE}, False),
        ({"legalities": {}}, False),
    ],
    ids=["un-card", "un-card, legal", "silver border", "acorn", "playtest", "gold border", "unreleased", "unknown"],
)  # fmt: skip
def test_funny_is_legal_nowhere_and_looks_it(fields: dict[str, Any], is_funny: bool) -> None:
    assert one(card("Gate Warden", **fields)).is_funny is is_funny


def test_the_fingerprint_follows_every_field() -> None:
    base = one(card("Gate Warden")).fingerprint
    assert one(card("Gate Warden")).fingerprint == base
    changes: list[dict[str, Any]] = [
        {"oracle_text": "Flying"}, {"legalities": NOWHERE}, {"keywords": ["Flying"]}, {"power": "2"}, {"set_type": "x"},
    ]  # fmt: skip
    assert len({base, *(one(card("Gate Warden", **change)).fingerprint for change in changes)}) == 6


def test_nul_characters_are_dropped() -> None:
    assert one(card("Gate\x00 Warden", oracle_text="a\x00b")).faces[0].oracle_text == "ab"


def test_a_ruling_key_is_the_hash_of_date_and_text() -> None:
    row = ruling_row(ruling("Gate Warden", "It stays tapped."))
    assert row.key == hashlib.sha256(b"2026-01-01\nIt stays tapped.").hexdigest()
    assert row.key != ruling_row(ruling("Gate Warden", "It stays tapped.", published_at="2026-01-02")).key


@pytest.mark.parametrize("fields", [{"comment": None}, {"comment": ""}, {"published_at": "x"}, {"published_at": None}])
def test_a_ruling_without_text_or_date_is_malformed(fields: dict[str, Any]) -> None:
    with pytest.raises(Unusable, match="malformed"):
        ruling_row(ruling("Gate Warden", "text") | fields)


def names(obj: dict[str, Any]) -> list[tuple[str, str]]:
    return [(row.lang, row.name) for row in name_rows(obj)]


@pytest.mark.parametrize(
    ("obj", "wanted"),
    [
        (printing("Gate Warden"), []),
        (printing("Gate Warden", printed_name="Gardien", lang="fr"), [("fr", "Gardien")]),
        (printing("Gate Warden", flavor_name="Old Bill"), [("en", "Old Bill")]),
        (printing("Gate Warden", printed_name="門（もん）番（ばん）", lang="ja"), [("ja", "門番")]),
        (printing("Gate Warden", printed_name="門番（ばん", lang="ja"), [("ja", "門番")]),
        (printing("Gate Warden", printed_name="X（Y）", lang="zhs"), [("zhs", "X（Y）")]),
        (printing("Gate Warden", printed_name="?!", lang="fr"), []),
        (
            printing("A // B", lang="de", card_faces=[face("A", printed_name="Aa"), face("B", printed_name="Bb")]),
            [("de", "Aa"), ("de", "Bb"), ("de", "Aa // Bb")],
        ),
        (
            printing("A // B", lang="de", card_faces=[face("A", printed_name="Aa"), face("B")]),
            [("de", "Aa")],
        ),
    ],
    ids=[
        "none",
        "localized",
        "flavour",
        "furigana",
        "furigana cut off",
        "brackets elsewhere",
        "nothing left",
        "faces",
        "one face",
    ],
)
def test_names_of_a_printing(obj: dict[str, Any], wanted: list[tuple[str, str]]) -> None:
    assert names(obj) == wanted


def test_names_of_a_reversible_printing_belong_to_their_sides() -> None:
    sides = [face(name, oracle_id=str(oracle_id(name)), flavor_name=f"{name} II") for name in ("Sun Twin", "Moon Twin")]
    obj = printing("Sun Twin // Moon Twin", layout="reversible_card", card_faces=sides)
    del obj["oracle_id"]
    assert {(row.oracle_id, row.name) for row in name_rows(obj)} == {
        (oracle_id("Sun Twin"), "Sun Twin II"),
        (oracle_id("Moon Twin"), "Moon Twin II"),
    }


@pytest.mark.parametrize("fields", [{"lang": None}, {"oracle_id": "x"}, {"card_faces": 7}], ids=str)
def test_a_broken_printing_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(Unusable):
        list(name_rows(printing("Gate Warden", printed_name="Gardien", lang="fr") | fields))


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["scryfall_sample_cards", "oracle_cards_incomplete"])
def test_genuine_objects_become_rows_or_have_a_reason(real_data: Path, name: str) -> None:
    for obj in read_objects(real_data / f"{name}.json.gz"):
        rows = _rows_or_none(obj)
        if rows:
            assert [row.name for row in rows] == [obj["name"]]
            assert len(rows[0].faces) == max(1, len(obj.get("card_faces", ())))
            list(name_rows(obj))


def _rows_or_none(obj: dict[str, Any]) -> tuple[CardRow, ...]:
    """The rows of a genuine object; none when it is an extra, but never because it could not be understood."""
    try:
        return card_rows(obj)
    except Unusable as refused:
        if str(refused) == "malformed":
            raise
        return ()
