"""Brings in the data before a command needs it; says on stderr what it is at."""

from __future__ import annotations

import os

from django.conf import settings

from calls import setup
from calls.setup import DataMissing, Origins
from judgesite import disk, embedded, paths
from judgesite.background import embed_for
from judgesite.problems import SetupError
from judgesite.terminal import say
from sources.cr import files_in
from sources.folder import FolderSource
from sources.scryfall import ESSENTIAL, NAMES

_EMBED_SECONDS = 20  # with shipped vectors it takes a few; without, the question does not wait for minutes


def origins() -> Origins:
    """Where this installation's data comes from. Raises SetupError when JUDGE_DATA_DIR cannot be read."""
    return Origins(
        folder=paths.readable_data_dir(),
        sample=paths.CHECKOUT / "data" / "sample",
        work_dir=paths.home() / "downloads",
        is_offline=settings.JUDGE_OFFLINE,
        rules_page=settings.JUDGE_RULES_PAGE,
        scryfall=settings.JUDGE_SCRYFALL_URL,
    )


def prepare() -> None:
    """Loads what answers need first, quickly when nothing changed. Raises SetupError when there is no data at all."""
    if (problem := paths.data_dir_problem()) and not setup.is_empty():
        _warn(problem)
        return
    where = origins()
    server = None if os.environ.get("DATABASE_URL") else embedded.server()
    written = server.log_size() if server else 0
    if server and (setup.is_empty() or setup.has_sample()):
        disk.require(server.root, _room_for(where), "loading the data")
    try:
        setup.load_essentials(where, say)
    except DataMissing as missing:
        full = server.full_disk(written) if server else None
        if full and server and not server.is_running():  # it crashed on the full disk, and comes up again if it can
            raise SetupError(full) from missing
        if setup.is_empty() and (where.folder is not None or not setup.has_rules()):
            raise SetupError(str(missing)) from missing
        _warn(full or str(missing))


def _room_for(where: Origins) -> int:
    """Bytes that loading from *where* into an empty database takes at the least."""
    if where.folder is None:
        return disk.CLUSTER if where.is_offline else disk.FULL_DATA
    source = FolderSource(where.folder)
    found = [bulk.path for kind in ESSENTIAL + NAMES if (bulk := source.bulk(kind))]
    return disk.needed_for([*found, *files_in(where.folder)])


def _warn(problem: str) -> None:
    say(f"warning: {problem.rstrip('.')}. Going on with the data that was loaded before.")


def prepare_when_empty() -> None:
    """Loads everything at hand when nothing is loaded yet: for a command that answers once and ends."""
    if not setup.is_empty():
        if problem := paths.data_dir_problem():
            _warn(problem)
        return
    prepare()
    where = origins()
    if where.folder is not None:
        try:
            setup.load_rest(where, say)
        except DataMissing as problem:
            _warn(str(problem))
    embed_for(_EMBED_SECONDS)
