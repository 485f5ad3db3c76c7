from __future__ import annotations

from pathlib import Path

from eval.gold import GoldQuestion
from eval.last_run import last_run_file, moved, places, read_run, write_run
from eval.recall import Outcome
from judge.values import RuleId

HATS = GoldQuestion(
    id="hats", question="?", language="en", kind="rules", cards=(), expected=((RuleId("100.1b"),), (RuleId("606.1"),))
)


def found(retrieved: tuple[str, ...], shown: tuple[str, ...]) -> Outcome:
    return Outcome(HATS, tuple(map(RuleId, retrieved)), tuple(map(RuleId, shown)))


def test_a_rule_is_shown_cut_or_not_retrieved() -> None:
    assert places([found(("702.2", "100.1"), ("702.2",))]) == {"hats 100.1b": "cut at 2", "hats 606.1": "not retrieved"}


def test_what_moved_is_told_with_what_is_gained_and_lost() -> None:
    before = places([found(("702.2", "100.1", "606.1"), ("606.1",))])
    now = places([found(("100.1", "702.2", "606.1"), ("100.1",))])
    assert list(moved(before, now)) == [
        "hats 100.1b: cut at 2, now shown at 1",
        "hats 606.1: shown at 3, now cut at 3",
        "2 of 2 rules moved since the last run: 1 more shown, 1 no longer.",
    ]
    assert list(moved(now, now)) == ["0 of 2 rules moved since the last run: 0 more shown, 0 no longer."]


def test_a_run_is_read_back_and_a_broken_file_is_no_run(tmp_path: Path) -> None:
    file = last_run_file(tmp_path, Path("gold.yaml"), "local")
    assert read_run(file) is None
    write_run(file, {"hats 100.1b": "shown at 1"})
    assert read_run(file) == {"hats 100.1b": "shown at 1"}
    file.write_text("[", encoding="utf-8")
    assert read_run(file) is None
    assert list(moved(None, {})) == ["No run to compare with yet: this one is kept."]


def test_sets_of_one_name_in_two_folders_are_kept_apart(tmp_path: Path) -> None:
    assert last_run_file(tmp_path, Path("a/gold.yaml"), "local") != last_run_file(
        tmp_path, Path("b/gold.yaml"), "local"
    )
