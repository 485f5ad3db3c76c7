"""Loads the curated files: parse, check, diff, apply. A second run changes nothing; a curator's work is never touched.

Rows with origin=file follow the files. A row of a curator that speaks about the same thing wins over the file's
(D60), and a row that was retired stays so, whatever the file says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction

from cards.models import Card
from curation import checks
from curation.asked_loading import apply_asked, check_asked
from curation.changes import NO_CHANGES, Changes
from curation.entries import CuratedFiles, Problem
from curation.models import CardAlias, CardNote, Category, Origin
from curation.parsing import parse_folder
from rules.models import Edition

_LOCK = 0x6A756467_63757261  # any number of our own: two loads at once take turns

NO_CARDS = "No cards are loaded yet, so aliases and notes wait: load the cards, then load these files again."
NO_RULES = (
    "No Comprehensive Rules are loaded yet, so notes, categories and ways to ask wait: load the rules, "
    "then these files again."
)


@dataclass(frozen=True, slots=True)
class CurationReport:
    """What a load did.

    refused: what is wrong in the files and was left out. conflicts: what a curator's row overrules. uncovered: CR
    sections that no category maps and the file does not list as unmapped. waiting: why a part could not be loaded
    yet. edition: the effective date of the rules that the numbers were held against.
    """

    folder: Path
    aliases: Changes = NO_CHANGES
    notes: Changes = NO_CHANGES
    categories: Changes = NO_CHANGES
    asked: Changes = NO_CHANGES
    refused: tuple[Problem, ...] = ()
    conflicts: tuple[Problem, ...] = ()
    uncovered: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    edition: date | None = None

    @property
    def changed(self) -> bool:
        """Whether a row of any kind was written."""
        return any(changes.any for changes in (self.aliases, self.notes, self.categories, self.asked))

    @property
    def is_clean(self) -> bool:
        """Whether everything the files say is in the database, or stands there by a curator's hand."""
        return not (self.refused or self.uncovered or self.waiting)


def default_folder() -> Path:
    """data/, or data/sample/ while the invented sample rules are the current edition."""
    data = Path(settings.BASE_DIR) / "data"
    is_sample = Edition.objects.filter(is_current=True, is_sample=True).exists()
    return data / "sample" if is_sample else data


def load_curation(folder: Path | None = None, *, progress: Callable[[str], None] = lambda _: None) -> CurationReport:
    """Makes the file rows match *folder* (default_folder() when None) in one transaction, and tells what happened.

    progress is called with a line of text as each part begins.
    """
    folder = folder or default_folder()
    progress(f"Reading the curated files in {folder.name}/")
    files = parse_folder(folder)
    with transaction.atomic():
        _take_turns()
        report = CurationReport(folder=folder, refused=files.problems)
        report = _load_card_files(files, report, progress)
        report = _load_categories(files, report, progress)
        return _load_asked(files, report, progress)


def _load_card_files(files: CuratedFiles, report: CurationReport, progress: Callable[[str], None]) -> CurationReport:
    if not Card.objects.exists():
        return replace(report, waiting=(NO_CARDS,))
    refused, conflicts = list(report.refused), list(report.conflicts)
    aliases, notes = Changes(), Changes()
    if files.aliases is not None:
        progress(f"Checking {len(files.aliases)} aliases")
        aliases = _apply_aliases(checks.check_aliases(files.aliases, refused), conflicts)
    edition = _current_edition()
    if files.notes is not None and edition is not None:
        progress(f"Checking {len(files.notes)} notes")
        sound = checks.check_notes(files.notes, checks.rule_numbers(edition), refused)
        notes = _apply_notes(sound, conflicts)
    return replace(
        report, aliases=aliases, notes=notes, refused=tuple(sorted(refused)), conflicts=tuple(sorted(conflicts))
    )


def _load_categories(files: CuratedFiles, report: CurationReport, progress: Callable[[str], None]) -> CurationReport:
    edition = _current_edition()
    if edition is None:
        return replace(report, waiting=(*report.waiting, NO_RULES))
    report = replace(report, edition=edition.effective)
    if files.categories is None:
        return report
    progress(f"Checking {len(files.categories)} categories")
    refused, conflicts = list(report.refused), list(report.conflicts)
    sections = checks.section_numbers(edition)
    numbers = checks.rule_numbers(edition) | {number for number, _ in sections}
    changes = _apply_categories(checks.check_categories(files.categories, numbers, refused), conflicts)
    lists = Category.objects.values_list("sections", flat=True)
    mapped = checks.mapped_sections(number for listed in lists for number in listed)
    unmapped = checks.check_unmapped(files.unmapped, mapped, numbers, refused)
    return replace(
        report,
        categories=changes,
        refused=tuple(sorted(refused)),
        conflicts=tuple(sorted(conflicts)),
        uncovered=checks.uncovered_sections(sections, mapped, unmapped),
    )


