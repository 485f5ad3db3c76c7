"""The web server in this process."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from judgesite.problems import SetupError

_GRACE = 5  # seconds that requests in flight get when the server stops


@contextmanager
def listening_socket(host: str, port: str) -> Iterator[socket.socket]:
    """A socket bound to *host* and *port* (0: any free one), closed afterwards. Raises SetupError.

    Bound before anything is loaded, so that a port in use is told at once.
    """
    if not (port.isascii() and port.isdecimal()) or int(port) > 65535:
        raise SetupError(f"the port must be a number from 0 to 65535, not '{port}' (JUDGE_PORT or --port)")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, int(port)))
        except (OSError, UnicodeError) as error:
            raise SetupError(_why_not_bound(host, port, error)) from error
        listener.listen(128)
        yield listener


def _why_not_bound(host: str, port: str, error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EADDRINUSE:
        return (
            f"port {port} on {host} is in use, perhaps by a judge that is already running. "
            f"Stop that, or choose another port: script/judge --port {int(port) + 1 if int(port) < 65535 else 8000}"
        )
    if number == errno.EACCES:
        return f"this user may not open port {port}; choose one from 1024 on (JUDGE_PORT or --port)"
    return f"cannot serve on address '{host}' (JUDGE_BIND or --bind): {error}"


def address_of(listener: socket.socket) -> str:
    """The URL of the page that *listener* serves."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(listener: socket.socket) -> None:
    """Serves until SIGINT or SIGTERM, then lets the requests in flight end."""
    import uvicorn

    config = uvicorn.Config(
        "judgesite.asgi:application",
        lifespan="off",  # Django has none
        log_config=None,  # settings.LOGGING covers uvicorn too
        server_header=False,
        proxy_headers=False,  # who asks is decided by our own trusted-proxy setting, never by a header
        timeout_graceful_shutdown=_GRACE,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except (KeyboardInterrupt, SystemExit):
        return  # uvicorn has shut down and raises the signal once more
