"""The Resolver over the database: judge.resolution's ladder with its look-ups in SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from calls.adapters.cards import cards_by_id
from calls.adapters.names import (
    ENGLISH,
    Beginning,
    Name,
    Table,
    faces_beginning,
    faces_containing,
    names_called,
    names_like,
)
from cards.models import CardFace
from judge.folding import fold_name
from judge.resolution import FUZZY_OFFER, Hits, Known, NameHit, resolve
from judge.values import Card, CardId, CardSpan, Resolution

_PARTS = 12  # names offered for a word that is only a part of them
# The weakest similarity of a foreign name worth offering: there are six times as many, and below it chance rules (D57).
_FOREIGN_OFFER = 0.55
_EPITHETS = ("of ", "the ")  # "Meren of Clan Nel Toth": what follows the name people use


class DatabaseResolver:
    """The judge's Resolver."""

    def __init__(self) -> None:
        self.index = DatabaseNameIndex()

    def resolve(self, spans: Sequence[CardSpan]) -> tuple[Resolution, ...]:
        """One resolution a span, in order, duplicate references collapsed."""
        return resolve(spans, self.index) if spans else ()


class DatabaseNameIndex:
    """judge.resolution.NameIndex: one query a look-up, whatever the number of spans."""

    def known(self, queries: Sequence[str]) -> Known:
        """Everything called exactly like one of *queries*."""
        return known_names(queries, names_called(queries))

    def shortened(self, queries: Sequence[str]) -> Hits:
        """Cards whose name before the comma is this; legends that begin with it are rivals of those (D51)."""
        found: dict[str, list[Beginning]] = {}
        for face in faces_beginning(queries):
            found.setdefault(face.query, []).append(face)
        chosen = {query: _short_names(query, faces) or _epithet_names(query, faces) for query, faces in found.items()}
        return {
            query: [NameHit(CardId(face.card), face.card_name, query, funny=face.funny) for face in faces]
            for query, faces in chosen.items()
            if faces
        }

    def similar(self, queries: Sequence[str]) -> Hits:
        """Cards whose English name, or nickname, is spelled like this."""
        return _by_query(names_like(queries, ENGLISH, FUZZY_OFFER))

    def similar_printed(self, queries: Sequence[str]) -> Hits:
        """Cards whose printed name of any language is spelled like this."""
        return _by_query(names_like(queries, (Table.PRINTED,), _FOREIGN_OFFER))

    def containing(self, queries: Sequence[str]) -> Hits:
        """Cards whose name has these words in it, the ones with most rulings first."""
        hits: dict[str, list[NameHit]] = {}
        for part in faces_containing(queries, _PARTS):
            hit = NameHit(CardId(part.card), part.card_name, part.folded, funny=part.funny)
            hits.setdefault(part.query, []).append(hit)
        return hits

    def cards(self, ids: Iterable[CardId]) -> Mapping[CardId, Card]:
        """The cards themselves."""
        return cards_by_id(ids)


def known_names(queries: Sequence[str], names: Sequence[Name]) -> Known:
    """*names*, as names_called gave them, by query and kind."""
    return Known(
        aliases=_by_name(queries, names, (Table.ALIAS,)),
        named=_by_name(queries, names, (Table.CARD, Table.FACE)),
        printed=_by_name(queries, names, (Table.PRINTED,)),
    )


def _by_name(queries: Sequence[str], names: Sequence[Name], tables: Sequence[Table]) -> Hits:
    """By query the names that are it; where there are none, those that differ in spaces only."""
    mine = sorted((name for name in names if name.table in tables), key=lambda name: name.table)
    direct = _grouped(mine, lambda name: name.folded)
    squeezed = _grouped(mine, lambda name: name.folded.replace(" ", ""))
    found = {query: direct.get(query) or squeezed.get(query.replace(" ", "")) for query in queries}
    return {query: hits for query, hits in found.items() if hits}


def _by_query(names: Iterable[Name]) -> Hits:
    return _grouped(names, lambda name: name.query)


def _grouped(names: Iterable[Name], key: Callable[[Name], str]) -> dict[str, list[NameHit]]:
    grouped: dict[str, list[NameHit]] = {}
    for name in names:
        grouped.setdefault(key(name), []).append(_hit(name))
    return grouped


def _hit(name: Name) -> NameHit:
    return NameHit(
        card=CardId(name.card),
        name=name.card_name,
        matched=name.folded,
        spelled=name.spelled,
        full=name.table is Table.CARD,
        funny=name.funny,
        lang=name.lang,
        score=name.score,
    )


def _short_names(query: str, faces: Sequence[Beginning]) -> list[Beginning]:
    """The faces with *query* before the comma, and the legends that begin with it and have none: "kaalia" is either."""
    commas = [face for face in faces if "," in face.name and fold_name(face.name.split(",")[0]) == query]
    rivals = [face for face in faces if face.is_legend and face not in commas and not _is_team(face.folded, query)]
    return commas + rivals if commas else []


def _is_team(folded: str, query: str) -> bool:
    """Whether the name goes on with a second person, who is named too when it is meant: "Kroxa and Kunoros"."""
    rest = folded.removeprefix(f"{query} ")
    return rest.startswith("and ") and not rest.startswith("and the ")


def _epithet_names(query: str, faces: Sequence[Beginning]) -> list[Beginning]:
    """The legends that *query* stands for without a comma, "Meren" of Clan Nel Toth.

    Only where no other name begins with the word, and no other legend has it in its name: "Kefnet" the Mindful is
    God-Eternal Kefnet too.
    """
    if not faces or not all(face.is_legend for face in faces):
        return []
    if not any(face.folded.removeprefix(f"{query} ").startswith(_EPITHETS) for face in faces):
        return []
    namesakes = CardFace.objects.with_words(query).filter(type_line__contains="Legendary").values("card").distinct()
    return list(faces) if namesakes.count() == len({face.card for face in faces}) else []
