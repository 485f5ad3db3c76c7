"""The resolution ladder: which card each span names, or an offer, or nothing. Never a guess (DESIGN 4.2).

Pure logic over a NameIndex. Every rung is asked once for all spans still open, so a question with ten spans
costs no more round trips than one with one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from judge.folding import fold_name
from judge.slips import is_slip, is_swap
from judge.spans import has_words, itself, spoken_forms, stripped_forms, without_possessives, without_printing_words
from judge.trigrams import similarity
from judge.values import Ambiguous, Card, CardId, CardSpan, NotFound, Resolution, Resolved, Rung

FUZZY_SURE = 0.7  # pg_trgm similarity in [0, 1] that may be taken; DESIGN 4.2
FUZZY_LEAD = 0.15  # by how much it has to lead the runner-up
ONE_SLIP = 0.9  # similarity of a name with one slip of the finger, which loses three trigrams or more; D52, D59
FUZZY_OFFER = 0.4  # the weakest similarity that is still worth offering
OFFERS = 8  # candidates an Ambiguous carries at most
_SHORTEST_FUZZY = 3  # letters; shorter spans share trigrams with everything
_SHORTEST_FOREIGN = 5  # letters a span needs before the names of all languages are compared


@dataclass(frozen=True, slots=True)
class NameHit:
    """*card* is called *matched* (folded). full: that is the card's whole English name, not a face's or a nickname.

    score: similarity in [0, 1]; 1 on every rung but the fuzzy one. lang: Scryfall's code of the printed name.
    """

    card: CardId
    name: str  # the card's full Oracle name
    matched: str
    spelled: str = ""  # the matched name with its case and punctuation
    full: bool = False
    funny: bool = False  # legal in no format: an un-card
    lang: str = "en"
    score: float = 1.0


Hits = Mapping[str, Sequence[NameHit]]  # by folded query


@dataclass(frozen=True, slots=True)
class Known:
    """What the look-ups that need no similarity found, by query."""

    aliases: Hits  # cards with this very nickname
    named: Hits  # cards or faces with this very name, spaces disregarded
    printed: Hits  # cards ever printed under this name, in any language


class NameIndex(Protocol):
    """Look-ups over all names. Each takes many folded queries; a query with no hit may be absent from the answer."""

    def known(self, queries: Sequence[str]) -> Known:
        """Everything called exactly like one of *queries*."""
        ...

    def shortened(self, queries: Sequence[str]) -> Hits:
        """Cards whose name before the comma, or before the epithet of a legend, is this."""
        ...

    def similar(self, queries: Sequence[str]) -> Hits:
        """Cards whose English name, or nickname, is spelled like this, score filled in."""
        ...

    def similar_printed(self, queries: Sequence[str]) -> Hits:
        """Cards whose printed name of any language is spelled like this, score filled in."""
        ...

    def containing(self, queries: Sequence[str]) -> Hits:
        """Cards whose name has these words in it, and more, the best known first."""
        ...

    def cards(self, ids: Iterable[CardId]) -> Mapping[CardId, Card]:
        """The cards themselves."""
        ...


@dataclass(frozen=True, slots=True)
class _Found:
    """What a span came to before its cards are fetched. taken: hits holds the one card; otherwise they are offered."""

    via: Rung
    hits: tuple[NameHit, ...]
    taken: bool


Forms = Callable[[str], Sequence[str]]
_Ranked = tuple[NameHit, ...]  # best first, one a card


@dataclass(slots=True)
class _Ladder:
    """One run over all spans; found holds what has been answered so far, by position."""

    spans: Sequence[CardSpan]
    found: dict[int, _Found] = field(default_factory=dict)

    def open(self, *, exact: bool | None = None) -> list[int]:
        """Positions without an answer, optionally only bracketed (exact) or only plain ones."""
        wanted = [i for i, span in enumerate(self.spans) if exact is None or span.exact == exact]
        return [i for i in wanted if i not in self.found and fold_name(self.spans[i].text)]

    def queries(self, forms: Sequence[Forms]) -> list[str]:
        """Every form of every open span, once."""
        texts = [self.spans[i].text for i in self.open()]
        return list(dict.fromkeys(query for text in texts for form in forms for query in form(text)))

    def rung(self, via: Rung, hits: Hits, forms: Forms, *, exact: bool) -> None:
        """Answers what one rung can: the first form of a span that has a hit decides."""
        for position in self.open(exact=exact):
            for form in forms(self.spans[position].text):
                if answer := _settle(hits.get(form, ()), via):
                    self.found[position] = answer
                    break

    def offer(self, via: Rung, hits: Hits, forms: Forms) -> None:
        """The same for bracketed spans, which take nothing here: what would be the answer is only offered."""
        before = set(self.found)
        self.rung(via, hits, forms, exact=True)
        for position in self.found.keys() - before:
            self.found[position] = replace(self.found[position], taken=False)


def resolve(spans: Sequence[CardSpan], index: NameIndex) -> tuple[Resolution, ...]:
    """One resolution a span, in order, duplicate references left out (see collapse)."""
    ladder = _Ladder(spans)
    known = index.known(ladder.queries((itself, spoken_forms, stripped_forms, without_printing_words)))
    _name_rungs(ladder, known)
    _short_rungs(ladder, known, index)
    _suffix_rungs(ladder, known)
    _guard_shared_names(ladder, index)
    asked = _worth_comparing(ladder)
    similar = index.similar(list(dict.fromkeys(asked.values()))) if asked else {}
    ranked = {i: _ranked(similar.get(query, ()), query) for i, query in asked.items()}
    _spelling_rung(ladder, index, asked, ranked)
    _offers(ladder, index, {i: query for i, query in asked.items() if i not in ladder.found}, ranked)
    cards = index.cards({hit.card for found in ladder.found.values() for hit in found.hits[:OFFERS]})
    return collapse(tuple(_resolution(span, ladder.found.get(i), cards) for i, span in enumerate(spans)))


def _name_rungs(ladder: _Ladder, known: Known) -> None:
    """Rungs 1 to 4. A name as it stands goes before a stripped nickname, so "Llanowar Elves" is never cut short."""
    ladder.rung(Rung.EXACT, known.named, spoken_forms, exact=True)
    ladder.rung(Rung.PRINTED, known.printed, itself, exact=True)
    ladder.rung(Rung.ALIAS, known.aliases, itself, exact=False)
    ladder.rung(Rung.EXACT, known.named, itself, exact=False)
    ladder.rung(Rung.ALIAS_STRIPPED, known.aliases, stripped_forms, exact=False)
    ladder.rung(Rung.EXACT, known.named, spoken_forms, exact=False)
    ladder.rung(Rung.PRINTED, known.printed, itself, exact=False)
    ladder.offer(Rung.ALIAS, known.aliases, itself)
    ladder.offer(Rung.ALIAS_STRIPPED, known.aliases, stripped_forms)


def _short_rungs(ladder: _Ladder, known: Known, index: NameIndex) -> None:
    """Rung 5, and what a possessive or an ending hid from rungs 3 to 5."""
    queries = ladder.queries((itself, stripped_forms))
    short = index.shortened(queries) if queries else {}
    for via, hits, forms in (
        (Rung.SHORT, short, itself),
        (Rung.ALIAS_STRIPPED, known.named, stripped_forms),
        (Rung.ALIAS_STRIPPED, known.printed, stripped_forms),
        (Rung.SHORT, short, stripped_forms),
    ):
        ladder.rung(via, hits, forms, exact=False)
        ladder.offer(via, hits, forms)


def _suffix_rungs(ladder: _Ladder, known: Known) -> None:
    """Rung 6: a nickname, or a name, after nothing but printing words."""
    for hits in (known.aliases, known.named):
        ladder.rung(Rung.ALIAS_SUFFIX, hits, without_printing_words, exact=False)
        ladder.offer(Rung.ALIAS_SUFFIX, hits, without_printing_words)


def _guard_shared_names(ladder: _Ladder, index: NameIndex) -> None:
    """Offers, instead of taking, a name that others are called by for short (D51, D56).

    "Uro" is what Spanish Aurochs is called, and what everybody calls a Titan; "Sheoldred" is the front of one card and
    the short name of another.
    """
    shared = {i: found for i, found in ladder.found.items() if _is_foreign_word(found) or _is_half(found)}
    shared = {i: found for i, found in shared.items() if not ladder.spans[i].exact}
    if not shared:
        return
    short = index.shortened([found.hits[0].matched for found in shared.values()])
    for i, found in shared.items():
        known = {hit.card for hit in found.hits}
        rivals = [rival for rival in short.get(found.hits[0].matched, ()) if rival.card not in known]
        if rivals:
            best_first = (*found.hits, *rivals) if _is_half(found) else (*rivals, *found.hits)
            ladder.found[i] = _Found(Rung.SHORT, _one_a_card(best_first), taken=False)


def _is_foreign_word(found: _Found) -> bool:
    printed = found.via is Rung.PRINTED and all(hit.lang != "en" for hit in found.hits)
    return printed and " " not in found.hits[0].matched


def _is_half(found: _Found) -> bool:
    """Whether a face was named, not its whole card."""
    return found.via is Rung.EXACT and not any(hit.full for hit in found.hits)


def _spelling_rung(ladder: _Ladder, index: NameIndex, asked: Mapping[int, str], ranked: Mapping[int, _Ranked]) -> None:
    """Rung 7: takes a misspelled name that stands alone or far enough ahead."""
    sure = {i: hits[0] for i, hits in ranked.items() if _is_sure(hits)}
    # A word of many names is no misspelling of one of them: "command" is not "k command".
    parts = [asked[i] for i, hit in sure.items() if has_words(hit.matched, asked[i])]
    contained = index.containing(parts) if parts else {}
    for i, hit in sure.items():
        others = [other for other in contained.get(asked[i], ()) if other.card != hit.card]
        if not others:
            ladder.found[i] = _Found(Rung.FUZZY, (hit,), taken=not ladder.spans[i].exact)


def _offers(ladder: _Ladder, index: NameIndex, asked: Mapping[int, str], ranked: Mapping[int, _Ranked]) -> None:
    """What is offered where no rung answered: near spellings, names with the words in them, near foreign names."""
    contained = index.containing(list(dict.fromkeys(asked.values()))) if asked else {}
    offers = {i: (*ranked[i], *contained.get(query, ())) for i, query in asked.items()}
    foreign = [q for i, q in asked.items() if not offers[i] and len(q) >= _SHORTEST_FOREIGN]
    printed = index.similar_printed(foreign) if foreign else {}
    for i, query in asked.items():
        near = _ranked(printed.get(query, ()), query)
        if _is_sure(near) and not offers[i]:
            ladder.found[i] = _Found(Rung.FUZZY, near[:1], taken=not ladder.spans[i].exact)
        elif hits := _one_a_card((*offers[i], *near)):
            ladder.found[i] = _Found(Rung.FUZZY, hits, taken=False)


def misspelled(query: str, hits: Iterable[NameHit]) -> NameHit | None:
    """The one of *hits*, similar names, that folded *query* surely is a misspelling of; None when it is not sure."""
    ranked = _ranked(hits, query)
    return ranked[0] if _is_sure(ranked) else None


def _worth_comparing(ladder: _Ladder) -> dict[int, str]:
    asked = {i: fold_name(ladder.spans[i].text) for i in ladder.open()}
    return {i: query for i, query in asked.items() if len(query) >= _SHORTEST_FUZZY}


def _ranked(hits: Iterable[NameHit], query: str) -> _Ranked:
    """*hits* best first, one a card; a card whose full name it is hides the others with a face of that name."""
    scored = [replace(hit, score=max(hit.score, _nearness(query, hit))) for hit in hits]
    full = {hit.matched for hit in scored if hit.full}
    kept = [hit for hit in scored if (hit.full or hit.matched not in full) and hit.score >= FUZZY_OFFER]
    ranked = _one_a_card(sorted(kept, key=lambda hit: (-hit.score, hit.funny, hit.name)))
    if len(ranked) == 1 and is_slip(query, ranked[0].matched):
        return (replace(ranked[0], score=ONE_SLIP),)
    return ranked


def _nearness(query: str, hit: NameHit) -> float:
    """How near *query* is to a form of the name that the database does not compare."""
    if is_swap(query, hit.matched):
        return ONE_SLIP
    return similarity(query, without_possessives(hit.spelled))


def _is_sure(ranked: Sequence[NameHit]) -> bool:
    if not ranked or ranked[0].score < FUZZY_SURE:
        return False
    return len(ranked) == 1 or ranked[0].score - ranked[1].score >= FUZZY_LEAD


def _settle(hits: Sequence[NameHit], via: Rung) -> _Found | None:
    """What one rung answers: the one card, or the one whose full name is the span, or an offer of all (D50)."""
    if not hits:
        return None
    serious = [hit for hit in hits if not hit.funny] or list(hits)
    by_full_name = _one_a_card([hit for hit in serious if hit.full])
    candidates = by_full_name if len(by_full_name) == 1 else _one_a_card(serious)
    return _Found(via, candidates, taken=len(candidates) == 1)


def _one_a_card(hits: Iterable[NameHit]) -> tuple[NameHit, ...]:
    """*hits* with the first of each card only."""
    first: dict[CardId, NameHit] = {}
    for hit in hits:
        first.setdefault(hit.card, hit)
    return tuple(first.values())


def _resolution(span: CardSpan, found: _Found | None, cards: Mapping[CardId, Card]) -> Resolution:
    if found is None:
        return NotFound(span)
    named = tuple(cards[hit.card] for hit in found.hits[:OFFERS] if hit.card in cards)
    if not named:
        return NotFound(span)
    return Resolved(span, named[0], found.via) if found.taken else Ambiguous(span, named, found.via)


# Duplicates


def collapse(resolutions: Sequence[Resolution]) -> tuple[Resolution, ...]:
    """*resolutions* without second references to a card that another span already names.

    Dropped: a second Resolved of one card; a card with the name of a face of another card in the question (beside
    Emeritus of Woe // Demonic Tutor, "the Demonic Tutor" is that face); an Ambiguous of a naming rung that shares a
    candidate with a resolved card ("bolt" beside "Lightning Bolt"); a short name or an open span whose words
    all stand in a resolved card's name. An ambiguous misspelling stays: its neighbours are not names the asker wrote.
    """
    taken: dict[CardId, Card] = {}
    halves = _halves(resolutions)
    resolved = {r.card.id: r.card for r in resolutions if isinstance(r, Resolved)}
    kept: list[Resolution] = []
    for resolution in resolutions:
        if isinstance(resolution, Resolved):
            if (
                resolution.card.id in taken
                or fold_name(resolution.card.name) in halves
                or _is_within(resolution, resolved)
            ):
                continue
            taken[resolution.card.id] = resolution.card
        elif _refers_again(resolution, resolved):
            continue
        kept.append(resolution)
    return tuple(kept)


def _halves(resolutions: Sequence[Resolution]) -> frozenset[str]:
    """The folded names of the faces of resolved cards that have several; none is the name of its whole card."""
    cards = [r.card for r in resolutions if isinstance(r, Resolved) and len(r.card.faces) > 1]
    return frozenset(fold_name(face.name) for card in cards for face in card.faces)


def _is_within(short: Resolved, resolved: Mapping[CardId, Card]) -> bool:
    """Whether the short name is a part of another resolved card's name: then it means that one."""
    if short.matched_via is not Rung.SHORT:
        return False
    words = fold_name(short.span.text)
    return any(has_words(fold_name(card.name), words) for card in resolved.values() if card.id != short.card.id)


def _refers_again(resolution: Ambiguous | NotFound, resolved: Mapping[CardId, Card]) -> bool:
    if isinstance(resolution, Ambiguous) and resolution.via is not Rung.FUZZY:
        return any(card.id in resolved for card in resolution.candidates)
    words = fold_name(resolution.span.text)
    names = [face.name for card in resolved.values() for face in card.faces]
    names += [card.name for card in resolved.values()]
    return bool(words) and any(has_words(fold_name(name), words) for name in names)
