"""COPY into staging tables, then one set-based merge: the SQL behind cards.ingest.

Every function wants a cursor inside a transaction. Staging tables are temporary and end with the transaction.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db.backends.utils import CursorWrapper

from cards.models import Card
from cards.rows import CardRow, NameRow, RulingRow

_CARD = [
    *("oracle_id", "name", "folded", "layout", "color_identity", "keywords", "legalities", "scryfall_uri"),
    *("released_at", "set_type", "is_funny", "fingerprint"),
]
_FACE = [
    *("card_id", "index", "name", "folded", "mana_cost", "type_line", "oracle_text"),
    *("power", "toughness", "loyalty", "defense", "colors"),
]
_RULING = ["card_id", "key", "published_at", "source", "text"]
_PRINTED = ["card_id", "name", "folded", "lang", "kind"]


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did, in rows of the table it is about. kept: gone from the file, but a curator needs them."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    kept: int = 0


def merge_cards(cursor: CursorWrapper, cards: Iterable[CardRow]) -> Merged:
    """Makes cards and faces equal to *cards*, whose oracle_ids must differ. A fingerprint that holds is left alone."""
    _stage(cursor, "new_card", "cards_card", _CARD)
    _stage(cursor, "new_face", "cards_cardface", _FACE)
    _copy_cards(cursor, cards)
    cursor.execute(
        "CREATE TEMP TABLE touched_card ON COMMIT DROP AS"
        " SELECT n.oracle_id, c.oracle_id IS NULL AS is_new FROM new_card n"
        " LEFT JOIN cards_card c USING (oracle_id) WHERE c.fingerprint IS DISTINCT FROM n.fingerprint"
    )
    columns = ", ".join(_CARD)
    updates = ", ".join(f"{column} = excluded.{column}" for column in _CARD[1:])
    cursor.execute(
        f"INSERT INTO cards_card ({columns}) SELECT {columns} FROM new_card JOIN touched_card USING (oracle_id)"  # noqa: S608
        f" ON CONFLICT (oracle_id) DO UPDATE SET {updates}"
    )
    faces = _quoted(_FACE)
    cursor.execute("DELETE FROM cards_cardface f USING touched_card t WHERE f.card_id = t.oracle_id")
    cursor.execute(
        f"INSERT INTO cards_cardface ({faces}) SELECT {faces} FROM new_face"  # noqa: S608
        " JOIN touched_card t ON t.oracle_id = card_id"
    )
    cursor.execute("SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new) FROM touched_card")
    added, changed = _one(cursor)
    removed, kept = _remove_vanished(cursor)
    _settle(cursor, "cards_card", "cards_cardface")
    return Merged(added, changed, removed, kept)


def merge_rulings(cursor: CursorWrapper, rulings: Iterable[RulingRow]) -> Merged:
    """Makes the rulings equal to *rulings*, no two of the same card and key; every card must exist."""
    _stage(cursor, "new_ruling", "cards_ruling", _RULING)
    with cursor.copy(f"COPY new_ruling ({_quoted(_RULING)}) FROM STDIN") as copy:
        for row in rulings:
            copy.write_row((row.oracle_id, row.key, row.published_at, row.source, row.text))
    merged = _merge_plain(cursor, "new_ruling", "cards_ruling", _RULING, unique=("card_id", "key"))
    _settle(cursor, "cards_ruling")
    return merged


def merge_names(cursor: CursorWrapper, kind: str, names: Iterable[NameRow]) -> Merged:
    """Makes the printed names that *kind* told equal to *names*, all different; every card must exist."""
    _stage(cursor, "new_name", "cards_printedname", _PRINTED)
    with cursor.copy(f"COPY new_name ({_quoted(_PRINTED)}) FROM STDIN") as copy:
        for row in names:
            copy.write_row((row.oracle_id, row.name, row.folded, row.lang, kind))
    unique = ("card_id", "lang", "name", "kind")
    merged = _merge_plain(cursor, "new_name", "cards_printedname", _PRINTED, unique=unique, kind=kind)
    _settle(cursor, "cards_printedname")
    return merged


def oracle_names() -> dict[uuid.UUID, frozenset[str]]:
    """The names each card and its faces have today, by oracle_id."""
    rows = Card.objects.order_by().values_list("oracle_id", "name", "faces__name")
    names: dict[uuid.UUID, set[str]] = {}
    for oracle_id, name, face in rows.iterator(chunk_size=5000):
        names.setdefault(oracle_id, {name}).add(face)
    return {oracle_id: frozenset(found) for oracle_id, found in names.items()}


def _copy_cards(cursor: CursorWrapper, cards: Iterable[CardRow]) -> None:
    """Copies cards in one go and their faces, which only become known on the way, in batches between."""
    # One connection runs one COPY at a time, so both tables are filled from batches small enough for memory.
    for batch in _batches(cards, 2000):
        with cursor.copy(f"COPY new_card ({_quoted(_CARD)}) FROM STDIN") as copy:
            for card in batch:
                copy.write_row([_copied(getattr(card, column)) for column in _CARD])
        with cursor.copy(f"COPY new_face ({_quoted(_FACE)}) FROM STDIN") as copy:
            for card in batch:
                for face in card.faces:
                    copy.write_row([card.oracle_id, *(_copied(getattr(face, column)) for column in _FACE[1:])])


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _batches[T](rows: Iterable[T], size: int) -> Iterator[list[T]]:
    batch: list[T] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _merge_plain(
    cursor: CursorWrapper, staging: str, table: str, columns: list[str], *, unique: tuple[str, ...], kind: str = ""
) -> Merged:
    """Makes *table*, or only its rows of *kind*, equal to *staging*; rows are the same when *unique* is."""
    same = " AND ".join(f"t.{column} = n.{column}" for column in unique)
    others = [column for column in columns if column not in unique]
    ours = "t.kind = %s AND" if kind else ""
    cursor.execute(
        f"DELETE FROM {table} t WHERE {ours} NOT EXISTS (SELECT FROM {staging} n WHERE {same})",  # noqa: S608
        [kind] if kind else None,
    )
    removed = cursor.rowcount
    updates = ", ".join(f"{column} = n.{column}" for column in others)
    differs = " OR ".join(f"t.{column} IS DISTINCT FROM n.{column}" for column in others)
    cursor.execute(f"UPDATE {table} t SET {updates} FROM {staging} n WHERE {same} AND ({differs})")  # noqa: S608
    changed = cursor.rowcount
    names = _quoted(columns)
    cursor.execute(
        f"INSERT INTO {table} ({names}) SELECT {names} FROM {staging} n"  # noqa: S608
        f" WHERE NOT EXISTS (SELECT FROM {table} t WHERE {same})"
    )
    return Merged(cursor.rowcount, changed, removed)


def _remove_vanished(cursor: CursorWrapper) -> tuple[int, int]:
    """Deletes the cards that are not in new_card, with all that hangs on them: how many went, how many stayed.

    A card that a curator wrote about stays: the cascade would take the curator's words with it (D20).
    """
    cursor.execute(
        "SELECT oracle_id FROM cards_card c WHERE NOT EXISTS (SELECT FROM new_card n WHERE n.oracle_id = c.oracle_id)"
    )
    vanished = {row[0] for row in cursor.fetchall()}
    kept = _needed_by_curators(vanished)
    Card.objects.filter(oracle_id__in=vanished - kept).delete()
    return len(vanished - kept), len(kept)


def _needed_by_curators(cards: set[uuid.UUID]) -> set[uuid.UUID]:
    """Those of *cards* that a row outside this app points at, unless that row came from a data file.

    Asked of the model registry, so that this app need not know who builds upon it.
    """
    needed: set[uuid.UUID] = set()
    for relation in Card._meta.related_objects:
        model = relation.related_model
        if not cards or model._meta.app_config is apps.get_app_config("cards"):
            continue
        rows = model._default_manager.filter(**{f"{relation.field.name}__in": cards})
        if any(field.name == "origin" for field in model._meta.get_fields()):
            rows = rows.exclude(origin="file")
        needed.update(rows.order_by().values_list(relation.field.name, flat=True))
    return needed


def _settle(cursor: CursorWrapper, *tables: str) -> None:
    """Moves the new entries of the tables' GIN indexes to their place and tells the planner how many rows there are."""
    cursor.execute(
        "SELECT gin_clean_pending_list(i.indexrelid) FROM pg_index i"
        " JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam"
        " WHERE a.amname = 'gin' AND i.indrelid = ANY(%s::regclass[])",
        [list(tables)],
    )
    cursor.execute(f"ANALYZE {', '.join(tables)}")


def _stage(cursor: CursorWrapper, staging: str, table: str, columns: list[str]) -> None:
    """An empty temporary table with *columns* of *table*, its types and lengths, and no constraints."""
    # Trigram indexes take many rows at once in half the time when the pending list holds them all (18 s for 35 s
    # with 229,000 names); _settle empties the list within work_mem.
    cursor.execute("SET LOCAL gin_pending_list_limit = '256MB'")
    cursor.execute("SET LOCAL work_mem = '128MB'")
    cursor.execute(f"DROP TABLE IF EXISTS pg_temp.{staging}, pg_temp.touched_card")
    cursor.execute(
        f"CREATE TEMP TABLE {staging} ON COMMIT DROP AS SELECT {_quoted(columns)} FROM {table} WITH NO DATA"  # noqa: S608
    )


def _quoted(columns: list[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _one(cursor: CursorWrapper) -> tuple[int, int]:
    row = cursor.fetchone()
    if row is None:
        raise AssertionError("an aggregate has one row")
    return row[0], row[1]
