"""A folder others may enter and a Postgres server in it, for the tests that start and stop servers."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgesite.embedded import Server
from judgesite.owner import server_owner


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A short path that Postgres' user may enter; pytest's own tmp_path is closed and long."""
    folder = Path(tempfile.mkdtemp(prefix="judge-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def server(open_folder: Path) -> Iterator[Server]:
    """A server that has not been started yet; stopped afterwards."""
    server = Server(open_folder / "postgres", server_owner())
    yield server
    if server.data.exists():
        server.stop()
