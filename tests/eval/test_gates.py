from __future__ import annotations

from pathlib import Path

import pytest

from eval import gates
from eval.gates import NO_GATE, gate_of

OURS = Path(gates.__file__).parent


@pytest.mark.parametrize(
    ("name", "extractor"), [("gold.yaml", "local"), ("gold.yaml", "recorded"), ("gold_fresh.yaml", "local")]
)
def test_our_question_sets_have_a_gate(name: str, extractor: str) -> None:
    gate = gate_of(OURS / name, extractor)
    assert 0.5 < gate.shown <= gate.retrieved < 1
    assert (OURS / name).exists()


def test_a_file_of_the_same_name_elsewhere_has_none(tmp_path: Path) -> None:
    assert gate_of(tmp_path / "gold.yaml", "local") == NO_GATE
