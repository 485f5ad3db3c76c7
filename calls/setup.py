"""Loads what the judge stands on: what answers need first, then what may come in behind.

One origin for everything: the folder of JUDGE_DATA_DIR, else the network, else the invented sample corpus. Real
data replaces the sample whole, and the sample never comes beside real data (D32).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from calls.models import Call
from cards.ingest import IngestError, IngestReport, Outcome, ingest_cards
from cards.ingest import Progress as CardProgress
from cards.models import BulkFile, Card
from curation.loading import load_curation
from rules.errors import RulesError
from rules.ingest import RulesFiles, RulesPage, ingest_rules, source_in
from rules.models import Edition
from sources.cr import RULES_PAGE, files_in
from sources.folder import FolderSource
from sources.http import FetchError, Patience, get_json, new_client
from sources.scryfall import API, ESSENTIAL, NAMES, BulkKind, NetworkSource, Source, SourceError

Say = Callable[[str], None]
"""Called with a line for the person who waits."""

BY_HAND = (
    "The judge tries again by itself. To load by hand what the network does not give: download the rules' .txt from "
    "Wizards' rules page and oracle-cards and rulings from Scryfall's bulk data into one folder, and start with "
    "JUDGE_DATA_DIR naming it."
)
_PROBE_SECONDS = 5.0  # how long to wait for the network before it counts as absent


class DataMissing(Exception):
    """The judge's data could not be loaded; str() says what and what to do. What was there before is whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """Where data may come from. folder: JUDGE_DATA_DIR or None; work_dir: room for downloads."""

    folder: Path | None
    sample: Path
    work_dir: Path
    is_offline: bool = False
    rules_page: str = RULES_PAGE
    scryfall: str = API


def is_empty() -> bool:
    """Whether no rules are loaded, or no cards."""
    return not (Edition.objects.filter(is_current=True).exists() and Card.objects.exists())


def has_rules() -> bool:
    """Whether an edition is loaded, be it the sample's."""
    return Edition.objects.filter(is_current=True).exists()


def has_sample() -> bool:
    """Whether the judge stands on the sample corpus."""
    return Edition.objects.filter(is_current=True, is_sample=True).exists()


def load_essentials(origins: Origins, say: Say) -> None:
    """Loads the rules, the cards, the rulings and the curated files; skips what did not change. Raises DataMissing."""
    if origins.folder is not None:
        _load_folder(origins.folder, say)
    elif is_empty() or has_sample():
        if not _network_answers(origins, say):
            _load_sample(origins.sample, say)
        else:
            _load_network_or_sample(origins, say)
    _load_curated_files(say)


def load_rest(origins: Origins, say: Say) -> None:
    """Loads printed names, names in other languages and older editions from where the rest came from.

    Raises DataMissing when some of it could not be had; the judge answers without it.
    """
    if origins.folder is None and not origins.is_offline and (has_sample() or is_empty()):
        _load_network(origins, say)  # it failed at the start, or was not there
        _load_curated_files(say)
    if has_sample():
        return
    if origins.folder is not None:
        _load_cards(FolderSource(origins.folder), NAMES, say)
        if files_in(origins.folder):
            _load_rules(source_in(origins.folder, all_editions=True), say)
    elif not origins.is_offline and not _has_names():
        with _scryfall(origins) as source:
            _load_cards(source, NAMES, say)


def _load_folder(folder: Path, say: Say) -> None:
    if not files_in(folder) and FolderSource(folder).bulk(BulkKind.ORACLE_CARDS) is None:
        raise DataMissing(
            f"JUDGE_DATA_DIR: {folder} has neither a rules file ('MagicCompRules 20260807.txt', there or in cr/) "
            "nor an 'oracle-cards-….json'; plain or .gz"
        )
    try:
        rules = source_in(folder)
    except RulesError as error:
        raise DataMissing(str(error)) from error
    _replace(rules, FolderSource(folder), say)


