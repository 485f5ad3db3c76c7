"""Which model does what, from judge.toml or the environment alone; every fault named at once, for a person.

Secrets are never in the file: a provider names the environment variable its key is in (DESIGN 5).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from llm.anthropic import Platform
from llm.config_faults import CHAT_STAGES, BadConfig, cross_faults, parsed, provider_of, sound_part
from llm.config_tables import (
    AnthropicProvider,
    ChatStage,
    FailedCalls,
    File,
    OpenAIProvider,
    PriceTable,
    Provider,
    Spend,
    Stages,
    address_fault,
)
from llm.known_models import CHEAP, KNOWN_PRICES, STRONG
from llm.messages import Effort
from llm.openai import OPENAI

ENVIRONMENT, DEFAULTS = "environment", "defaults"  # where a set-up comes from when there is no file
_BASE_URL = "ANTHROPIC_BASE_URL"
_KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "VOYAGE_API_KEY")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The set-up as resolved. source: the file, or "environment", or "defaults". keys: secrets by provider name.

    own_prices: the models the operator priced. webhook: the address, "" for none. notices: what is set and has no
    effect, for the operator to know.
    """

    source: str
    providers: Mapping[str, Provider] = field(default_factory=dict)
    stages: Stages = field(default_factory=Stages)
    prices: Mapping[str, PriceTable] = field(default_factory=dict)
    own_prices: frozenset[str] = frozenset()
    spend: Spend = field(default_factory=Spend)
    failed_calls: FailedCalls = field(default_factory=FailedCalls)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    webhook: str = field(default="", repr=False)
    notices: tuple[str, ...] = ()

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
        loaded = tomllib.loads(file.read_text(encoding="utf-8-sig"))
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
    if not environ.get("ANTHROPIC_API_KEY", "").strip():
        return Config(source=DEFAULTS, notices=tuple(_unused(environ, {}, Stages(), source=DEFAULTS)))
    loaded = {
        "providers": {"anthropic": {"kind": "anthropic"}},
        "stages": {
            "extract": {"provider": "anthropic", "model": CHEAP, "effort": "low"},
            "synth": {"provider": "anthropic", "model": STRONG, "effort": "medium"},
        },
    }
    return _resolved(ENVIRONMENT, loaded, environ)


def _resolved(source: str, loaded: Mapping[str, Any], environ: Mapping[str, str]) -> Config:
    faults: list[str] = []
    file = parsed(File, loaded, "", faults)
    read = {name: provider_of(name, table, faults) for name, table in _tables(loaded.get("providers"))}
    if (part := file or sound_part(loaded)) is not None:
        told = {_place(fault) for fault in faults}
        faults += [each for each in cross_faults(part, read, whole=file is not None) if _place(each) not in told]
    known = {name: _addressed(provider, environ) for name, provider in read.items() if provider is not None}
    faults += _environment_faults(known, environ)
    if faults or file is None:
        raise BadConfig("the environment" if source == ENVIRONMENT else source, list(dict.fromkeys(faults)))
    hook = file.spend.alert_webhook_env
    return Config(
        source=source,
        providers=known,
        stages=file.stages,
        prices={**{name: PriceTable(**price) for name, price in KNOWN_PRICES.items()}, **file.prices},
        own_prices=frozenset(file.prices),
        spend=file.spend,
        failed_calls=file.failed_calls,
        keys={name: environ.get(provider.api_key_env, "").strip() for name, provider in known.items()},
        webhook=environ.get(hook, "").strip() if hook else "",
        notices=tuple(_unused(environ, known, file.stages, source=source)),
    )


def _place(fault: str) -> str:
    """The key *fault* is about: one that could not be read is not called missing as well."""
    return fault.split()[0].rstrip(":")


def _tables(value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The tables in *value*; what is none has been complained about already."""
    if isinstance(value, dict):
        yield from ((str(name), table) for name, table in value.items() if isinstance(table, dict))


def _addressed(provider: Provider, environ: Mapping[str, str]) -> Provider:
    """*provider* with the address of ANTHROPIC_BASE_URL, which the SDK would take anyway, so that it can be shown."""
    address = environ.get(_BASE_URL, "").strip()
    if isinstance(provider, AnthropicProvider) and not provider.base_url and provider.platform == "direct":
        return provider.model_copy(update={"base_url": address})
    return provider


def _environment_faults(providers: Mapping[str, Provider], environ: Mapping[str, str]) -> Iterator[str]:
    """What the environment says and no request could carry. The values are not repeated."""
    address = environ.get(_BASE_URL, "").strip()
    uses = any(isinstance(each, AnthropicProvider) and each.base_url == address for each in providers.values())
    if address and uses and (fault := address_fault(address)):
        yield f"{_BASE_URL} {fault}"
    for name in dict.fromkeys(provider.api_key_env for provider in providers.values()):
        key = environ.get(name, "").strip()
        if any(not "!" <= each <= "~" for each in key):
            yield f"the environment variable {name} holds blanks or characters no key has; set it to the key alone"


def _unused(
    environ: Mapping[str, str], providers: Mapping[str, Provider], stages: Stages, *, source: str
) -> Iterator[str]:
    """What the environment sets and the set-up does not look at, and keys a server may want and does not get."""
    used = {provider.api_key_env for provider in providers.values()}
    why = "judge.toml names no provider with it"
    if source in (ENVIRONMENT, DEFAULTS):
        why = "alone it picks no model; judge.toml does, see docs/MODELS.md"
    for name in _KEYS:
        if environ.get(name, "").strip() and name not in used:
            yield f"{name} is set and not used: {why}"
    address = environ.get(_BASE_URL, "").strip()
    if address and not any(
        isinstance(each, AnthropicProvider) and each.base_url == address for each in providers.values()
    ):
        yield f"{_BASE_URL} is set and not used: {'there is no ANTHROPIC_API_KEY' if not providers else why}"
    for name, provider in providers.items():
        is_own = isinstance(provider, OpenAIProvider) and provider.base_url.rstrip("/") != OPENAI
        if is_own and "api_key_env" in provider.model_fields_set and not environ.get(provider.api_key_env, "").strip():
            yield f"{provider.api_key_env} is not set: providers.{name} is asked without a key"
    if environ.get("JUDGE_EMBEDDER") and stages.embed is not None:
        yield "JUDGE_EMBEDDER is set and not used: stages.embed of judge.toml comes before it"


def platform_of(provider: AnthropicProvider) -> Platform:
    """The platform by its enum."""
    return Platform(provider.platform)


def effort_of(stage: ChatStage, default: Effort) -> Effort:
    """The stage's effort, or the stage kind's own."""
    return default if stage.effort is None else Effort(stage.effort)
