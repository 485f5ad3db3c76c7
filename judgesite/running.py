"""The judge that serves from this JUDGE_HOME, and a question put to it by its owner's shell (D37).

Its address is in running.json, which it keeps locked while it lives: the kernel lets go of the lock of a killed
process, so an address nobody serves any more is never asked. Standard library only, and no Django.
"""

from __future__ import annotations

import fcntl
import hashlib
import http.client
import json
import os
import socket
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, override

from judgesite import paths

if TYPE_CHECKING:
    from calls.presentation import ReplyObject
    from judge.values import Pin

OWNER_HEADER = "X-Judge-Owner"  # carries paths.owner_token(): who can read that file is the operator

_HEALTH_SECONDS = 2.0  # a judge that takes longer is starting or stuck
_ANSWER_SECONDS = 60.0
_REPLIES = {200, 429, 503}  # statuses that come with a reply


class NotRunningError(Exception):
    """No judge of this JUDGE_HOME can take the question; it is answered here instead."""


@contextmanager
def announced(listener: socket.socket) -> Iterator[None]:
    """The address of *listener* is on record inside the block. A second judge of the same JUDGE_HOME is not."""
    with (paths.home() / "running.json").open("a+") as record:
        try:
            fcntl.flock(record, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield
            return
        host, port = listener.getsockname()[:2]
        record.truncate(0)
        json.dump({"host": {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), "port": port, "set": _set()}, record)  # noqa: S104  # compared, not bound
        record.flush()
        yield


def ask_running(arguments: Sequence[str]) -> int:
    """`ask ARGUMENTS` answered by the running judge: printed as the command does; the exit code.

    Raises NotRunningError when there is none, when it has other settings, or when *arguments* want another message than
    an answer (a wrong option, --help): then the command itself has the words.
    """
    host, port = _address()
    from calls import shell

    parser = _Parser(add_help=False)
    shell.add_arguments(parser)
    options = vars(parser.parse_args(list(arguments)))
    if options["question"] == ["-"]:
        raise NotRunningError  # standard input can be read once only
    _check_health(host, port)

    def ask(text: str, pins: Sequence[Pin], private: bool) -> ReplyObject:
        picks = [{"span": pin.span, "name": pin.name} for pin in pins]
        status, reply = _request(
            host, port, "POST", "/api/judge", {"question": text, "pins": picks, "private": private}
        )
        if status not in _REPLIES or not isinstance(reply, dict) or reply.get("kind") not in shell.EXIT:
            raise NotRunningError
        return reply  # type: ignore[return-value]  # our own API made it

    import sys

    return shell.converse(options, ask, sys.stdout)


class _Parser(ArgumentParser):
    @override
    def error(self, message: str) -> NoReturn:
        raise NotRunningError(message)


def _set() -> str:
    """What two processes must agree on to give the same answers."""
    names = (
        "DATABASE_URL",
        "JUDGE_EMBEDDER",
        "JUDGE_CONFIG",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "DJANGO_SECRET_KEY",
    )
    return hashlib.sha256("\0".join(os.environ.get(name, "") for name in names).encode()).hexdigest()


def _address() -> tuple[str, int]:
    """Where the judge serves. Raises NotRunningError when none holds the record or it runs with other settings."""
    try:
        with (paths.home() / "running.json").open() as record:
            try:
                fcntl.flock(record, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                known = json.load(record)
            else:
                raise NotRunningError
        if known["set"] != _set():
            raise NotRunningError
        return str(known["host"]), int(known["port"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotRunningError from error


def _check_health(host: str, port: int) -> None:
    status, health = _request(host, port, "GET", "/api/health", seconds=_HEALTH_SECONDS)
    if status != http.client.OK or not isinstance(health, dict) or not health.get("ok"):
        raise NotRunningError


def _request(
    host: str, port: int, method: str, path: str, body: Any = None, *, seconds: float = _ANSWER_SECONDS
) -> tuple[int, Any]:
    """(status, decoded JSON). Raises NotRunningError when there is no such answer in time."""
    connection = http.client.HTTPConnection(host, port, timeout=seconds)
    # The name the judge answers to whatever address it is bound to.
    headers = {"Host": "localhost", "Content-Type": "application/json", OWNER_HEADER: paths.owner_token()}
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotRunningError from error
    finally:
        connection.close()