def _load_network_or_sample(origins: Origins, say: Say) -> None:
    """The network's data, or the sample where not even the rules could be had: then nothing real is loaded (D38)."""
    try:
        _load_network(origins, say)
    except DataMissing as problem:
        if has_rules() and not has_sample():
            raise
        say(f"warning: {problem}")
        say(BY_HAND)
        _load_sample(origins.sample, say)


def _load_network(origins: Origins, say: Say) -> None:
    with _scryfall(origins) as source:
        _replace(RulesPage(origins.rules_page), source, say)


def _replace(rules: RulesFiles | RulesPage, cards: Source, say: Say) -> None:
    """Loads *rules* and *cards*; once the rules are real ones, the sample corpus goes."""
    was_sample = has_sample()
    _load_rules(rules, say)
    if was_sample and not has_sample():
        say("Removing the sample data")
        drop_sample()
    _load_cards(cards, ESSENTIAL, say)


def drop_sample() -> None:
    """Removes the sample corpus and the calls answered on it. Only for a database that held nothing but the sample."""
    with transaction.atomic():
        Edition.objects.filter(is_sample=True).delete()
        Card.objects.all().delete()
        BulkFile.objects.all().delete()
        Call.objects.all().delete()


def _load_sample(folder: Path, say: Say) -> None:
    say("Without data of its own it starts on the made-up sample data. Its cards and rules are not Magic's.")
    _load_rules(source_in(folder), say)
    _load_cards(FolderSource(folder), ESSENTIAL + NAMES, say)


def _load_rules(source: RulesFiles | RulesPage, say: Say) -> None:
    try:
        report = ingest_rules(source, progress=lambda line: say(line[:1].upper() + line[1:]))
    except RulesError as error:
        raise DataMissing(str(error)) from error
    for edition in report.editions:
        if edition.is_new:
            say(str(edition).splitlines()[0])


def _load_cards(source: Source, kinds: tuple[BulkKind, ...], say: Say) -> None:
    try:
        report = ingest_cards(source, kinds=kinds, progress=_card_progress(say))
    except (IngestError, SourceError) as error:
        raise DataMissing(str(error)) from error
    _tell(report, say)
    if report.failed:
        raise DataMissing("; ".join(file.problem for file in report.failed))


def _card_progress(say: Say) -> Callable[[CardProgress], None]:
    """A line at the start of each file; the counts in between are for a bar, not for lines."""
    said: set[str] = set()

    def note(progress: CardProgress) -> None:
        if progress.phase == "fetching" and progress.kind not in said:
            said.add(progress.kind)
            say(f"Loading {progress.kind.value.replace('_', ' ')}")

    return note


def _tell(report: IngestReport, say: Say) -> None:
    for file in report.files:
        if file.outcome is Outcome.LOADED:
            say(f"Loaded {file.read:,} {file.kind.value.replace('_', ' ')} from {file.origin} in {file.seconds:.0f} s")


def _load_curated_files(say: Say) -> None:
    report = load_curation()
    if report.changed:
        say("Loaded the curated aliases, notes, categories and ways to ask")
    if report.refused:
        say(f"{len(report.refused)} curated entries were refused; the command load_curation lists them with the reason")


def _network_answers(origins: Origins, say: Say) -> bool:
    if origins.is_offline:
        return False
    say("Looking for Magic's rules and cards on the network")
    try:
        with new_client(timeout=_PROBE_SECONDS) as client:
            get_json(client, f"{origins.scryfall}/bulk-data", patience=Patience(attempts=1))
    except FetchError as error:
        say(f"The network does not answer: {error.problem}")
        return False
    return True


@contextmanager
def _scryfall(origins: Origins) -> Iterator[NetworkSource]:
    origins.work_dir.mkdir(parents=True, exist_ok=True)
    with new_client() as client:
        yield NetworkSource(client, origins.work_dir, origins.scryfall)


def _has_names() -> bool:
    return BulkFile.objects.filter(kind__in=[*NAMES]).count() == len(NAMES)
