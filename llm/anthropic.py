"""Claude through the `anthropic` SDK: direct or behind a proxy, on Bedrock, on Vertex, on Claude Platform on AWS."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from judge.errors import ProviderError
from llm.backends import Capabilities, Permit
from llm.errors import CredentialsRefused, Overloaded, TooSlow, Unreachable, Unreadable
from llm.messages import (
    ModelTurn,
    Request,
    Response,
    Stop,
    SystemBlock,
    TextBlock,
    Tool,
    ToolCall,
    Turn,
    Usage,
    UserTurn,
)
from llm.statuses import error_of
from llm.waiting import load, wait_for
from llm.wording import in_words

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message

KIND = "anthropic"

_CACHED = {"type": "ephemeral"}
_STOPS = {
    "end_turn": Stop.END,
    "stop_sequence": Stop.END,
    "tool_use": Stop.TOOL,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "pause_turn": Stop.LENGTH,  # only a provider's own tools pause, and none is offered: the turn is not whole
    "refusal": Stop.REFUSAL,
}
_ERRORS_IN_STREAM = {"overloaded_error": 529, "rate_limit_error": 429, "authentication_error": 401}


class Platform(StrEnum):
    """Where Claude is reached. Each but the first brings credentials of its own."""

    DIRECT = "direct"
    BEDROCK = "bedrock"
    VERTEX = "vertex"
    AWS = "aws"


_NEEDS = {Platform.BEDROCK: "botocore", Platform.AWS: "botocore", Platform.VERTEX: "google.auth"}
_EXTRAS = {Platform.BEDROCK: "bedrock", Platform.AWS: "aws", Platform.VERTEX: "vertex"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicBackend:
    """A Claude model. Satisfies llm.backends.ChatBackend.

    api_key: needed by DIRECT only; the other platforms take their cloud's own credentials. base_url: a proxy, or "".
    options: region, project_id, workspace_id and the like, by the SDK's names. thinking: let the model think first.
    """

    model: str
    api_key: str = field(default="", repr=False)
    base_url: str = ""
    platform: Platform = Platform.DIRECT
    options: Mapping[str, str] = field(default_factory=dict)
    thinking: bool = False
    effort: bool = True
    kind: str = KIND

    @property
    def capabilities(self) -> Capabilities:
        """Schemas, strict tools and the prompt cache are the API's; whether a model has an effort dial is told."""
        return Capabilities(output_schema=True, strict_tools=True, effort=self.effort, prompt_cache=True)

    def missing(self) -> str | None:
        """The key or package without which no request can be sent."""
        if importlib.util.find_spec("anthropic") is None:
            return "the package 'anthropic' is not installed"
        if self.platform is Platform.DIRECT and not self.api_key:
            return "the API key is not set"
        needed = _NEEDS.get(self.platform)
        if needed and not _is_installed(needed):
            return f"the platform {self.platform} needs: pip install 'anthropic[{_EXTRAS[self.platform]}]'"
        return None

    def send(self, request: Request, permit: Permit) -> Response:  # noqa: ARG002  # the permit is the leave to come here
        """The model's response. Raises ProviderError or Cancelled."""
        load("anthropic")
        body = body_of(request, self)
        return _response(wait_for(lambda: self._message(body, request.timeout), request.timeout, request.cancel))

    async def _message(self, body: dict[str, Any], timeout: float) -> Message:
        import anthropic
        import httpx2

        try:
            async with self._client(timeout) as client, client.messages.stream(**body) as stream:
                return await self._read(stream)
        except ProviderError:
            raise
        except anthropic.APIStatusError as error:
            raise self._status_error(error) from error
        except (anthropic.APITimeoutError, httpx2.TimeoutException) as error:
            raise TooSlow(f"no answer within {timeout:g} seconds") from error
        except (anthropic.APIConnectionError, httpx2.HTTPError) as error:
            raise Unreachable(
                f"Anthropic could not be reached: {type(error).__name__}", may_be_billed=not _never_sent(error)
            ) from error
        except anthropic.APIError as error:
            raise self._error_in_stream(error) from error
        except Exception as error:  # the clouds' libraries raise whatever they like, before anything is sent
            raise self._not_set_up(error) from error

    async def _read(self, stream: Any) -> Message:
        """The whole message of *stream*, whose first bytes are there."""
        import anthropic

        try:
            message: Message = await stream.get_final_message()
        except anthropic.APIStatusError as error:
            raise self._broke_off(error, has_begun=_has_begun(stream)) from error
        except (ValueError, TypeError, LookupError, AttributeError, AssertionError, RuntimeError) as error:
            raise Unreadable(f"Anthropic's reply could not be read: {type(error).__name__}") from error
        return message

    def _client(self, timeout: float) -> AsyncAnthropic:
        import anthropic

        given: dict[str, Any] = {"timeout": timeout, "max_retries": 0, **self.options}
        if self.base_url:
            given["base_url"] = self.base_url
        match self.platform:
            case Platform.DIRECT:
                made: Any = anthropic.AsyncAnthropic(api_key=self.api_key, **given)
            case Platform.BEDROCK:
                made = anthropic.AsyncAnthropicBedrock(**given)
            case Platform.VERTEX:
                made = anthropic.AsyncAnthropicVertex(**given)
            case Platform.AWS:
                made = anthropic.AsyncAnthropicAWS(**given)
        client: AsyncAnthropic = made
        return client

    def _status_error(self, error: Any) -> ProviderError:
        kind, message = _told(error.body)
        return error_of("Anthropic", error.status_code, message or kind, error.response.headers, self.api_key)

    def _broke_off(self, error: Any, *, has_begun: bool) -> ProviderError:
        """An error that came as an event of the stream. What a message that had begun is billed, nobody says."""
        kind, message = _told(error.body)
        status = _ERRORS_IN_STREAM.get(kind, 500)
        made = error_of("Anthropic", status, message or kind, error.response.headers, self.api_key)
        if isinstance(made, Unreachable | Overloaded):
            made.may_be_billed = has_begun
        return made

    def _error_in_stream(self, error: Any) -> ProviderError:
        kind, _ = _told(getattr(error, "body", None))
        if kind == "overloaded_error":
            return Overloaded("Anthropic has no room for the request")
        return Unreachable(f"Anthropic broke off: {kind or type(error).__name__}")

    def _not_set_up(self, error: Exception) -> ProviderError:
        """No region, no credentials, no package: nothing was sent. Google's errors say when another try may help."""
        said = " ".join(str(error).split()) or type(error).__name__
        text = f"Anthropic ({self.platform}) could not be asked: {self._without_key(said)}"
        if getattr(error, "retryable", False):
            return Unreachable(text, may_be_billed=False)
        return CredentialsRefused(text)

    def _without_key(self, text: str) -> str:
        return text.replace(self.api_key, "***") if self.api_key else text


