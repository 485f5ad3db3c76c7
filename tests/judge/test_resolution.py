"""The resolution ladder on a small invented set of cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid5

import pytest

from judge.folding import fold_name
from judge.resolution import Hits, Known, NameHit, collapse, resolve
from judge.spans import spoken_forms, stripped_forms
from judge.trigrams import similarity, trigrams
from judge.values import Ambiguous, Card, CardId, CardSpan, Face, NotFound, Resolution, Resolved, Rung

SPACE = UUID("00000000-0000-5000-8000-000000000000")


def card(name: str) -> Card:
    faces = tuple(Face(i, face, "", "", "") for i, face in enumerate(name.split(" // ")))
    return Card(id=CardId(uuid5(SPACE, name)), name=name, layout="normal", faces=faces)


@dataclass
class Names:
    """A NameIndex over invented names, readable by eye."""

    cards_named: Sequence[str]
    nicknames: Mapping[str, str] = field(default_factory=dict)
    foreign: Mapping[str, str] = field(default_factory=dict)  # printed name to card, German
    funny: frozenset[str] = frozenset()

    def hit(self, name: str, matched: str, **more: object) -> NameHit:
        return NameHit(card(name).id, name, fold_name(matched), matched, funny=name in self.funny, **more)  # type: ignore[arg-type]

    def all_hits(self) -> list[NameHit]:
        whole = [self.hit(name, name, full=True) for name in self.cards_named]
        return whole + [self.hit(name, face) for name in self.cards_named for face in name.split(" // ")]

    def known(self, queries: Sequence[str]) -> Known:
        def find(hits: Iterable[NameHit]) -> Hits:
            return {query: found for query in queries if (found := [hit for hit in hits if hit.matched == query])}

        return Known(
            find([self.hit(name, alias) for alias, name in self.nicknames.items()]),
            find(self.all_hits()),
            find([self.hit(name, printed, lang="de") for printed, name in self.foreign.items()]),
        )

    def shortened(self, queries: Sequence[str]) -> Hits:
        short = [self.hit(name, name.split(",")[0]) for name in self.cards_named if "," in name]
        return {query: [hit for hit in short if hit.matched == query] for query in queries}

    def similar(self, queries: Sequence[str]) -> Hits:
        hits = self.all_hits()
        return {q: [self.scored(hit, q) for hit in hits if similarity(q, hit.matched) >= 0.4] for q in queries}

    def scored(self, hit: NameHit, query: str) -> NameHit:
        score = similarity(query, hit.matched)
        return NameHit(hit.card, hit.name, hit.matched, hit.spelled, hit.full, hit.funny, hit.lang, score)

    def similar_printed(self, queries: Sequence[str]) -> Hits:
        hits = [self.hit(name, printed, lang="de") for printed, name in self.foreign.items()]
        return {q: [self.scored(hit, q) for hit in hits if similarity(q, hit.matched) >= 0.4] for q in queries}

    def containing(self, queries: Sequence[str]) -> Hits:
        return {q: [h for h in self.all_hits() if f" {q} " in f" {h.matched} " and q != h.matched] for q in queries}

    def cards(self, ids: Iterable[CardId]) -> Mapping[CardId, Card]:
        wanted = set(ids)
        return {card(name).id: card(name) for name in self.cards_named if card(name).id in wanted}


NAMES = Names(
    cards_named=(
        "Mirelight Warden",
        "Vault Prowler",
        "Tannic Archivist",
        "Ossa, Keeper of Tides",
        "Pell, First Lantern",
        "Pell, Last Lantern",
        "Gorse // Bramble",
        "Gorse",
        "Ash // Ember",
        "Soot // Ember",
        "The Copper Throne",
        "Rime",
        "Rimefang Cub",
        "Warden's Sunken Bell",
        "Quill Command",
        "Ember Command",
        "Joke Goblin",
        "Joke Goblin Deluxe",
        "Thistle Knight",
        "Thistle Night",
        "Aurel, Old Titan",
    ),
    nicknames={"dave": "Mirelight Warden", "q command": "Quill Command", "prowl": "Vault Prowler"},
    foreign={"Gewölbeschleicher": "Vault Prowler", "Aurel": "Rimefang Cub", "Nebelwart": "Mirelight Warden"},
    funny=frozenset({"Joke Goblin Deluxe"}),
)


def one(text: str, *, exact: bool = False, names: Names = NAMES) -> Resolution:
    (resolution,) = resolve([CardSpan(text, exact=exact)], names)
    return resolution


@pytest.mark.parametrize(
    ("text", "name", "rung"),
    [
        ("dave", "Mirelight Warden", Rung.ALIAS),
        ("Dave's", "Mirelight Warden", Rung.ALIAS_STRIPPED),
        ("daves", "Mirelight Warden", Rung.ALIAS_STRIPPED),
        ("prowled", "Vault Prowler", Rung.ALIAS_STRIPPED),
        ("VAULT PROWLER", "Vault Prowler", Rung.EXACT),
        ("vault prowlers", "Vault Prowler", Rung.ALIAS_STRIPPED),
        ("Bramble", "Gorse // Bramble", Rung.EXACT),
        ("gorse and bramble", "Gorse // Bramble", Rung.EXACT),
        ("Ash to Ember", "Ash // Ember", Rung.EXACT),
        ("copper throne", "The Copper Throne", Rung.EXACT),
        ("gewolbeschleicher", "Vault Prowler", Rung.PRINTED),
        ("ossa", "Ossa, Keeper of Tides", Rung.SHORT),
        ("Ossa's", "Ossa, Keeper of Tides", Rung.SHORT),
        ("foil dave", "Mirelight Warden", Rung.ALIAS_SUFFIX),
        ("my old beta vault prowler", "Vault Prowler", Rung.ALIAS_SUFFIX),
        ("mirelihgt warden", "Mirelight Warden", Rung.FUZZY),
        ("warden sunken bel", "Warden's Sunken Bell", Rung.FUZZY),
        ("mierlight warden", "Mirelight Warden", Rung.FUZZY),
        ("nebelwartt", "Mirelight Warden", Rung.FUZZY),
    ],
)
def test_each_rung_finds_its_card(text: str, name: str, rung: Rung) -> None:
    assert one(text) == Resolved(CardSpan(text), card(name), rung)


def test_the_card_whose_whole_name_is_the_span_wins_over_a_half_of_that_name() -> None:
    assert one("gorse") == Resolved(CardSpan("gorse"), card("Gorse"), Rung.EXACT)


def test_halves_that_two_cards_share_are_offered() -> None:
    found = one("ember")
    assert isinstance(found, Ambiguous)
    assert {c.name for c in found.candidates} == {"Ash // Ember", "Soot // Ember"}


def test_a_short_name_of_two_cards_is_offered() -> None:
    found = one("pell")
    assert isinstance(found, Ambiguous)
    assert found.via is Rung.SHORT


def test_an_un_card_loses_against_a_card_on_the_same_rung() -> None:
    names = Names(("Twin Bell", "Twin  Bell"), funny=frozenset({"Twin  Bell"}))
    assert one("twin bell", names=names) == Resolved(CardSpan("twin bell"), card("Twin Bell"), Rung.EXACT)


def test_two_cards_of_one_name_are_offered() -> None:
    assert isinstance(one("twin bell", names=Names(("Twin Bell", "Twin  Bell"))), Ambiguous)


def test_a_name_inside_another_never_stands_for_it() -> None:
    assert one("rime") == Resolved(CardSpan("rime"), card("Rime"), Rung.EXACT)


def test_a_misspelling_between_two_names_is_offered_not_taken() -> None:
    assert isinstance(one("thistle nigt"), Ambiguous)


def test_a_lone_weak_match_is_offered_not_taken() -> None:
    found = one("tanic archvst")
    assert isinstance(found, Ambiguous)
    assert [c.name for c in found.candidates] == ["Tannic Archivist"]


def test_a_word_of_many_names_is_offered_although_a_nickname_looks_like_it() -> None:
    found = one("command")
    assert isinstance(found, Ambiguous)
    assert {c.name for c in found.candidates} >= {"Quill Command", "Ember Command"}


def test_a_foreign_name_that_is_also_a_short_name_is_offered() -> None:
    found = one("aurel")
    assert isinstance(found, Ambiguous)
    assert [c.name for c in found.candidates] == ["Aurel, Old Titan", "Rimefang Cub"]


@pytest.mark.parametrize("text", ["zzyzx", "qx", "?!", ""])
def test_what_is_no_name_is_not_found(text: str) -> None:
    assert one(text) == NotFound(CardSpan(text))


def test_brackets_take_exact_and_printed_names() -> None:
    assert isinstance(one("vault prowler", exact=True), Resolved)
    assert isinstance(one("Gewölbeschleicher", exact=True), Resolved)


@pytest.mark.parametrize("text", ["dave", "ossa", "dave's", "foil dave", "mirelihgt warden"])
def test_brackets_only_offer_what_looser_rungs_find(text: str) -> None:
    assert isinstance(one(text, exact=True), Ambiguous)


def test_every_rung_is_asked_once_for_all_spans() -> None:
    class Counting(Names):
        asked = 0

        def known(self, queries: Sequence[str]) -> Known:
            Counting.asked += 1
            return super().known(queries)

    resolve([CardSpan("dave"), CardSpan("ossa"), CardSpan("rime")], Counting(NAMES.cards_named))
    assert Counting.asked == 1


def test_nickname_and_full_name_of_one_card_collapse() -> None:
    found = resolve([CardSpan("dave"), CardSpan("Mirelight Warden")], NAMES)
    assert [r.span.text for r in found] == ["dave"]


def test_a_bracketed_nickname_beside_its_card_asks_nothing() -> None:
    found = resolve([CardSpan("Mirelight Warden"), CardSpan("dave", exact=True)], NAMES)
    assert len(found) == 1


def test_a_short_name_beside_one_of_its_cards_asks_nothing() -> None:
    found = resolve([CardSpan("Pell, Last Lantern"), CardSpan("pell")], NAMES)
    assert [type(r) for r in found] == [Resolved]


def test_a_word_of_a_resolved_name_is_no_second_card() -> None:
    found = resolve([CardSpan("Quill Command"), CardSpan("command")], NAMES)
    assert [type(r) for r in found] == [Resolved]


def test_an_ambiguous_misspelling_is_never_dropped() -> None:
    span = CardSpan("thistle nigt")
    taken = Resolved(CardSpan("thistle knight"), card("Thistle Knight"), Rung.EXACT)
    doubt = Ambiguous(span, (card("Thistle Knight"), card("Thistle Night")), Rung.FUZZY)
    assert collapse([taken, doubt]) == (taken, doubt)


def test_forms_never_shorten_a_name_to_a_scrap() -> None:
    assert "e" not in stripped_forms("es")
    assert "bolt" in stripped_forms("bolts")
    assert spoken_forms("start to finish") == ("start to finish", "the start to finish", "start finish")


def test_trigrams_are_those_of_pg_trgm() -> None:
    assert trigrams("bolt") == {"  b", " bo", "bol", "olt", "lt "}
    assert similarity("word", "two words") == pytest.approx(4 / 11)
    assert similarity("", "x") == 0.0
