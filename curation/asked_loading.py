"""Loads the phrases of data/asked: numbers carried to the current edition, rows made to follow the files in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from curation.changes import Changes
from curation.entries import AskedEntry, Problem
from curation.models import AskedPhrase, Origin
from rules.models import Edition, Renumbering

_BATCH = 2_000  # rows an INSERT


def check_asked(
    entries: Sequence[AskedEntry], edition: Edition, numbers: frozenset[str], refused: list[Problem]
) -> tuple[tuple[str, str], ...]:
    """Number in *edition* and text of every entry whose rule is there, each pair once; others are told in *refused*.

    numbers: every rule and subrule number of *edition*.
    """
    carried = {named: _renumbered(named, edition) for named in {entry.edition for entry in entries}}
    sound: dict[tuple[str, str], None] = {}
    for entry in entries:
        number = carried[entry.edition].get(entry.number, entry.number)
        if number in numbers:
            sound[number, entry.text] = None
        else:
            message = f"the phrase is about {number}, which the current edition does not have"
            refused.append(Problem(entry.place, message))
    return tuple(sound)


def apply_asked(sound: Sequence[tuple[str, str]]) -> Changes:
    """Makes the files' rows those in *sound*; what a curator wrote stays and is not written twice."""
    rows = AskedPhrase.objects.values_list("number", "text", "origin", "pk")
    live = {(number, text): pk for number, text, origin, pk in rows if origin == Origin.FILE}
    curated = {(number, text) for number, text, origin, _ in rows if origin != Origin.FILE}
    wanted = dict.fromkeys(pair for pair in sound if pair not in curated)
    gone = [pk for pair, pk in live.items() if pair not in wanted]
    new = [
        AskedPhrase(number=number, text=text, origin=Origin.FILE)
        for number, text in wanted
        if (number, text) not in live
    ]
    if gone:
        AskedPhrase.objects.filter(pk__in=gone).delete()
    AskedPhrase.objects.bulk_create(new, batch_size=_BATCH)
    return Changes(added=len(new), removed=len(gone), kept=len(sound) - len(new))


def _renumbered(named: date, current: Edition) -> dict[str, str]:
    """Numbers of the edition of *named* that stand under another number in *current*, and which.

    Renumberings are kept from the older to the newer edition, so for rules older than the file they are read
    backwards. An edition that is not loaded moves nothing.
    """
    if named == current.effective:
        return {}
    moved = Renumbering.objects.filter(from_edition__effective=named, to_edition=current)
    back = Renumbering.objects.filter(from_edition=current, to_edition__effective=named)
    return dict(back.values_list("new_number", "old_number")) | dict(moved.values_list("old_number", "new_number"))