def body_of(request: Request, backend: AnthropicBackend) -> dict[str, Any]:
    """The body of *request* as the Messages API takes it, pinned by golden files."""
    asked = in_words(request, backend.capabilities)
    body: dict[str, Any] = {
        "model": backend.model,
        "max_tokens": asked.max_tokens,
        "system": [_text(block) for block in asked.system],
        "messages": [_turn(turn) for turn in asked.turns],
    }
    config: dict[str, Any] = {}
    if asked.output is not None:
        config["format"] = {"type": "json_schema", "schema": dict(asked.output.schema)}
    if backend.effort:
        config["effort"] = asked.effort.value
    if config:
        body["output_config"] = config
    if backend.thinking:
        body["thinking"] = {"type": "adaptive", "display": "omitted"}
    if tools := asked.tools or asked.tool_history:
        body["tools"] = [_tool(tool) for tool in tools]
        body["tool_choice"] = {"type": "auto"} if asked.tools else {"type": "none"}
    return body


def _text(block: SystemBlock | TextBlock) -> dict[str, Any]:
    plain = {"type": "text", "text": block.text}
    return {**plain, "cache_control": _CACHED} if block.cached else plain


def _turn(turn: Turn) -> dict[str, Any]:
    if isinstance(turn, UserTurn):
        results = [
            {"type": "tool_result", "tool_use_id": result.call_id, "content": result.text, "is_error": result.failed}
            for result in turn.results
        ]
        return {"role": "user", "content": [*results, *(_text(block) for block in turn.blocks)]}
    if turn.backend != KIND:
        raise ValueError(f"a turn of {turn.backend} cannot be replayed to Anthropic")
    return {"role": "assistant", "content": turn.blob}


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "strict": True,
        "input_schema": dict(tool.schema),
    }


def _response(message: Message) -> Response:
    calls = [block for block in message.content if block.type == "tool_use"]
    usage = message.usage
    return Response(
        text="".join(block.text for block in message.content if block.type == "text"),
        stop=_STOPS.get(message.stop_reason or "", Stop.LENGTH),
        usage=Usage(
            input=usage.input_tokens,
            output=usage.output_tokens,
            cache_read=usage.cache_read_input_tokens or 0,
            cache_written=usage.cache_creation_input_tokens or 0,
        ),
        turn=ModelTurn(KIND, [block.to_dict(mode="json") for block in message.content]),
        tool_calls=tuple(
            ToolCall(block.id, block.name, block.input if isinstance(block.input, dict) else None) for block in calls
        ),
        model=message.model,
    )


def _told(body: object) -> tuple[str, str]:
    """The provider's own error type and message, "" where it gives none."""
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return "", ""
    return str(error.get("type") or ""), str(error.get("message") or "")


def _has_begun(stream: Any) -> bool:
    """Whether the model had begun its message; the SDK's stream has a snapshot of it from then on."""
    try:
        return stream.current_message_snapshot is not None
    except AssertionError:
        return False


def _never_sent(error: BaseException) -> bool:
    """Whether the connection was never made."""
    import httpx2

    return isinstance(error, httpx2.ConnectError) or isinstance(error.__cause__, httpx2.ConnectError)


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
