"""Runs a management command with its database up: what script/judge and manage.py do."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from types import FrameType

from judgesite import database, disk, embedded, paths
from judgesite.problems import SetupError

STOPS_WITH_PARENT = "JUDGE_STOPS_WITH_PARENT"  # set for a child whose stdin is a pipe its parent holds open

_NEED_NO_DATABASE = {"help", "version", "check", "findstatic", "diffsettings"}
_KEEP_THE_SCHEMA = {
    "migrate",
    "makemigrations",
    "showmigrations",
    "sqlmigrate",
    "squashmigrations",
    "optimizemigration",
    "flush",
    "test",
}
_NEED_DATA = {"ask"}  # commands that load the data first when there is none yet


def launch(arguments: Sequence[str]) -> int:
    """Runs `script/judge ARGUMENTS`: the command named first, `start` when none is; gives the exit code."""
    named = list(arguments)
    if not named or named[0] in {"--port", "--bind"} or named[0].startswith(("--port=", "--bind=")):
        named = ["start", *named]
    return _guarded(named, prepare=True)


def manage(arguments: Sequence[str]) -> int:
    """Runs `manage.py ARGUMENTS`: the same with the database left as it is; gives the exit code."""
    return _guarded(list(arguments) or ["help"], prepare=False)


def _guarded(arguments: list[str], *, prepare: bool) -> int:
    """Runs the command; whatever goes wrong is told in the person's words, and only a defect has a traceback."""
    if os.environ.get(STOPS_WITH_PARENT):
        _stop_with_parent()
    else:
        signal.signal(signal.SIGTERM, _terminated)
    written = _server_log_size()
    try:
        _run(arguments, prepare=prepare)
    except SetupError as problem:
        print(f"error: {_full_disk(problem, written) or problem}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `script/judge ask ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except SystemExit as leaving:
        if isinstance(leaving.code, str):
            print(leaving.code, file=sys.stderr)
            return 1
        return leaving.code or 0
    except Exception as error:
        if told := _full_disk(error, written):
            print(f"error: {told}", file=sys.stderr)
            return 1
        if _is_bad_config(error):
            print(f"error: {error}", file=sys.stderr)
            return 2
        if not prepare or os.environ.get("JUDGE_DEBUG") == "1":
            raise
        return _tell_defect(arguments[0])
    return 0


def _is_bad_config(error: Exception) -> bool:
    """Whether *error* is a judge.toml that cannot be used. Imported now, as the commands are to start quickly."""
    from llm.config_faults import BadConfig

    return isinstance(error, BadConfig)


def _server_log_size() -> int:
    """Where the embedded server's log ends now; 0 where there is none."""
    try:
        return 0 if os.environ.get("DATABASE_URL") else embedded.server().log_size()
    except (SetupError, OSError):
        return 0  # whoever needs the server tells what is wrong with it


def _full_disk(error: BaseException, written: int) -> str | None:
    """What to tell when *error* comes of a full disk: it says so itself, or the server's log does since *written*."""
    try:
        if not os.environ.get("DATABASE_URL") and (problem := embedded.server().full_disk(written)):
            return problem
    except (SetupError, OSError):
        return None
    return disk.full(paths.home()) if disk.is_full(error) else None


def _tell_defect(command: str) -> int:
    """Keeps the traceback in the log and says so."""
    logging.getLogger("judgesite").exception("%s failed", command)
    print(f"The traceback is in {paths.log_dir() / 'judge.log'}; JUDGE_DEBUG=1 shows it here.", file=sys.stderr)
    return 1


def _run(arguments: list[str], *, prepare: bool) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "judgesite.settings")
    command = arguments[0]
    paths.home()
    if prepare and command == "ask" and (code := _asked_of_running(arguments[1:])) is not None:
        raise SystemExit(code)
    with ExitStack() as stack:
        if not (command in _NEED_NO_DATABASE or command.startswith("-") or "--help" in arguments):
            stack.enter_context(embedded.running())
            database.check_external()
            stack.callback(database.close)
            if prepare and command not in _KEEP_THE_SCHEMA:
                _prepare(command)
        from django.core.management import execute_from_command_line

        execute_from_command_line(["judge", *arguments])


def _asked_of_running(arguments: Sequence[str]) -> int | None:
    """The exit code of a question the judge that already runs here has answered; None when it is ours to answer."""
    from judgesite.running import NotRunningError, ask_running

    try:
        code = ask_running(arguments)
    except NotRunningError:
        return None
    if problem := paths.data_dir_problem():
        print(f"warning: {problem}. The answer stands on what was loaded before.", file=sys.stderr)
    return code


def _prepare(command: str) -> None:
    import django

    django.setup()
    database.migrate()
    if command in _NEED_DATA:
        from judgesite.preparing import prepare_when_empty

        prepare_when_empty()


def _terminated(_signal: int, _frame: FrameType | None) -> None:
    """Leaves through every `finally`, so that the last user of the server stops it."""
    raise SystemExit(128 + signal.SIGTERM)


def _stop_with_parent() -> None:
    """Makes this a polite child: of low priority, and gone once the pipe on stdin closes, however its parent ended.

    SIGTERM keeps its default, which needs no Python to run: a batch in the embedder can take seconds.
    """
    os.nice(10)

    def watch() -> None:
        while os.read(0, 1024):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
