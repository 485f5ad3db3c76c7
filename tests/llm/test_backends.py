"""Both chat backends against real HTTP: what comes back, what goes wrong, and how a call is cancelled."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from judge.cancelling import Cancellation, Cancelled
from judge.errors import ProviderError
from llm.anthropic import AnthropicBackend, Platform
from llm.backends import ChatBackend
from llm.errors import CredentialsRefused, Overloaded, RequestRefused, TooSlow, Unreachable, Unreadable
from llm.messages import Stop, Usage
from llm.openai import OpenAIBackend
from llm.waiting import wait_for
from tests import providers
from tests.llm import requests
from tests.loopback import Answer, loopback
from tests.providers import (
    FakeProvider,
    Step,
    broken,
    called,
    cut_off,
    garbage,
    refused,
    said,
    silent,
    slow,
    stalled,
    status,
)

SECRET = "sk-very-secret"


@dataclass(frozen=True)
class Wire:
    serve: Callable[..., AbstractContextManager[FakeProvider]]
    backend: Callable[[str], ChatBackend]


WIRES = {
    "anthropic": Wire(
        providers.anthropic, lambda url: AnthropicBackend(model="claude-invented", api_key=SECRET, base_url=url)
    ),
    "openai": Wire(providers.openai, lambda url: OpenAIBackend(model="invented", api_key=SECRET, base_url=url)),
}


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> Wire:
    return WIRES[request.param]


def send(wire: Wire, *script: Step, **changes: Any) -> Any:
    with wire.serve(*script) as fake:
        return wire.backend(fake.url).send(replace(requests.plain(), **changes), requests.PERMIT)


def failure(wire: Wire, *script: Step, **changes: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        send(wire, *script, **changes)
    assert SECRET not in str(caught.value)
    return caught.value


def test_text_comes_back_with_what_was_billed(wire: Wire) -> None:
    response = send(wire, said("“It glows.”", tokens=(1_000, 42)))

    assert (response.text, response.stop) == ("“It glows.”", Stop.END)
    assert response.usage == Usage(input=1_000, output=42, cache_read=7)
    assert response.tool_calls == ()


def test_a_tool_call_is_decoded_and_its_turn_can_be_replayed(wire: Wire) -> None:
    with wire.serve(called(("lookup_rules", {"ids": ["700.2"]})), said("Done.")) as fake:
        backend = wire.backend(fake.url)
        asked = backend.send(requests.fresh(), requests.PERMIT)
        again = replace(
            requests.fresh(), turns=(requests.MATERIAL, asked.turn, requests.after_lookup(backend.kind).turns[-1])
        )
        done = backend.send(again, requests.PERMIT)

    assert asked.stop is Stop.TOOL
    assert [(call.name, call.arguments) for call in asked.tool_calls] == [("lookup_rules", {"ids": ["700.2"]})]
    assert done.text == "Done."
    replayed = next(message for message in fake.requests[1]["messages"] if message["role"] == "assistant")
    assert "lookup_rules" in str(replayed)


def test_two_tool_calls_in_one_turn_both_come_back(wire: Wire) -> None:
    asked = send(wire, called(("lookup_rules", {"ids": ["1"]}), ("lookup_rules", {"ids": ["2"]})))

    assert [call.arguments for call in asked.tool_calls] == [{"ids": ["1"]}, {"ids": ["2"]}]
    assert len({call.id for call in asked.tool_calls}) == 2


@pytest.mark.parametrize(("step", "stop"), [(refused(), Stop.REFUSAL), (cut_off("It glo"), Stop.LENGTH)])
def test_why_a_model_stopped_is_told(wire: Wire, step: Step, stop: Stop) -> None:
    assert send(wire, step).stop is stop


@pytest.mark.parametrize(
    ("name", "ended", "stop"),
    [
        ("anthropic", "model_context_window_exceeded", Stop.LENGTH),
        ("anthropic", "pause_turn", Stop.LENGTH),
        ("anthropic", "stop_sequence", Stop.END),
        ("anthropic", "invented_next_year", Stop.LENGTH),
        ("openai", "content_filter", Stop.REFUSAL),
        ("openai", "function_call", Stop.TOOL),
    ],
)
def test_every_reason_to_stop_is_one_of_four(name: str, ended: str, stop: Stop) -> None:
    assert send(WIRES[name], Step(text="It glo", ended=ended)).stop is stop


def test_a_refusal_in_a_field_of_its_own_is_a_refusal() -> None:
    assert send(WIRES["openai"], Step(refusal="I cannot help with that.")).stop is Stop.REFUSAL


def test_arguments_that_are_no_json_are_told_apart_from_none() -> None:
    asked = send(WIRES["openai"], called(("lookup_rules", '{"ids": [')))

    assert [(call.name, call.arguments) for call in asked.tool_calls] == [("lookup_rules", None)]


def test_claude_s_arguments_that_are_no_json_are_unreadable() -> None:
    assert isinstance(failure(WIRES["anthropic"], called(("lookup_rules", '{"ids": ]'))), Unreadable)


def test_usage_that_is_no_number_is_unreadable() -> None:
    reply = {
        "choices": [{"message": {"content": "It glows."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": "many"},
    }
    with loopback() as server:
        server.answers["/chat/completions"] = [Answer(json.dumps(reply).encode())]
        with pytest.raises(Unreadable):
            OpenAIBackend(model="m", base_url=server.url).send(requests.plain(), requests.PERMIT)


def test_an_account_without_credit_is_not_asked_again() -> None:
    spent = Step(kind="status", status=429, message="You exceeded your quota", code="insufficient_quota")
    caught = failure(WIRES["openai"], spent)

    assert isinstance(caught, CredentialsRefused)
    assert not caught.retryable
    assert "You exceeded your quota" in str(caught)


@pytest.mark.parametrize(
    ("code", "error", "retryable"),
    [
        (400, RequestRefused, False),
        (401, CredentialsRefused, False),
        (403, CredentialsRefused, False),
        (404, RequestRefused, False),
        (413, RequestRefused, False),
        (429, Overloaded, True),
        (500, Unreachable, True),
        (503, Overloaded, True),
        (529, Overloaded, True),
    ],
)
def test_every_status_is_one_of_our_errors(wire: Wire, code: int, error: type, retryable: bool) -> None:
    caught = failure(wire, status(code, f"wrong key {SECRET}"))

    assert type(caught) is error
    assert caught.retryable is retryable
    assert str(code) in str(caught)


def test_the_pause_a_provider_asks_for_is_kept(wire: Wire) -> None:
    assert failure(wire, status(429, headers={"retry-after": "17"})).retry_after == 17.0


def test_a_broken_connection_is_unreachable(wire: Wire) -> None:
    assert isinstance(failure(wire, broken()), Unreachable | Unreadable)


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(("kind", "error"), [("overloaded_error", Overloaded), ("api_error", Unreachable)])
def test_an_error_in_the_stream_may_be_billed_once_the_message_has_begun(
    kind: str, error: type[ProviderError], begun: bool
) -> None:
    start: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
    }
    start |= {"stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1}}
    events = [{"type": "message_start", "message": start}] if begun else []
    events.append({"type": "error", "error": {"type": kind, "message": "sorry"}})
    text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    with loopback() as server:
        server.answers["/v1/messages"] = [Answer(text.encode(), headers={"content-type": "text/event-stream"})]
        backend = AnthropicBackend(model="claude-invented", api_key=SECRET, base_url=server.url)
        with pytest.raises(error) as caught:
            backend.send(requests.plain(), requests.PERMIT)

    assert isinstance(caught.value, Overloaded | Unreachable)
    assert caught.value.may_be_billed is begun
    assert "sorry" in str(caught.value)


def test_a_reply_in_nobodys_format_is_unreadable_and_may_be_tried_again(wire: Wire) -> None:
    caught = failure(wire, garbage())

    assert isinstance(caught, Unreadable | Unreachable)
    assert caught.retryable


def test_a_provider_that_says_nothing_is_given_up_at_the_timeout(wire: Wire) -> None:
    began = time.monotonic()
    caught = failure(wire, silent(), timeout=0.4)

    assert isinstance(caught, Unreachable)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("step", [silent(), stalled()], ids=["from the start", "in the midst of the answer"])
def test_silence_is_too_slow_and_closes_the_connection(wire: Wire, step: Step) -> None:
    with wire.serve(step) as fake:
        with pytest.raises(TooSlow):
            wire.backend(fake.url).send(replace(requests.plain(), timeout=0.4), requests.PERMIT)
        assert fake.closed.wait(1)


def test_nobody_listening_is_unreachable(wire: Wire) -> None:
    with pytest.raises(Unreachable):
        wire.backend("http://127.0.0.1:9").send(requests.plain(), requests.PERMIT)


@pytest.mark.parametrize("step", [silent(), stalled()], ids=["before the answer", "in the midst of the answer"])
def test_cancelling_closes_the_connection_within_a_second(wire: Wire, step: Step) -> None:
    cancel = Cancellation()
    with wire.serve(step) as fake:
        threading.Timer(0.3, cancel.cancel).start()
        with pytest.raises(Cancelled):
            wire.backend(fake.url).send(replace(requests.plain(), cancel=cancel, timeout=20.0), requests.PERMIT)
        assert fake.closed.wait(1)


def test_a_stop_that_comes_with_the_answer_disturbs_nobody() -> None:
    told: list[Callable[[], None]] = []

    class Late(Cancellation):
        @contextmanager
        def calling(self, listener: Callable[[], None]) -> Iterator[None]:
            told.append(listener)
            yield

    async def answer() -> str:
        return "It glows."

    assert wait_for(answer, 1.0, Late()) == "It glows."
    told[0]()  # as cancel() does, which took the listener before the answer came and calls it after


def test_a_run_cancelled_before_sends_nothing(wire: Wire) -> None:
    cancel = Cancellation()
    cancel.cancel()
    with pytest.raises(Cancelled):
        send(wire, slow(1, said("no")), cancel=cancel)


def test_what_is_missing_is_named_before_the_first_request() -> None:
    assert AnthropicBackend(model="m").missing() == "the API key is not set"
    assert AnthropicBackend(model="m", api_key="k").missing() is None
    assert OpenAIBackend(model="m").missing() == "the API key is not set"
    assert OpenAIBackend(model="m", base_url="http://127.0.0.1:11434/v1").missing() is None


def test_a_platform_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llm.anthropic._is_installed", lambda _module: False)

    said_of = AnthropicBackend(model="m", platform=Platform.BEDROCK).missing()

    assert said_of == "the platform bedrock needs: pip install 'anthropic[bedrock]'"


class CloudTrouble(Exception):
    """What a cloud's library raises, in a class no SDK knows."""

    retryable = False


