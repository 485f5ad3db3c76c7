"""Fixtures every test may use. Tests run on real Postgres: DATABASE_URL, or the embedded server."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from judgesite import embedded, paths

_server = ExitStack()


def pytest_configure() -> None:
    """Starts the embedded server before Django asks for its test database."""
    if not os.environ.get("PYTEST_XDIST_WORKER"):
        _server.enter_context(embedded.running())


def pytest_unconfigure() -> None:
    """Stops the server when nobody else uses it."""
    _server.close()


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real bulk files; skips the test, and says why, when there is none."""
    folder = paths.data_dir()
    if folder is None or not folder.is_dir():
        pytest.skip("real_data: JUDGE_DATA_DIR names no folder with the real files")
    return folder
