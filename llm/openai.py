"""Any server that speaks OpenAI's chat completions: OpenAI itself, Ollama, vLLM, llama.cpp, a gateway."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judge.errors import ProviderError
from llm.backends import Capabilities, Permit
from llm.errors import CredentialsRefused, TooSlow, Unreachable, Unreadable
from llm.messages import ModelTurn, Request, Response, Stop, Tool, ToolCall, Turn, Usage, UserTurn
from llm.statuses import error_of
from llm.waiting import load, wait_for
from llm.wording import in_words

if TYPE_CHECKING:
    from openai import AsyncOpenAI

KIND = "openai"
OPENAI = "https://api.openai.com/v1"

_STOPS = {
    "stop": Stop.END,
    "tool_calls": Stop.TOOL,
    "function_call": Stop.TOOL,
    "length": Stop.LENGTH,
    "content_filter": Stop.REFUSAL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIBackend:
    """A model behind chat completions. Satisfies llm.backends.ChatBackend.

    api_key: "" for a server of one's own that asks for none. The four flags say what the server can do; what it cannot
    enforce is asked for in words. legacy_max_tokens: it knows `max_tokens` only.
    """

    model: str
    api_key: str = field(default="", repr=False)
    base_url: str = OPENAI
    output_schema: bool = True
    strict_tools: bool = True
    effort: bool = False
    legacy_max_tokens: bool = False
    kind: str = KIND

    @property
    def capabilities(self) -> Capabilities:
        """As the operator says of the server."""
        return Capabilities(
            output_schema=self.output_schema, strict_tools=self.strict_tools, effort=self.effort, prompt_cache=False
        )

    def missing(self) -> str | None:
        """The key or package without which no request can be sent; a server of one's own may need no key."""
        if importlib.util.find_spec("openai") is None:
            return "the package 'openai' is not installed"
        if self.base_url.rstrip("/") == OPENAI and not self.api_key:
            return "the API key is not set"
        return None

    def send(self, request: Request, permit: Permit) -> Response:  # noqa: ARG002  # the permit is the leave to come here
        """The model's response. Raises ProviderError or Cancelled."""
        load("openai")
        body = body_of(request, self)
        reply = wait_for(lambda: self._completion(body, request.timeout), request.timeout, request.cancel)
        return _response(reply)

    async def _completion(self, body: dict[str, Any], timeout: float) -> dict[str, Any]:
        import httpx
        import openai

        try:
            async with self._client(timeout) as client:
                raw = await client.chat.completions.with_raw_response.create(**body)
                reply = json.loads(raw.text)
        except openai.APIStatusError as error:
            raise self._status_error(error) from error
        except (openai.APITimeoutError, httpx.TimeoutException) as error:
            raise TooSlow(f"no answer within {timeout:g} seconds") from error
        except (openai.APIConnectionError, httpx.HTTPError) as error:
            never_sent = isinstance(error.__cause__ or error, httpx.ConnectError)
            raise Unreachable(
                f"{self.base_url} could not be reached: {type(error).__name__}", may_be_billed=not never_sent
            ) from error
        except (openai.OpenAIError, ValueError) as error:
            raise Unreadable(f"the reply of {self.base_url} could not be read: {type(error).__name__}") from error
        if not isinstance(reply, dict):
            raise Unreadable(f"the reply of {self.base_url} is no JSON object")
        return reply

    def _client(self, timeout: float) -> AsyncOpenAI:
        import openai

        # The SDK will not be made without a key; a server of one's own looks at none.
        return openai.AsyncOpenAI(
            api_key=self.api_key or "none", base_url=self.base_url, timeout=timeout, max_retries=0
        )

    def _status_error(self, error: Any) -> ProviderError:
        body = error.body
        message = body.get("message") if isinstance(body, dict) else None
        made = error_of(self.base_url, error.status_code, str(message or ""), error.response.headers, self.api_key)
        # OpenAI says 429 of an account without credit too, which no waiting helps.
        return CredentialsRefused(str(made)) if error.code == "insufficient_quota" else made


def body_of(request: Request, backend: OpenAIBackend) -> dict[str, Any]:
    """The body of *request* as chat completions takes it, pinned by golden files."""
    asked = in_words(request, backend.capabilities)
    system = "\n\n".join(block.text for block in asked.system)
    body: dict[str, Any] = {
        "model": backend.model,
        "max_tokens" if backend.legacy_max_tokens else "max_completion_tokens": asked.max_tokens,
        "messages": [{"role": "system", "content": system}, *(one for turn in asked.turns for one in _messages(turn))],
    }
    if asked.output is not None:
        schema = {"name": asked.output.name, "strict": True, "schema": dict(asked.output.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if backend.effort:
        body["reasoning_effort"] = asked.effort.value
    if tools := asked.tools or asked.tool_history:
        body["tools"] = [_tool(tool, strict=backend.strict_tools) for tool in tools]
        body["tool_choice"] = "auto" if asked.tools else "none"
    return body


def _messages(turn: Turn) -> list[dict[str, Any]]:
    if isinstance(turn, UserTurn):
        results = [{"role": "tool", "tool_call_id": each.call_id, "content": each.text} for each in turn.results]
        text = "\n\n".join(block.text for block in turn.blocks)
        return [*results, {"role": "user", "content": text}] if text else results
    if turn.backend != KIND:
        raise ValueError(f"a turn of {turn.backend} cannot be replayed to an OpenAI server")
    return [turn.blob]


def _tool(tool: Tool, *, strict: bool) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)}
    return {"type": "function", "function": {**function, "strict": True} if strict else function}


def _response(reply: Mapping[str, Any]) -> Response:
    try:
        choice = reply["choices"][0]
        message = choice["message"]
        calls = tuple(_call(call) for call in message.get("tool_calls") or ())
        stop = _STOPS.get(choice.get("finish_reason") or "", Stop.END)
        if message.get("refusal"):
            stop = Stop.REFUSAL
        elif calls:  # some servers say "stop" beside tool calls
            stop = Stop.TOOL
        return Response(
            text=message.get("content") or "",
            stop=stop,
            usage=_usage(reply.get("usage") or {}),
            turn=ModelTurn(KIND, {**message, "role": "assistant"}),
            tool_calls=calls,
            model=str(reply.get("model") or ""),
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"the reply is no chat completion: {error!r}") from error


def _call(call: Mapping[str, Any]) -> ToolCall:
    function = call["function"]
    try:
        arguments = json.loads(function["arguments"])
    except (ValueError, TypeError):
        arguments = None
    return ToolCall(str(call["id"]), str(function["name"]), arguments if isinstance(arguments, dict) else None)


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Tokens as billed; none where the server counts none, which the meter takes for the most there can be."""
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    prompt = int(usage.get("prompt_tokens") or 0)
    return Usage(input=max(0, prompt - cached), output=int(usage.get("completion_tokens") or 0), cache_read=cached)
