"""The HTTP server behind every fake provider, and the wire formats."""

from __future__ import annotations

import contextlib
import json
import select
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, override

from tests.providers.steps import Step

Writer = Callable[[Step, dict[str, Any]], tuple[str, bytes]]  # content type and body of an answer


@dataclass(slots=True)
class FakeProvider:
    """A running fake. requests: the decoded bodies; headers: lower-cased, one mapping a request."""

    script: list[Step]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)


@contextlib.contextmanager
def _serving(script: Sequence[Step], write: Writer, base: str, errors: Callable[[Step], Any]) -> Iterator[FakeProvider]:
    fake = FakeProvider(list(script))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            fake.requests.append(body)
            fake.paths.append(self.path)
            fake.headers.append({name.lower(): value for name, value in self.headers.items()})
            step = fake.script.pop(0) if fake.script else Step(kind="status", status=418, message="script is over")
            if step.kind != "stalled" and not self._waited(step.delay):
                fake.closed.set()
                return
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._answer(step, body)

        def _waited(self, seconds: float) -> bool:
            """Whether the client was still there after *seconds*."""
            until = time.monotonic() + seconds
            while (left := until - time.monotonic()) > 0:
                if select.select([self.connection], [], [], min(left, 0.05))[0]:
                    return False
            return True

        def _answer(self, step: Step, body: dict[str, Any]) -> None:
            match step.kind:
                case "status":
                    self._send(step.status, "application/json", json.dumps(errors(step)).encode(), step.headers)
                case "garbage":
                    self._send(200, "text/html", b"<html>a proxy's page</html>", {})
                case "broken":
                    kind, data = write(step, body)
                    self._send(200, kind, data[: len(data) // 2], {}, claims=len(data))
                    self.close_connection = True
                case "stalled":
                    kind, data = write(step, body)
                    self._send(200, kind, data[: len(data) // 2], {}, claims=len(data))
                    if not self._waited(step.delay):
                        fake.closed.set()
                    self.close_connection = True
                case _:
                    self._send(200, *write(step, body), step.headers)

        def _send(self, code: int, kind: str, data: bytes, headers: Any, claims: int | None = None) -> None:
            self.send_response(code)
            for name, value in {**headers, "content-type": kind}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data) if claims is None else claims))
            self.end_headers()
            self.wfile.write(data)

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: pytest shows what matters."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_port}{base}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()


def anthropic(*script: Step) -> contextlib.AbstractContextManager[FakeProvider]:
    """Anthropic's Messages API, streaming."""
    return _serving(script, _anthropic_stream, "", lambda step: _anthropic_error(step))


def openai(*script: Step) -> contextlib.AbstractContextManager[FakeProvider]:
    """An OpenAI-compatible server's chat completions."""
    return _serving(script, _completion, "/v1", _openai_error)


def embeddings(*script: Step) -> contextlib.AbstractContextManager[FakeProvider]:
    """Voyage's and OpenAI's embeddings: the same answer on the same path."""
    return _serving(script, _vectors, "/v1", lambda step: {"detail": step.message})


def _anthropic_error(step: Step) -> dict[str, Any]:
    kinds = {429: "rate_limit_error", 529: "overloaded_error", 401: "authentication_error"}
    return {"type": "error", "error": {"type": kinds.get(step.status, "api_error"), "message": step.message}}


def _openai_error(step: Step) -> dict[str, Any]:
    return {"error": {"message": step.message, "type": "error", "code": step.code or None}}


def _raw(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _anthropic_stream(step: Step, body: dict[str, Any]) -> tuple[str, bytes]:
    stops = {"end": "end_turn", "tool": "tool_use", "length": "max_tokens", "refusal": "refusal"}
    given, billed = step.tokens
    start = {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": given, "output_tokens": 1, "cache_read_input_tokens": 7},
        },
    }
    events: list[dict[str, Any]] = [start]
    if step.text:
        events += _block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": step.text})
    for place, (name, arguments) in enumerate(step.calls, start=int(bool(step.text))):
        call = {"type": "tool_use", "id": f"toolu_{place}", "name": name, "input": {}}
        events += _block(place, call, {"type": "input_json_delta", "partial_json": _raw(arguments)})
    delta = {"stop_reason": step.ended or stops[step.stop], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": billed}})
    events.append({"type": "message_stop"})
    text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return "text/event-stream", text.encode()


def _block(index: int, block: dict[str, Any], delta: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]


def _completion(step: Step, body: dict[str, Any]) -> tuple[str, bytes]:
    stops = {"end": "stop", "tool": "tool_calls", "length": "length", "refusal": "content_filter"}
    message: dict[str, Any] = {"role": "assistant", "content": step.text or None}
    if step.calls:
        message["tool_calls"] = [
            {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": _raw(arguments)}}
            for at, (name, arguments) in enumerate(step.calls)
        ]
    if step.refusal:
        message["refusal"] = step.refusal
    given, billed = step.tokens
    reply = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": step.ended or stops[step.stop]}],
        "usage": {
            "prompt_tokens": given + 7,
            "completion_tokens": billed,
            "total_tokens": given + 7 + billed,
            "prompt_tokens_details": {"cached_tokens": 7},
        },
    }
    return "application/json", json.dumps(reply).encode()


def _vectors(step: Step, body: dict[str, Any]) -> tuple[str, bytes]:
    rows = [
        {"object": "embedding", "index": at, "embedding": [float(at + 1), *[1.0] * (step.width - 1)]}
        for at in range(len(body["input"]))
    ]
    reply = {"object": "list", "data": rows[::-1], "model": body["model"], "usage": {"total_tokens": 3 * len(rows)}}
    return "application/json", json.dumps(reply).encode()
