"""What is wrong with a set-up, in words for the person who wrote it. No value that may be a secret is repeated."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from llm.config_tables import (
    KINDS,
    LOCAL_EMBEDDERS,
    AnthropicProvider,
    ChatStage,
    EmbedStage,
    File,
    OpenAIProvider,
    Provider,
    VoyageProvider,
)
from llm.known_models import takes_effort, thinks_adaptively
from llm.prices import prices_model

CHAT_STAGES = ("extract", "synth", "verify")

_SECRETS = ("api_key", "apikey", "key", "token", "secret", "password")
_PLATFORM_KEYS = {
    "direct": {"api_key_env"},
    "bedrock": {"region"},
    "vertex": {"region", "project_id"},
    "aws": {"region", "workspace_id"},
}
_CHAT_FLAGS = ("output_schema", "strict_tools", "effort", "legacy_max_tokens")

Providers = Mapping[str, Provider | None]  # None: a table that could not be read, and was complained about


class BadConfig(ValueError):
    """judge.toml or the environment cannot be used; str() lists every fault, one a line, and what to do."""

    def __init__(self, where: str, faults: Sequence[str]) -> None:
        super().__init__("\n".join([f"{where} cannot be used:", *(f"  - {fault}" for fault in faults)]))
        self.faults = tuple(faults)


def parsed[T: BaseModel](model: type[T], table: Mapping[str, Any], where: str, faults: list[str]) -> T | None:
    """*table* as *model*; None, and every fault added to *faults*, where it is not fit. where: its place, dotted."""
    try:
        return model.model_validate(dict(table))
    except ValidationError as error:
        faults.extend(_fault(model, where, one) for one in error.errors(include_url=False, include_input=False))
        return None


def sound_part(loaded: Mapping[str, Any]) -> File | None:
    """What can be read of a judge.toml with faults, so that faults between its tables are told at once, too."""
    try:
        return File.model_validate(dict(loaded))
    except ValidationError as error:
        left = copy.deepcopy(dict(loaded))
        for one in error.errors(include_url=False, include_input=False):
            _drop(left, one["loc"])
    try:
        return File.model_validate(left)
    except ValidationError:
        return None


def _drop(table: dict[str, Any], path: Sequence[Any]) -> None:
    """Takes the key at *path* out of *table*, or the table it is missing from."""
    *way, last = path
    for depth, part in enumerate(way, start=1):
        inner = table.get(part)
        if not isinstance(inner, dict) or (depth == len(way) and last not in inner):
            table.pop(part, None)
            return
        table = inner
    table.pop(last, None)


def provider_of(name: str, table: Mapping[str, Any], faults: list[str]) -> Provider | None:
    """The provider *table* describes; None, and the faults added to *faults*, where it describes none."""
    kind = table.get("kind")
    made = KINDS.get(kind) if isinstance(kind, str) else None
    if name == "local":
        faults.append("providers.local: 'local' means this machine without a provider; choose another name")
    if made is None:
        known = ", ".join(KINDS)
        what = "is missing" if kind is None else f"is {kind!r}"
        faults.append(f"providers.{name}.kind {what}; it has to be one of {known}{_nearest(kind, KINDS)}")
        return None
    secrets = {key for key in table if key.lower() in _SECRETS}
    faults.extend(_pasted(name, key) for key in sorted(secrets))
    return parsed(made, {key: value for key, value in table.items() if key not in secrets}, f"providers.{name}", faults)


def _pasted(name: str, key: str) -> str:
    return (
        f"providers.{name}.{key} holds a secret; put it into an environment variable, name that in "
        f"providers.{name}.api_key_env, and get a new key if others have seen this file"
    )


def _fault(model: type[BaseModel], where: str, error: Any) -> str:
    path = ".".join(filter(None, [where, *map(str, error["loc"])]))
    match error["type"]:
        case "extra_forbidden":
            known = _keys_at(model, error["loc"][:-1])
            nearest = _nearest(str(error["loc"][-1]), known) or f" (known: {', '.join(known)})"
            return f"{path} is no key that is known{nearest}"
        case "missing":
            return f"{path} is missing"
        case "string_pattern_mismatch":
            return f"{path} has to be the name of an environment variable, in capitals, not a key itself"
        case "model_type" | "model_attributes_type" | "dict_type":
            return f"{path} has to be a table: [{path}]"
        case "address":
            return f"{path} {error['msg']}"
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


def _nearest(written: object, known: Collection[str]) -> str:
    close = difflib.get_close_matches(str(written), list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def cross_faults(file: File, providers: Providers, *, whole: bool) -> Iterator[str]:
    """What is wrong between tables that are right by themselves: names that fit nothing, keys without effect.

    whole: *file* is all of judge.toml; in a part of it, what nothing uses may be used by what could not be read.
    """
    stages = {name: stage for name in CHAT_STAGES if (stage := getattr(file.stages, name)) is not None}
    for name, stage in stages.items():
        yield from _stage_faults(name, stage, providers)
    if "verify" in stages and "synth" not in stages:
        yield "stages.verify has nothing to look at without stages.synth; add that, or leave this out"
    if file.stages.embed is not None:
        yield from _embed_faults(file.stages.embed, providers)
    if not whole:
        return
    chats = {stage.provider for stage in stages.values()}
    embeds = {file.stages.embed.provider} if file.stages.embed else set()
    for name, provider in providers.items():
        if name not in chats | embeds and name != "local":
            yield f"providers.{name} is used by no stage; remove it, or name it in a stage"
        elif provider is not None:
            yield from _provider_faults(name, provider, chats=name in chats)
    yield from _price_faults(file, stages)


def _stage_faults(name: str, stage: ChatStage, providers: Providers) -> Iterator[str]:
    where = f"stages.{name}"
    if stage.provider == "local":
        if name != "extract":
            yield f"{where}: there is no local model for this stage; leave it out"
        ignored = sorted(stage.model_fields_set - {"provider"})
        yield from (f"{where}.{key} has no effect on a local stage; remove it" for key in ignored)
        return
    if not stage.model.strip():
        yield f"{where}.model is missing"
    if stage.provider not in providers:
        yield f"{where}.provider {stage.provider!r} is not among [providers]{_nearest(stage.provider, providers)}"
        return
    match providers[stage.provider]:
        case VoyageProvider():
            yield f"{where}.provider {stage.provider!r} is Voyage, which only embeds"
        case OpenAIProvider(effort=effort):
            if stage.effort is not None and not effort:
                yield f"{where}.effort has no effect unless providers.{stage.provider}.effort is true"
            if "thinking" in stage.model_fields_set:
                yield f"{where}.thinking is for anthropic providers; remove it"
        case AnthropicProvider():
            if stage.effort is not None and not takes_effort(stage.model):
                yield f"{where}.effort: {stage.model} has no such dial; remove it"
            if stage.thinking and not thinks_adaptively(stage.model):
                yield f"{where}.thinking: {stage.model} does not think of its own accord; remove it"


def _embed_faults(stage: EmbedStage, providers: Providers) -> Iterator[str]:
    if stage.provider == "local":
        if stage.model not in LOCAL_EMBEDDERS:
            known = ", ".join(LOCAL_EMBEDDERS)
            nearest = _nearest(stage.model, LOCAL_EMBEDDERS)
            yield f"stages.embed.model {stage.model!r} is no local model; there are {known}{nearest}"
        if stage.width is not None:
            yield "stages.embed.width is known for local models; remove it"
        return
    if stage.provider not in providers:
        yield f"stages.embed.provider {stage.provider!r} is not among [providers]{_nearest(stage.provider, providers)}"
    elif isinstance(providers[stage.provider], AnthropicProvider):
        yield "stages.embed: Anthropic has no embeddings; use a voyage or openai provider, or local"
    if "model" not in stage.model_fields_set or not stage.model.strip():
        yield "stages.embed.model is missing"
    if stage.width is None:
        yield "stages.embed.width is missing: the number of floats the model gives"


def _provider_faults(name: str, provider: Provider, *, chats: bool) -> Iterator[str]:
    if isinstance(provider, AnthropicProvider):
        has = _PLATFORM_KEYS[provider.platform]
        for key in sorted(provider.model_fields_set - has - {"kind", "platform", "base_url"}):
            yield f"providers.{name}.{key} has no effect with platform {provider.platform!r}; remove it"
    elif isinstance(provider, OpenAIProvider) and not chats:
        for key in _CHAT_FLAGS:
            if key in provider.model_fields_set:
                yield f"providers.{name}.{key} has no effect, as no chat stage uses the provider; remove it"
    if not isinstance(provider, AnthropicProvider) and not provider.base_url:
        yield f"providers.{name}.base_url is empty; leave it out for the provider's own"


def _price_faults(file: File, stages: Mapping[str, ChatStage]) -> Iterator[str]:
    models = {stage.model for stage in stages.values() if stage.model}
    if file.stages.embed is not None and file.stages.embed.provider != "local":
        models.add(file.stages.embed.model)
    for name in file.prices:
        if not any(prices_model(name, model) for model in models):
            yield f'prices."{name}" is the price of no stage\'s model{_nearest(name, models) or "; remove it"}'
