"""Every kind of name of a card, looked up together: one query over cards, faces, nicknames and printed names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import NamedTuple
from uuid import UUID

from django.db import connection, models, transaction
from django.db.models import F, FloatField, IntegerField, Value

from cards.models import Card, CardFace, PrintedName
from curation.models import CardAlias


class Table(IntEnum):
    """Where a name stands."""

    CARD = 1
    FACE = 2
    ALIAS = 3
    PRINTED = 4


ENGLISH = (Table.CARD, Table.FACE, Table.ALIAS)
_NEAREST = 8  # rows a table gives for a misspelling; more cannot change what is taken or offered


class Name(NamedTuple):
    """One name of one card. query: what it was looked up for, "" where a look-up has many."""

    table: Table
    folded: str
    spelled: str
    card: UUID
    card_name: str
    funny: bool
    lang: str
    common_word: bool  # of a nickname: an ordinary word too
    score: float
    query: str


def names_called(queries: Collection[str]) -> list[Name]:
    """Every name that is one of the folded *queries*; English names also where only the spaces differ. One query."""
    wanted = [query for query in queries if query]
    if not wanted:
        return []
    rows = [
        _columns(Card.objects.squeezed_as(wanted).order_by(), Table.CARD),
        _columns(CardFace.objects.squeezed_as(wanted).order_by(), Table.FACE),
        _columns(CardAlias.objects.live().squeezed_as(wanted).order_by(), Table.ALIAS),
        _columns(PrintedName.objects.folded_as(wanted).order_by(), Table.PRINTED),
    ]
    return _fetched(rows)


def names_like(queries: Collection[str], tables: Sequence[Table], threshold: float) -> list[Name]:
    """Names spelled at least *threshold* like a query (pg_trgm similarity), the nearest few a table. One query."""
    rows = []
    for query in queries:
        sources: dict[Table, models.QuerySet[models.Model]] = {
            Table.CARD: Card.objects.similar_to(query, _NEAREST),
            Table.FACE: CardFace.objects.similar_to(query, _NEAREST),
            Table.ALIAS: CardAlias.objects.live().similar_to(query, _NEAREST),
            Table.PRINTED: PrintedName.objects.similar_to(query, _NEAREST),
        }
        rows += [_columns(sources[table], table, query, F("score")) for table in tables]
    if not rows:
        return []
    with _similarity_threshold(threshold):
        return _fetched(rows)


def _columns(
    rows: models.QuerySet[models.Model],
    table: Table,
    query: str = "",
    score: models.expressions.Combinable | None = None,
) -> models.QuerySet[models.Model, tuple[object, ...]]:
    """*rows* as the columns of Name, the same for every table."""
    own = table is Table.CARD
    lang = F("lang") if table is Table.PRINTED else Value("en")
    common = F("common_word") if table is Table.ALIAS else Value(value=False)
    columns: models.QuerySet[models.Model, tuple[object, ...]] = rows.annotate(
        c_table=Value(int(table), output_field=IntegerField()),
        c_spelled=F("alias" if table is Table.ALIAS else "name"),
        c_card=F("oracle_id" if own else "card_id"),
        c_card_name=F("name" if own else "card__name"),
        c_funny=F("is_funny" if own else "card__is_funny"),
        c_lang=lang,
        c_common=common,
        c_score=score if score is not None else Value(1.0, output_field=FloatField()),
        c_query=Value(query),
    ).values_list(
        "c_table", "folded", "c_spelled", "c_card", "c_card_name", "c_funny", "c_lang", "c_common", "c_score", "c_query"
    )
    return columns


def _fetched(rows: Sequence[models.QuerySet[models.Model, tuple[object, ...]]]) -> list[Name]:
    first, *others = rows
    found = first.union(*others, all=True).order_by() if others else first
    return [Name(*row)._replace(table=Table(row[0])) for row in found]  # type: ignore[arg-type]  # columns of Name


@contextmanager
def _similarity_threshold(threshold: float) -> Iterator[None]:
    """Inside, pg_trgm's % operator means at least *threshold*. Set for the transaction: connections are pooled."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("select set_config('pg_trgm.similarity_threshold', %s, true)", [str(threshold)])
        yield
