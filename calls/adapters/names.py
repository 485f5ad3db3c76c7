"""Every kind of name of a card, looked up together: one query over cards, faces, nicknames and printed names.

Written as SQL because the resolver has a budget of milliseconds: Django takes longer to compile a union of four
querysets than Postgres takes to answer it (D54).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import IntEnum
from typing import NamedTuple
from uuid import UUID

from django.db import connection


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
    """Names spelled at least *threshold* like a query (pg_trgm similarity), the nearest few a table. One round trip."""
    if not queries or not tables:
        return []
    nearest = [_nearest(_SOURCES[table]) for table in tables]
    sql = f"{_THRESHOLD}; select f.* from {_EACH_QUERY} ({' union all '.join(nearest)}) f"  # noqa: S608  # constants
    # Two statements sent as one are one transaction, which is as long as the threshold holds.
    with connection.cursor() as cursor:
        cursor.execute(sql, [str(threshold), list(queries)])
        cursor.nextset()
        return [Name(Table(row[0]), *row[1:]) for row in cursor.fetchall()]


def _nearest(source: str) -> str:
    """The names of *source* nearest to q.query, chosen before the cards are joined: a few rows, not a few thousand."""
    columns, rows = source.split(" from ", 1)
    table, cards = rows.split(" n", 1)
    chosen = (
        f"(select t.*, similarity(t.folded, q.query) as score from {table} t "  # noqa: S608  # constants
        f"where t.folded %% q.query order by score desc, t.folded limit {_NEAREST}) n"
    )
    return f"select {columns}, n.score, q.query from {chosen}{cards}"  # noqa: S608  # constants


# What pg_trgm's % operator means, until the transaction ends: connections are pooled.
_THRESHOLD = "select set_config('pg_trgm.similarity_threshold', %s, true)"
_EACH_QUERY = "unnest(%s::text[]) q(query) cross join lateral"


# The limit makes the planner fetch each card by its key; it expects far more faces than there are, and would read all.
_ITS_CARD = "cross join lateral (select name, is_funny from cards_card where oracle_id = n.card_id limit 1) c"


class Beginning(NamedTuple):
    """A face whose name begins with *query* and goes on."""

    query: str
    folded: str
    name: str
    type_line: str
    card: UUID
    card_name: str
    funny: bool

    @property
    def is_legend(self) -> bool:
        """Whether it is legendary."""
        return "Legendary" in self.type_line


# The two bounds are a prefix that the index in byte order can be walked for; "!" is the sign behind the space.
_BEGINNING = f"""
    select q.query, n.folded, n.name, n.type_line, n.card_id, c.name, c.is_funny from {_EACH_QUERY} (
        select * from cards_cardface where folded ~>=~ (q.query || ' ') and folded ~<~ (q.query || '!')
    ) n {_ITS_CARD}
"""  # noqa: S608  # constants


def faces_beginning(queries: Collection[str]) -> list[Beginning]:
    """The faces whose name begins with one of *queries*, as whole words, and goes on. One query."""
    if not queries:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_BEGINNING, [sorted(set(queries))])
        return [Beginning(*row) for row in cursor.fetchall()]


class Part(NamedTuple):
    """A face with the words *query* in its name, and more."""

    query: str
    folded: str
    card: UUID
    card_name: str
    funny: bool


# The first condition is what the trigram index answers, the second keeps whole words.
_CONTAINING = f"""
    select q.query, f.folded, f.card_id, f.name, f.is_funny from {_EACH_QUERY} (
        select n.folded, n.card_id, c.name, c.is_funny,
            (select count(*) from cards_ruling r where r.card_id = n.card_id) as asked
        from cards_cardface n {_ITS_CARD}
        where n.folded like '%%' || q.query || '%%' and ' ' || n.folded || ' ' like '%% ' || q.query || ' %%'
            and n.folded <> q.query
        order by c.is_funny, asked desc, n.folded limit %s
    ) f
"""  # noqa: S608  # constants


def faces_containing(queries: Collection[str], at_most: int) -> list[Part]:
    """The *at_most* faces a query with its words in their name, those of cards with many rulings first. One query."""
    if not queries:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_CONTAINING, [sorted(set(queries)), at_most])
        return [Part(*row) for row in cursor.fetchall()]
