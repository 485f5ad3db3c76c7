"""A scripted HTTP server on the loopback: what each path answers, and what was asked of it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import override


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. claims: the Content-Length to announce when it is not the body's own."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    claims: int | None = None


@dataclass(slots=True)
class Loopback:
    """A running server. answers: by path, used up one by one until the last, which stays."""

    url: str = ""
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)  # of the POSTs

    def next_answer(self, path: str) -> Answer:
        queue = self.answers.get(path) or [Answer(b"nothing here", 404)]
        return queue.pop(0) if len(queue) > 1 else queue[0]


@contextlib.contextmanager
def loopback() -> Iterator[Loopback]:
    """A server for as long as the context lasts."""
    state = Loopback()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            answer = state.next_answer(self.path)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body) if answer.claims is None else answer.claims))
            self.end_headers()
            self.wfile.write(answer.body)
            self.close_connection = True

        def do_POST(self) -> None:
            state.bodies.append(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
            self.do_GET()

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: pytest shows what matters."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
