"""The same quote and passage code over the whole Comprehensive Rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.passages import passages_of
from judge.quotes import fold_punctuation, locate
from rules.parser import parse_edition

RETYPED = str.maketrans("’‘“”—–−‑\u00a0", "''\"\"---- ")


@pytest.mark.real_data
def test_every_passage_of_the_rules_is_found_when_retyped_in_ascii(real_data: Path) -> None:
    file = max((real_data / "cr").glob("MagicCompRules_*.txt"))
    seen = 0
    for rule in parse_edition(file.read_bytes(), file.name).rules:
        for text in (rule.body, *(subrule.body for subrule in rule.subrules)):
            for passage in passages_of(text, 1):
                span = locate(passage.text.translate(RETYPED), text)
                assert span is not None, (rule.number, passage.text)
                assert fold_punctuation(text[span.start : span.end]) == fold_punctuation(passage.text)
                seen += 1
    assert seen > 5_000
