"""Every kind of name of a card, looked up together: one query over cards, faces, nicknames and printed names.

Written as SQL because the resolver has a budget of milliseconds: Django takes longer to compile a union of four
querysets than Postgres takes to answer it (D54).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import NamedTuple
from uuid import UUID

from django.db import connection, transaction


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


# The columns of Name up to common_word, and where they come from, by table.
_SOURCES = {
    Table.CARD: "1, n.folded, n.name, n.oracle_id, n.name, n.is_funny, 'en', false from cards_card n",
    Table.FACE: "2, n.folded, n.name, n.card_id, c.name, c.is_funny, 'en', false "
    "from cards_cardface n join cards_card c on c.oracle_id = n.card_id",
    Table.ALIAS: "3, n.folded, n.alias, n.card_id, c.name, c.is_funny, 'en', n.common_word "
    "from curation_cardalias n join cards_card c on c.oracle_id = n.card_id and n.retired_at is null",
    Table.PRINTED: "4, n.folded, n.name, n.card_id, c.name, c.is_funny, n.lang, false "
    "from cards_printedname n join cards_card c on c.oracle_id = n.card_id",
}
_EXACT = ", 1.0::float8, '' from "  # score and query of a name that is called exactly so
_CALLED = " union all ".join(
    f"select {source.replace(' from ', _EXACT, 1)} where "  # noqa: S608  # constants
    + ("n.folded = any(%(names)s)" if table is Table.PRINTED else "replace(n.folded, ' ', '') = any(%(squeezed)s)")
    for table, source in _SOURCES.items()
)


def names_called(queries: Collection[str]) -> list[Name]:
    """Every name that is one of the folded *queries*; English names also where only the spaces differ. One query."""
    wanted = sorted({query for query in queries if query})
    if not wanted:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_CALLED, {"names": wanted, "squeezed": sorted({query.replace(" ", "") for query in wanted})})
        return [Name(Table(row[0]), *row[1:]) for row in cursor.fetchall()]


def names_like(queries: Collection[str], tables: Sequence[Table], threshold: float) -> list[Name]:
    """Names spelled at least *threshold* like a query (pg_trgm similarity), the nearest few a table. One query."""
    if not queries or not tables:
        return []
    nearest = [
        f"(select {_with_score(_SOURCES[table])} where n.folded %% q.query order by score desc, 2 limit {_NEAREST})"
        for table in tables
    ]
    sql = f"select f.* from unnest(%s::text[]) q(query) cross join lateral ({' union all '.join(nearest)}) f"  # noqa: S608  # constants
    with _similarity_threshold(threshold), connection.cursor() as cursor:
        cursor.execute(sql, [list(queries)])
        return [Name(Table(row[0]), *row[1:]) for row in cursor.fetchall()]


def _with_score(source: str) -> str:
    columns, rows = source.split(" from ", 1)
    return f"{columns}, similarity(n.folded, q.query) as score, q.query from {rows}"


@contextmanager
def _similarity_threshold(threshold: float) -> Iterator[None]:
    """Inside, pg_trgm's % operator means at least *threshold*. Set for the transaction: connections are pooled."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("select set_config('pg_trgm.similarity_threshold', %s, true)", [str(threshold)])
        yield
