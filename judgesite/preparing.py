"""Brings in the data before a command needs it; says on stderr what it is at."""

from __future__ import annotations

from django.conf import settings

from calls import setup
from calls.setup import DataMissing, Origins
from judgesite import paths
from judgesite.background import embed_for
from judgesite.problems import SetupError
from judgesite.terminal import say

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
    try:
        setup.load_essentials(origins(), say)
    except DataMissing as problem:
        if setup.is_empty():
            raise SetupError(f"{problem}") from problem
        say(f"warning: {problem}. Going on with the data that was loaded before")


def prepare_when_empty() -> None:
    """Loads everything at hand when nothing is loaded yet: for a command that answers once and ends."""
    if not setup.is_empty():
        return
    prepare()
    where = origins()
    if where.folder is not None:
        try:
            setup.load_rest(where, say)
        except DataMissing as problem:
            say(f"warning: {problem}")
    embed_for(_EMBED_SECONDS)