class CloudOutage(CloudTrouble):
    retryable = True


@pytest.mark.parametrize(
    "trouble",
    [
        RuntimeError("Could not resolve credentials"),
        ValueError("No region was given"),
        ImportError("no module"),
        TypeError("unexpected keyword"),
        CloudTrouble("The profile could not be found"),
    ],
    ids=lambda trouble: type(trouble).__name__,
)
def test_a_platform_that_is_not_set_up_is_a_fault_for_the_operator(
    trouble: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise trouble

    monkeypatch.setattr(AnthropicBackend, "_client", refuse)
    with pytest.raises(CredentialsRefused, match=str(trouble)) as caught:
        AnthropicBackend(model="m", platform=Platform.VERTEX).send(requests.plain(), requests.PERMIT)

    assert "vertex" in str(caught.value)


def test_a_cloud_that_gives_no_credentials_just_now_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise CloudOutage("no answer from the metadata server")

    monkeypatch.setattr(AnthropicBackend, "_client", refuse)
    with pytest.raises(Unreachable) as caught:
        AnthropicBackend(model="m", platform=Platform.VERTEX).send(requests.plain(), requests.PERMIT)

    assert caught.value.retryable
    assert not caught.value.may_be_billed


def test_events_in_no_order_are_unreadable() -> None:
    event = 'event: content_block_stop\ndata: {"type": "content_block_stop", "index": 0}\n\n'
    with loopback() as server:
        server.answers["/v1/messages"] = [Answer(event.encode(), headers={"content-type": "text/event-stream"})]
        with pytest.raises(Unreadable):
            AnthropicBackend(model="m", api_key=SECRET, base_url=server.url).send(requests.plain(), requests.PERMIT)


def test_a_key_is_never_shown() -> None:
    assert SECRET not in repr(AnthropicBackend(model="m", api_key=SECRET))
    assert SECRET not in repr(OpenAIBackend(model="m", api_key=SECRET))
