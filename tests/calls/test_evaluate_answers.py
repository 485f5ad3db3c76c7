from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from tests.rules.invented import load_invented

pytestmark = pytest.mark.django_db

GOLD = """
questions:
- {id: hats, question: may each player wear a hat, cards: [], expected_rules: [100.1b]}
- {id: absent, question: hat, cards: [], expected_rules: [999.9]}
- {id: declined, question: the weather, cards: [], expected_rules: []}
"""
RECORDED = [
    {
        "id": name,
        "spans": [],
        "question_en": "each player has a hat",
        "concepts": [],
        "sections": [],
        "categories": ["other"],
        "source": "cr",
        "answer_language": "en",
    }
    for name in ("hats", "absent")
]


@pytest.fixture
def files(tmp_path: Path, settings: LazySettings) -> list[str]:
    settings.JUDGE_EMBEDDER = "none"
    (tmp_path / "gold.yaml").write_text(GOLD, encoding="utf-8")
    (tmp_path / "extractions.json").write_text(json.dumps(RECORDED), encoding="utf-8")
    return [f"--gold={tmp_path}/gold.yaml", f"--extractions={tmp_path}/extractions.json", "--extractor=recorded"]


def evaluate(*arguments: str) -> str:
    out = io.StringIO()
    call_command("evaluate", "answers", *arguments, stdout=out)
    return out.getvalue()


def test_json_tells_what_part_of_the_decisive_rules_is_quoted(files: list[str]) -> None:
    load_invented()
    figures = json.loads(evaluate(*files, "--json"))
    assert 1 <= figures.pop("quotes") <= 6
    assert figures == {"n": 2, "decisive": 2, "quoted": 0.5, "none": 1}


def test_the_table_and_the_misses_say_it_in_words(files: list[str]) -> None:
    load_invented()
    told = evaluate(*files, "--misses")
    assert "50.0% of the decisive rules" in told
    assert "absent: 999.9 missing; 100.1b" in told


def test_a_missed_gate_fails(files: list[str]) -> None:
    load_invented()
    evaluate(*files, "--min-quoted=0.5")
    with pytest.raises(SystemExit):
        evaluate(*files, "--min-quoted=0.6")


def test_without_rules_it_says_what_to_load(files: list[str]) -> None:
    with pytest.raises(CommandError, match="ingest_rules"):
        evaluate(*files)
