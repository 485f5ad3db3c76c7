"""Looks whether stored calls still hold: their quotes, and the cards they were about (DESIGN 4.7).

A call that no longer holds is retired, which keeps it readable and takes it out of the examples; when what it
quotes stands there again, it comes back. Rules that only moved take their citations with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import batched
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from calls.adapters.cards import cards_by_id, rulings_by_card
from calls.adapters.rules import rule_chunks
from calls.adapters.store import card_texts
from calls.models import Call
from judge.citing import standing
from judge.rendering import card_data
from judge.values import RULE_ID_IN_PROSE, Card, CardId, Ruling
from rules.models import Edition, GlossaryTerm, Renumbering

CHUNK = 1_000  # calls held in memory together, and committed together
Progress = Callable[[int], None]
Stored = dict[str, Any]  # a citation as calls.adapters.store.citation_json wrote it


@dataclass(frozen=True, slots=True)
class Rechecked:
    """How many calls were looked at, and what became of them."""

    checked: int = 0
    retired: int = 0
    restored: int = 0
    renumbered: int = 0


@dataclass(frozen=True, slots=True)
class _Sources:
    """Everything the citations of a chunk of calls may point at, as it is today."""

    edition: Edition
    rules: Mapping[str, str]  # what may be quoted, by rule or subrule number
    glossary: Mapping[str, tuple[str, ...]]  # texts by term
    cards: Mapping[CardId, Card]
    rulings: Mapping[CardId, tuple[Ruling, ...]]

    def texts(self, citation: Stored) -> tuple[str, ...]:
        """The texts *citation* may stand in; none when its source is gone."""
        match citation["kind"]:
            case "rule":
                text = self.rules.get(citation["id"])
                return () if text is None else (text,)
            case "glossary":
                return self.glossary.get(citation["term"], ())
            case "prior_call":
                row = Call.objects.filter(pk=citation["id"], retired_at__isnull=True).first()
                return () if row is None else (row.answer,)
        card = self.cards.get(CardId(UUID(citation["card"])))
        if card is None:
            return ()
        match citation["kind"]:
            case "ruling":
                return tuple(r.text for r in self.rulings.get(card.id, ()) if r.key == citation["key"])
            case "oracle_text":
                return tuple(face.oracle_text for face in card.faces if face.index == citation["face"])
            case "card_data":
                return (card_data(card),)
        raise ValueError(f"a citation of kind {citation['kind']!r} cannot be looked up")


def recheck_calls(progress: Progress = lambda _done: None) -> Rechecked:
    """Looks at every stored call once and writes down what changed. Safe to repeat and to kill at any moment.

    Memory is bounded by CHUNK calls; every chunk is committed by itself. Without rules loaded nothing is done.
    """
    edition = Edition.objects.current()
    if edition is None:
        return Rechecked()
    rules, glossary = _rule_texts(edition), _glossary(edition)
    total = Rechecked()
    moves: dict[date, Mapping[str, str]] = {}
    for pks in batched(Call.objects.order_by("pk").values_list("pk", flat=True).iterator(CHUNK), CHUNK):
        with transaction.atomic():
            calls = list(Call.objects.select_for_update().filter(pk__in=pks).order_by("pk"))
            sources = _Sources(edition, rules, glossary, *_cards_of(calls))
            total = _plus(total, _recheck(calls, sources, moves))
        progress(total.checked)
    return total


def _recheck(calls: Sequence[Call], sources: _Sources, moves: dict[date, Mapping[str, str]]) -> Rechecked:
    changed: list[Call] = []
    retired = restored = renumbered = 0
    for call in calls:
        moved = _carried(call, sources.edition, moves)
        because = _broken(call, sources)
        if because and call.retired_at is None:
            call.retired_at, retired = timezone.now(), retired + 1
        elif not because and call.retired_at is not None:
            call.retired_at, restored = None, restored + 1
        renumbered += moved
        if moved or because != call.retired_because:
            call.retired_because = because
            changed.append(call)
    fields = ["citations", "answer", "cited_edition", "retired_at", "retired_because"]
    Call.objects.bulk_update(changed, fields, batch_size=200)
    return Rechecked(len(calls), retired, restored, renumbered)


def _broken(call: Call, sources: _Sources) -> str:
    """What no longer holds of *call*, in words for a curator; "" when all of it does."""
    now = card_texts(sources.cards[CardId(card)] for card in map(UUID, call.card_texts) if card in sources.cards)
    for card, text in call.card_texts.items():
        if now.get(card) != text:
            found = sources.cards.get(CardId(UUID(card)))
            return f"the text of {found.name} has changed" if found else f"the card {card} is gone"
    for number, citation in enumerate(call.citations, start=1):
        texts = sources.texts(citation)
        if not texts:
            return f"citation {number}: {_label(citation)} is gone"
        if all(standing(citation["quote"], text) is None for text in texts):
            return f"citation {number}: {_label(citation)} no longer says what was quoted"
    return ""


def _carried(call: Call, edition: Edition, moves: dict[date, Mapping[str, str]]) -> bool:
    """Gives the rules *call* cites and names the numbers they have in *edition*; whether any had moved."""
    before = call.cited_edition or call.edition
    if before == edition.effective:
        return False
    if before not in moves:
        moves[before] = _moves(before, edition)
    moved = moves[before]
    named = {c["id"] for c in call.citations if c["kind"] == "rule"} | set(RULE_ID_IN_PROSE.findall(call.answer))
    if not named & moved.keys():
        return False
    call.citations = [_moved(citation, moved) for citation in call.citations]
    call.answer = _with_numbers(call.answer, moved)
    call.cited_edition = edition.effective
    return True


def _moved(citation: Stored, moved: Mapping[str, str]) -> Stored:
    """*citation* under its rule's new number; a quote that names other rules names them as the new text does."""
    if citation["kind"] != "rule":
        return citation
    return {
        **citation,
        "id": moved.get(citation["id"], citation["id"]),
        "quote": _with_numbers(citation["quote"], moved),
    }


