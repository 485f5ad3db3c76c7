from __future__ import annotations

import gzip
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError, connection

from rules import ingest
from rules.errors import NotComprehensiveRules, RulesNotFound, RulesNotStored
from rules.ingest import RulesFiles, RulesPage, ingest_rules, source_in
from rules.load import Policy
from rules.models import Edition, Rule
from sources.http import FetchError, Patience
from tests.loopback import Answer, loopback
from tests.rules.cr_text import BODY, cr_bytes

pytestmark = pytest.mark.django_db

MARCH = cr_bytes()
APRIL = cr_bytes(
    effective="These rules are effective as of April 5, 2026.",
    body=BODY.replace("ten life", "twelve life").replace("through walls.\n", "through walls.\n\n702.2c It hums.\n"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cr").mkdir()
    (tmp_path / "cr" / "MagicCompRules_20260305.txt").write_bytes(MARCH)
    (tmp_path / "MagicCompRules%2020260405.txt.gz").write_bytes(gzip.compress(APRIL))
    return tmp_path


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("ingest_rules", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def loaded_dates() -> set[date]:
    return set(Edition.objects.values_list("effective", flat=True))


def test_newest_file_of_a_folder_is_loaded(folder: Path) -> None:
    report = ingest_rules(source_in(folder))
    assert loaded_dates() == {date(2026, 4, 5)}
    assert report.editions[0].is_new
    assert report.editions[0].file_name == "MagicCompRules 20260405.txt"


def test_all_editions_of_a_folder(folder: Path) -> None:
    steps: list[str] = []
    report = ingest_rules(source_in(folder, all_editions=True), progress=steps.append)
    assert [item.edition.effective for item in report.editions] == [date(2026, 3, 5), date(2026, 4, 5)]
    assert report.editions[1].changes == (("added", 1), ("gone", 0), ("reworded", 1), ("renumbered", 0))
    assert "reading MagicCompRules 20260405.txt" in steps


def test_second_run_says_that_there_is_nothing_to_do(folder: Path) -> None:
    ingest_rules(source_in(folder))
    again = ingest_rules(source_in(folder))
    assert not again.editions[0].is_new
    assert "already there, nothing to do (current)" in str(again)


def test_second_run_does_not_parse(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest_rules(source_in(folder))

    def fail(*_: Any) -> None:
        raise AssertionError("parsed again")

    monkeypatch.setattr(ingest, "parse_edition", fail)
    ingest_rules(source_in(folder))


def test_report_is_readable(folder: Path) -> None:
    text = run(str(folder), "--all-editions")
    assert text.splitlines() == [
        "MagicCompRules_20260305.txt: Comprehensive Rules, effective 2026-03-05, loaded (current)",
        "  5 rules, 4 subrules, 2 examples, 3 glossary entries; 0 vectors kept",
        "MagicCompRules 20260405.txt: Comprehensive Rules, effective 2026-04-05, loaded (current)",
        "  5 rules, 5 subrules, 2 examples, 3 glossary entries; 0 vectors kept",
        "  against the edition before: 1 added, 0 gone, 1 reworded, 0 renumbered",
    ]


def test_warnings_and_missing_rules_are_in_the_report(tmp_path: Path) -> None:
    file = tmp_path / "MagicCompRules 20260501.txt"
    file.write_bytes(cr_bytes(body=BODY.replace("rule 702.2.", "rule 110.10.")))
    text = run(str(file))
    assert "  note: The file is named MagicCompRules 20260501.txt, but its rules are effective as of 2026-03-05" in text
    assert "  note: It names rules it does not have: 110.10." in text


def test_command_reads_the_data_folder_by_default(folder: Path, settings: Any) -> None:
    settings.JUDGE_DATA_DIR = folder
    run()
    assert loaded_dates() == {date(2026, 4, 5)}


def test_command_takes_a_policy(folder: Path) -> None:
    run(str(folder / "cr" / "MagicCompRules_20260305.txt"))
    assert "loaded (pending: waits for a curator)" in run(str(folder), "--policy", "confirm")
    assert Edition.objects.get(is_current=True).effective == date(2026, 3, 5)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(MARCH[:400], "cut off", id="truncated"),
        pytest.param(bytes(range(256)) * 9, "neither UTF-8 nor cp1252", id="binary"),
        pytest.param(b"<html>404</html>", "not with the title", id="html"),
    ],
)
def test_bad_file_is_one_clear_message_and_changes_nothing(content: bytes, says: str, folder: Path) -> None:
    ingest_rules(source_in(folder))
    bad = folder / "MagicCompRules 20260501.txt"
    bad.write_bytes(content)
    with pytest.raises(CommandError, match=says) as caught:
        run(str(bad))
    assert str(caught.value).startswith("MagicCompRules 20260501.txt is no complete")
    assert str(caught.value).count("nothing was changed") == 1
    assert loaded_dates() == {date(2026, 4, 5)}


def test_good_files_before_a_bad_one_stay_loaded(folder: Path) -> None:
    (folder / "MagicCompRules 20260501.txt").write_bytes(b"nothing")
    with pytest.raises(NotComprehensiveRules):
        ingest_rules(source_in(folder, all_editions=True))
    assert len(loaded_dates()) == 2


def test_folder_without_rules_and_missing_file(tmp_path: Path) -> None:
    with pytest.raises(RulesNotFound, match="no rules file in"):
        source_in(tmp_path)
    with pytest.raises(CommandError, match="there is no file"):
        run(str(tmp_path / "none.txt"))


def test_full_disk_is_a_message_and_changes_nothing(folder: Path) -> None:
    ingest_rules(RulesFiles((folder / "cr" / "MagicCompRules_20260305.txt",)))

    def full(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "rules_posting" in sql:
            raise OperationalError("could not extend file: No space left on device")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(full), pytest.raises(RulesNotStored, match="free some space"):
        ingest_rules(source_in(folder))
    assert loaded_dates() == {date(2026, 3, 5)}
    assert Edition.objects.get().is_current


def test_the_command_asks_the_page_of_the_settings(settings: Any) -> None:
    with loopback() as server:
        settings.JUDGE_DATA_DIR, settings.JUDGE_RULES_PAGE = None, f"{server.url}/rules"
        server.answers["/rules"] = [Answer(b'<a href="/MagicCompRules%2020260305.txt">TXT</a>')]
        server.answers["/MagicCompRules%2020260305.txt"] = [Answer(MARCH)]
        run()
    assert loaded_dates() == {date(2026, 3, 5)}


@pytest.mark.parametrize("arguments", [(), ("--network",)])
def test_offline_the_command_asks_nobody(settings: Any, arguments: tuple[str, ...]) -> None:
    with loopback() as server:
        settings.JUDGE_DATA_DIR, settings.JUDGE_RULES_PAGE, settings.JUDGE_OFFLINE = None, f"{server.url}/rules", True
        with pytest.raises(CommandError, match="JUDGE_OFFLINE=1 forbids the network"):
            run(*arguments)
        assert server.requests == []


def test_page_that_cannot_be_reached_is_a_message() -> None:
    nowhere = RulesPage("http://127.0.0.1:9/rules", Patience(attempts=1))
    with pytest.raises(RulesNotFound, match="check the network") as caught:
        ingest_rules(nowhere)
    assert isinstance(caught.value.__cause__, FetchError)
    assert not Edition.objects.exists()


def test_sample_rules_load_marked_as_such_and_without_a_warning() -> None:
    report = ingest_rules(source_in(settings.BASE_DIR / "data" / "sample"))
    edition = report.editions[0].edition
    assert edition.is_sample
    assert edition.is_current
    assert report.editions[0].warnings == ()
    assert "sample data, not Magic's rules" in str(report)
    assert Rule.objects.get(edition=edition, number="702.2").heading == "Flying"
    assert edition.counts["rules"] >= 40


@pytest.mark.real_data
def test_real_editions_load_with_the_newest_current(real_data: Path) -> None:
    files = source_in(real_data, all_editions=True).paths
    ingest_rules(RulesFiles((files[-1], files[0])), policy=Policy.AUTO)
    assert Edition.objects.get(is_current=True).effective == date(2026, 8, 7)
    assert Rule.objects.filter(edition__is_current=True).count() == 1173 + 1989
    assert Rule.objects.filter(edition__effective=date(2024, 11, 8)).count() == 1124 + 1883
