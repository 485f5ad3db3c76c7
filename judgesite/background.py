"""Work that goes on behind the server: child processes of low priority that end with it, and their progress."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from calls.model_wiring import embeds
from calls.wiring import corpus
from judge.values import CorpusState
from judgesite import paths
from judgesite.launcher import STOPS_WITH_PARENT
from judgesite.terminal import say

_EVERY = 1.0  # seconds between two looks at the database
_PATIENCE = 10.0  # seconds a child gets to end by itself


@contextmanager
def children(commands: Sequence[Sequence[str]]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Runs the judge's *commands*, one process each, for as long as the block lasts.

    A child also ends when this process is killed: it watches a pipe that only we hold open. What it prints goes to
    background.log.
    """
    with (paths.log_dir() / "background.log").open("ab") as log:
        processes = [_child(command, log.fileno()) for command in commands]
    ending = threading.Event()
    for command, process in zip(commands, processes, strict=True):
        threading.Thread(target=_wait_for, args=(command[0], process, ending), daemon=True).start()
    try:
        yield processes
    finally:
        ending.set()
        for process in processes:
            process.terminate()
        for process in processes:
            _reap(process)


def _wait_for(name: str, process: subprocess.Popen[bytes], ending: threading.Event) -> None:
    """Takes leave of a child as soon as it is done, so that no zombie stays; tells when it failed by itself."""
    if process.wait() and not ending.is_set():
        say(f"warning: {name} failed; the end of {paths.log_dir() / 'background.log'} says why. The judge goes on.")


def _child(command: Sequence[str], log: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  # ourselves
        [sys.executable, "-P", "-m", "judgesite", *command],
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=log,
        env=os.environ | {STOPS_WITH_PARENT: "1", "PYTHONPATH": str(paths.CHECKOUT)},
        start_new_session=True,  # Ctrl-C reaches us alone, and we end it
    )


def _reap(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdin:
        process.stdin.close()


def embed_for(seconds: float) -> None:
    """Embeds for at most *seconds*, where anything embeds; says when there is more to do."""
    if not embeds():
        return
    say("Embedding the rules")
    with children([["embed_rules"]]) as processes, suppress(subprocess.TimeoutExpired):
        processes[0].wait(seconds)
    state = corpus().state()
    if state.embedded < state.to_embed:
        say(f"Embedded {state.embedded:,} of {state.to_embed:,}; `script/judge embed_rules` does the rest, in minutes")


@contextmanager
def progress_shown() -> Iterator[None]:
    """Shows how many passages are embedded until all are: a bar on a terminal, a line now and then elsewhere."""
    ended = threading.Event()
    show = _bar if sys.stderr.isatty() else _lines
    thread = threading.Thread(target=show, args=(ended,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(5)


def _states(ended: threading.Event) -> Iterator[CorpusState]:
    """The state of the corpus, again and again, until everything is embedded or *ended* is set."""
    from django.db import Error, connection

    try:
        while not ended.wait(_EVERY):
            state = corpus().state()
            yield state
            if state.to_embed and state.embedded >= state.to_embed:
                return
    except Error:
        return  # the database is going away, and so are we
    finally:
        connection.close()


def _bar(ended: threading.Event) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("Embedding the rules"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("embed", total=None)
        for state in _states(ended):
            progress.update(task, completed=state.embedded, total=state.to_embed)
    if not ended.is_set():
        say("All rules are embedded.")


def _lines(ended: threading.Event) -> None:
    said = -1
    for state in _states(ended):
        tenth = 10 * state.embedded // state.to_embed if state.to_embed else 0
        if tenth > said:
            said = tenth
            say(f"Embedded {state.embedded:,} of {state.to_embed:,} rules and subrules")