def _load_asked(files: CuratedFiles, report: CurationReport, progress: Callable[[str], None]) -> CurationReport:
    edition = _current_edition()
    if files.asked is None or edition is None:
        return report
    progress(f"Checking {len(files.asked)} phrases of how players ask")
    refused = list(report.refused)
    sound = check_asked(files.asked, edition, checks.rule_numbers(edition), refused)
    return replace(report, asked=apply_asked(sound), refused=tuple(sorted(refused)))


def _apply_aliases(sound: tuple[checks.SoundAlias, ...], conflicts: list[Problem]) -> Changes:
    curated = {row.folded: row for row in CardAlias.objects.live().filter(origin=Origin.CURATOR).select_related("card")}
    of_file = CardAlias.objects.filter(origin=Origin.FILE)
    retired = set(of_file.filter(retired_at__isnull=False).values_list("folded", flat=True))
    live = {row.folded: row for row in of_file.live()}
    wanted: dict[str, CardAlias] = {}
    for alias in sound:
        entry = alias.entry
        if (own := curated.get(entry.folded)) is not None:
            if own.card_id != alias.card_id:
                message = f"the alias {entry.alias!r} for {entry.card.name} is not loaded: a curator keeps it for"
                conflicts.append(Problem(entry.place, f"{message} {own.card.name}"))
        elif entry.folded not in retired:
            wanted[entry.folded] = CardAlias(
                alias=entry.alias,
                folded=entry.folded,
                card_id=alias.card_id,
                common_word=entry.common_word,
                origin=Origin.FILE,
            )
    return _follow(live, wanted, len(sound), CardAlias, ("alias", "card_id", "common_word"))


def _apply_notes(sound: tuple[checks.SoundNote, ...], conflicts: list[Problem]) -> Changes:
    curated = {row.card_id: row for row in CardNote.objects.filter(origin=Origin.CURATOR)}
    live = {row.card_id: row for row in CardNote.objects.filter(origin=Origin.FILE)}
    wanted = {}
    for note in sound:
        entry = note.entry
        if (own := curated.get(note.card_id)) is not None:
            if (own.text, tuple(own.rules)) != (entry.text, note.rules):
                message = f"the note on {entry.card.name} is not loaded: a curator keeps a note on this card"
                conflicts.append(Problem(entry.place, message))
            continue
        wanted[note.card_id] = CardNote(
            card_id=note.card_id, text=entry.text, rules=list(note.rules), origin=Origin.FILE
        )
    return _follow(live, wanted, len(sound), CardNote, ("text", "rules"))


def _apply_categories(sound: tuple[checks.SoundCategory, ...], conflicts: list[Problem]) -> Changes:
    curated = {row.key: row for row in Category.objects.filter(origin=Origin.CURATOR)}
    live = {row.key: row for row in Category.objects.filter(origin=Origin.FILE)}
    fields = ("title", "description", "sections", "keywords")
    wanted = {}
    for category in sound:
        entry = category.entry
        row = Category(
            key=entry.key,
            title=entry.title,
            description=entry.description,
            sections=list(category.sections),
            keywords=list(entry.keywords),
            origin=Origin.FILE,
        )
        if (own := curated.get(entry.key)) is None:
            wanted[entry.key] = row
        elif not _same(own, row, fields):
            message = f"the category {entry.key!r} is not loaded: a curator keeps one under this key"
            conflicts.append(Problem(entry.place, message))
    return _follow(live, wanted, len(sound), Category, fields)


def _follow[Row: (CardAlias, CardNote, Category), Key](
    live: dict[Key, Row], wanted: dict[Key, Row], sound: int, model: type[Row], fields: tuple[str, ...]
) -> Changes:
    """Makes the rows in *live* those in *wanted*, by key; only *fields* can differ. sound: entries in the file."""
    gone = [row.pk for key, row in live.items() if key not in wanted]
    new = [row for key, row in wanted.items() if key not in live]
    differing = []
    for key, row in wanted.items():
        old = live.get(key)
        if old is not None and not _same(old, row, fields):
            for field in fields:
                setattr(old, field, getattr(row, field))
            differing.append(old)
    if gone:
        model._default_manager.filter(pk__in=gone).delete()
    if differing:
        model._default_manager.bulk_update(differing, [field.removesuffix("_id") for field in fields])
    if new:
        model._default_manager.bulk_create(new)
    kept = sound - len(new) - len(differing)
    return Changes(added=len(new), changed=len(differing), removed=len(gone), kept=kept)


def _same(one: object, other: object, fields: tuple[str, ...]) -> bool:
    return all(getattr(one, field) == getattr(other, field) for field in fields)


def _current_edition() -> Edition | None:
    return Edition.objects.filter(is_current=True).first()


def _take_turns() -> None:
    # Two first loads at once would both see an empty table and collide on its constraints.
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