def _with_numbers(text: str, moved: Mapping[str, str]) -> str:
    return RULE_ID_IN_PROSE.sub(lambda match: moved.get(match.group(), match.group()), text)


def _moves(before: date, edition: Edition) -> Mapping[str, str]:
    """Old number to new of every line that only moved between the rules of *before* and *edition*."""
    rows = Renumbering.objects.filter(from_edition__effective=before, to_edition=edition)
    return dict(rows.order_by("from_edition__loaded_at").values_list("old_number", "new_number"))


def _rule_texts(edition: Edition) -> dict[str, str]:
    texts: dict[str, str] = {}
    for chunk in rule_chunks(edition.pk).values():
        texts[chunk.id] = chunk.text
        texts.update((leaf.id, leaf.text) for leaf in chunk.leaves)
    return texts


def _glossary(edition: Edition) -> dict[str, tuple[str, ...]]:
    texts: dict[str, tuple[str, ...]] = {}
    for term, text in GlossaryTerm.objects.filter(edition=edition).values_list("term", "text"):
        texts[term] = (*texts.get(term, ()), text)
    return texts


def _cards_of(calls: Sequence[Call]) -> tuple[Mapping[CardId, Card], Mapping[CardId, tuple[Ruling, ...]]]:
    """The cards and rulings *calls* point at, as they are today."""
    wanted = set(_card_ids(calls))
    return cards_by_id(wanted), rulings_by_card(wanted)


def _card_ids(calls: Sequence[Call]) -> Iterator[CardId]:
    for call in calls:
        for card in (*call.card_texts, *(c["card"] for c in call.citations if "card" in c)):
            yield CardId(UUID(card))


def _label(citation: Stored) -> str:
    match citation["kind"]:
        case "rule":
            return f"rule {citation['id']}"
        case "glossary":
            return f"the glossary entry “{citation['term']}”"
        case "prior_call":
            return f"earlier call {citation['id']}"
        case kind:
            return {"ruling": "the ruling", "oracle_text": "the Oracle text", "card_data": "the card data"}[kind]


def _plus(one: Rechecked, other: Rechecked) -> Rechecked:
    return Rechecked(
        one.checked + other.checked,
        one.retired + other.retired,
        one.restored + other.restored,
        one.renumbered + other.renumbered,
    )
