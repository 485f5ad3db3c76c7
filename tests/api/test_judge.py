"""POST /api/judge, with everything a client may get wrong."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from django.test import Client

from calls.presentation import reply_object
from judge.values import CorpusState
from rules.models import Edition
from tests.calls.doors import Says
from tests.calls.replies import EVERY_KIND, answered

pytestmark = pytest.mark.django_db


def post(body: object, content_type: str = "application/json", **headers: str) -> Any:
    data = body if isinstance(body, str | bytes) else json.dumps(body)
    return Client(raise_request_exception=False).post("/api/judge", data, content_type=content_type, headers=headers)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("answer", 200),
        ("extractive", 200),
        ("ambiguous", 200),
        ("not_found", 200),
        ("out_of_scope", 200),
        ("busy", 503),
        ("rate_limited", 429),
        ("error", 503),
    ],
)
def test_each_kind_has_its_status_and_its_object(judge_says: Says, edition: Edition, kind: str, status: int) -> None:
    judge_says(EVERY_KIND[kind])

    response = post({"question": "does owl look?"})

    assert response.status_code == status
    state = CorpusState(edition=edition.effective, to_embed=4, loading=("the cards",))
    assert response.json() == reply_object(EVERY_KIND[kind], state)
    assert response.headers.get("Retry-After") == {"busy": "5", "rate_limited": "421"}.get(kind)


def test_pins_privacy_and_thread_reach_the_judge(judge_says: Says) -> None:
    judge = judge_says(answered())
    post({"question": "does owl look?", "pins": [{"span": "owl", "name": "Owl"}], "private": True, "thread": "t"})

    ((question, pins),) = judge.asked
    assert (question.private, bool(question.thread), question.door) == (True, True, "api")
    assert [(pin.span, pin.name) for pin in pins] == [("owl", "Owl")]


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        pytest.param("", 400, "question: missing", id="empty body"),
        pytest.param("{", 400, "not JSON", id="half an object"),
        pytest.param("[" * 60_000, 400, "nested too deeply", id="deep nesting"),
        pytest.param(
            '{"question": ' + "9" * 6_000 + "}",
            400,
            "the body is not JSON: a number has more than 100 digits",
            id="a number of thousands of digits",
        ),
        pytest.param('{"question": NaN}', 400, "NaN", id="NaN"),
        pytest.param(b'{"question": "\xff"}', 400, "UTF-8", id="not UTF-8"),
        pytest.param("[]", 400, "JSON object", id="a list"),
        pytest.param('"hello"', 400, "JSON object", id="a string"),
        pytest.param("null", 400, "JSON object", id="null"),
        pytest.param({}, 400, "question: missing", id="no question"),
        pytest.param({"question": 5}, 400, "question", id="a number"),
        pytest.param({"question": None}, 400, "question", id="null question"),
        pytest.param({"question": ["x"]}, 400, "question", id="a list of questions"),
        pytest.param({"question": ""}, 400, "empty", id="empty question"),
        pytest.param({"question": "  \n "}, 400, "empty", id="blank question"),
        pytest.param({"question": "\u0000\u0007"}, 400, "empty", id="control characters only"),
        pytest.param({"question": "?!…"}, 400, "no words", id="no words"),
        pytest.param('{"question": "\\ud800"}', 400, "empty", id="lone surrogate"),
        pytest.param('{"question": "owl?", "thread": "\\ud800"}', 400, "thread", id="lone surrogate in the thread"),
        pytest.param(
            '{"question": "owl?", "pins": [{"span": "owl", "name": "\\ud800"}]}', 400, "pins.0.name", id="surrogate pin"
        ),
        pytest.param({"question": "x" * 3_000}, 400, "2,000", id="too long"),
        pytest.param({"question": "x" * 100_000}, 413, "64 kB", id="100 kB"),
        pytest.param({"question": "owl?", "pin": []}, 400, "pins", id="unknown field"),
        pytest.param('{"question": "owl?", "\\ud800": 1}', 400, "field name", id="surrogate as a field name"),
        pytest.param({"question": "owl?", "private": "yes"}, 400, "private", id="private in words"),
        pytest.param({"question": "owl?", "thread": 7}, 400, "thread", id="thread as a number"),
        pytest.param({"question": "owl?", "thread": "x" * 201}, 400, "thread", id="long thread"),
        pytest.param({"question": "owl?", "pins": {}}, 400, "pins", id="pins as an object"),
        pytest.param({"question": "owl?", "pins": [{"span": "owl"}]}, 400, "pins.0.name: missing", id="half a pin"),
        pytest.param({"question": "owl?", "pins": [{"span": "owl", "name": ""}]}, 400, "pins.0.name", id="no name"),
        pytest.param(
            {"question": "owl?", "pins": [{"span": "owl", "name": "O", "x": 1}]}, 400, "span, name", id="pin with more"
        ),
        pytest.param({"question": "owl?", "pins": [{"span": "b", "name": "B"}] * 21}, 400, "at most 20", id="21 pins"),
        pytest.param(
            {"question": "owl?", "pins": [{"span": "bear", "name": "Bear"}]}, 400, "bear", id="pin not in the question"
        ),
        pytest.param(
            {"question": "owl?", "pins": [{"span": "owl", "name": "\u0000"}]},
            400,
            "names no card",
            id="pin of controls",
        ),
    ],
)
def test_bad_input_is_told_in_one_shape(judge_says: Says, body: object, status: int, message: str) -> None:
    judge = judge_says(answered())

    response = post(body)

    assert response.status_code == status
    shown = response.json()
    assert set(shown) == {"kind", "message"}
    assert shown["kind"] == "error"
    assert message in shown["message"]
    assert not judge.asked


def test_control_characters_in_a_question_are_dropped_not_refused(judge_says: Says) -> None:
    judge = judge_says(answered())

    assert post({"question": "does\u0000 owl\u202e look?"}).status_code == 200
    assert judge.asked[0][0].text == "does owl look?"


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_only_json_is_read(judge_says: Says, content_type: str) -> None:
    judge_says(answered())
    response = post("question=owl", content_type)

    assert response.status_code == 415
    assert "application/json" in response.json()["message"]


def test_json_is_answered_whatever_is_accepted(judge_says: Says) -> None:
    judge_says(answered())
    response = post({"question": "owl?"}, accept="text/html")

    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("method", ["get", "put", "delete", "patch"])
def test_other_methods_are_told(method: str) -> None:
    response = getattr(Client(), method)("/api/judge")

    assert response.status_code == 405
    assert response.json()["kind"] == "error"


@pytest.mark.parametrize("path", ["/api/", "/api/nothing", "/api/judge/x"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_unknown_addresses_are_told_as_json(path: str, method: str) -> None:
    response = getattr(Client(), method)(path)

    assert response.status_code == 404
    assert response.json()["kind"] == "error"


def test_an_unforeseen_error_is_json_without_details(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("api.views.parse_judge_body", broken)
    response = post({"question": "owl?"})

    assert response.status_code == 500
    assert response.json()["kind"] == "error"
    assert "secret" not in response.content.decode()


def test_the_allowance_is_counted_by_address_and_a_forged_header_buys_nothing(judge_says: Says, settings: Any) -> None:
    settings.JUDGE_QUESTIONS_PER_WINDOW = 2
    judge_says(answered())
    statuses = [post({"question": "owl?"}, **{"x-forwarded-for": f"9.9.9.{number}"}).status_code for number in range(3)]

    assert statuses == [200, 200, 429]


def test_behind_a_proxy_each_address_has_its_own_allowance(judge_says: Says, settings: Any) -> None:
    settings.JUDGE_QUESTIONS_PER_WINDOW, settings.JUDGE_TRUSTED_PROXIES = 1, 1
    judge_says(answered())
    statuses = [
        post({"question": "owl?"}, **{"x-forwarded-for": f"6.6.6.6, 9.9.9.{number}"}).status_code
        for number in (1, 2, 1)
    ]

    assert statuses == [200, 200, 429]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("length", "status"), [(20, 200), (100_000, 413)])
def test_a_body_sent_in_chunks_is_read_and_bounded(judge_says: Says, length: int, status: int) -> None:
    judge_says(answered())
    body = json.dumps({"question": "owl " + "x" * length}).encode()

    assert asyncio.run(_status_of_chunks([body[:10], body[10:]])) == status


async def _status_of_chunks(chunks: list[bytes]) -> int:
    """The status of a POST whose body comes in *chunks* without Content-Length, through the ASGI application."""
    from judgesite.asgi import application

    waiting = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    waiting.append({"type": "http.request", "body": b"", "more_body": False})
    sent: list[Any] = []

    async def receive() -> Any:
        if waiting:
            return waiting.pop(0)
        await asyncio.sleep(3600)  # the client stays
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"transfer-encoding", b"chunked")]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "path": "/api/judge",
        "raw_path": b"/api/judge",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 80),
        "scheme": "http",
    }
    await application(scope, receive, send)
    return int(sent[0]["status"])


@pytest.mark.parametrize("path", ["/api/health", "/api/judge", "/api/none"])
def test_a_host_that_is_not_ours_is_told_as_json(path: str) -> None:
    response = Client().get(path, headers={"host": "elsewhere.example"})

    assert response.status_code == 400
    assert response.json() == {"kind": "error", "message": "this judge is not called by that Host"}


def test_a_host_that_is_not_ours_gets_a_page_outside_the_api() -> None:
    response = Client().get("/", headers={"host": "elsewhere.example"})

    assert response.status_code == 400
    assert response.headers["Content-Type"].startswith("text/html")


def test_what_breaks_outside_every_view_is_told_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_args: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr("django.middleware.common.CommonMiddleware.process_request", breaks)
    response = Client(raise_request_exception=False).get("/api/health")

    assert response.status_code == 500
    assert response.json() == {"kind": "error", "message": "something broke on our side; the log has the details"}
