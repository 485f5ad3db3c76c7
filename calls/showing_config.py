"""The set-up in words, secrets hidden, and a probe that asks every model for one token."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from calls.model_wiring import (
    backend,
    http_embeddings,
    local_model,
    meter,
    missing,
    models_of,
    options,
    prices,
    space_problem,
)
from judge.errors import ProviderError
from llm.backends import ChatBackend
from llm.config import Config
from llm.config_faults import CHAT_STAGES
from llm.config_tables import ChatStage
from llm.messages import Request, SystemBlock, TextBlock, UserTurn
from llm.prices import prices_model

_WITHOUT = {
    "extract": "read on this machine, without a model",
    "synth": "none: answers are sets of quoted passages",
    "verify": "none: claims are held against their quotes by words and vectors",
}
_PROBE_TOKENS = 16  # some servers refuse a bound of one
_PROBE_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Probe:
    """What one model said to a small request. said: in words; seconds it took."""

    stage: str
    model: str
    is_fine: bool
    said: str
    seconds: float

    def __str__(self) -> str:
        return f"probe {self.stage}: {self.model} {self.said} ({self.seconds:.1f} s)"

    def json(self) -> dict[str, Any]:
        """As `config --probe --json` gives it."""
        return {"stage": self.stage, "model": self.model, "ok": self.is_fine, "said": self.said}


def lines(given: Config) -> Iterator[str]:
    """The set-up, a line each fact; what nobody set is marked as the default."""
    yield f"set-up from: {given.source}"
    for name in CHAT_STAGES:
        stage = given.stage(name)
        yield f"{name}: {_WITHOUT[name] if stage is None else _stage_words(name, stage, given)}"
    embeds = http_embeddings(given)
    where = f"{local_model(given)}, on this machine" if embeds is None else f"{embeds.model} at {embeds.provider}"
    yield f"embed: {where}{'' if given.stages.embed else ' (JUDGE_EMBEDDER or default)'}"
    for name, provider in given.providers.items():
        key = "set" if given.keys[name] else "not set"
        address = f", {provider.base_url}" if provider.base_url else ""
        yield f"provider {name}: {provider.kind}{address}, key in {provider.api_key_env} ({key})"
    if given.asks_a_model:
        yield from _money(given)
        failed = given.failed_calls
        mark = "" if failed.model_fields_set else " (default)"
        yield f"failed calls: the newest {failed.newest} of {failed.days} days are kept{mark}"
    for line in given.notices:
        yield f"notice: {line}"
    for line in missing(given):
        yield f"missing: {line}"
    if problem := space_problem(given):
        yield f"missing: embed: {problem}"


def _stage_words(name: str, stage: ChatStage, given: Config) -> str:
    asked = options(stage, name)
    told = f"{stage.model} at {stage.provider}"
    if backend(given, stage).capabilities.effort:
        told += f", effort {asked.effort.value}{_mark(stage, 'effort')}"
    told += ", thinking" if stage.thinking else ""
    told += f", {asked.max_tokens} tokens{_mark(stage, 'max_tokens')}"
    return f"{told}, {asked.timeout:g} s{_mark(stage, 'timeout')}"


def _mark(stage: ChatStage, key: str) -> str:
    return "" if getattr(stage, key) is not None else " (default)"


def _money(given: Config) -> Iterator[str]:
    spend = given.spend
    marks = [key for key in ("cap", "period") if key not in spend.model_fields_set]
    mark = f" (default {' and '.join(marks)})" if marks else ""
    yield f"spend cap: ${spend.cap:,.2f} a {spend.period}{mark}"
    if spend.alert_webhook_env:
        yield f"alert: to the address in {spend.alert_webhook_env} ({'set' if given.webhook else 'not set'})"
    for model, price in _prices_of(given).items():
        told = f"${price['input']:g} in, ${price['output']:g} out a million tokens"
        yield f"price of {model}: {told} ({_SOURCES[price['source']]})"


_SOURCES = {
    "own": "[prices]",
    "known": "known here; the provider's page decides",
    "assumed": "no price is known: the dearest known is assumed; give it one under [prices], 0 for a model of your own",
}


def _prices_of(given: Config) -> dict[str, dict[str, Any]]:
    """What each model asked is taken to cost, and where that comes from: own, known or assumed."""
    table = prices(given)
    told = {}
    for model in sorted(models_of(given)):
        price = table.of(model)
        own = any(prices_model(name, model) for name in given.own_prices)
        source = "own" if own else "known" if table.is_known(model) else "assumed"
        told[model] = {"input": price.input, "output": price.output, "source": source}
    return told


def config_object(given: Config) -> dict[str, Any]:
    """The set-up as JSON, secrets told as set or not."""
    problem = space_problem(given)
    return {
        "source": given.source,
        "stages": {
            name: None if (stage := given.stage(name)) is None else _stage_object(name, stage) for name in CHAT_STAGES
        },
        "embed": _embed_object(given),
        "providers": {
            name: provider.model_dump() | {"key_is_set": bool(given.keys[name])}
            for name, provider in given.providers.items()
        },
        "spend": given.spend.model_dump() | {"alert_is_set": bool(given.webhook)},
        "prices": _prices_of(given),
        "failed_calls": given.failed_calls.model_dump(),
        "notices": list(given.notices),
        "missing": [*missing(given), *([f"embed: {problem}"] if problem else [])],
    }


def _stage_object(name: str, stage: ChatStage) -> dict[str, Any]:
    asked = options(stage, name)
    resolved = {"effort": asked.effort.value, "max_tokens": asked.max_tokens, "timeout": asked.timeout}
    defaults = [key for key in resolved if getattr(stage, key) is None]
    return stage.model_dump() | resolved | {"defaults": defaults}


def _embed_object(given: Config) -> dict[str, Any]:
    embeds = http_embeddings(given)
    if embeds is None:
        return {"provider": "local", "model": local_model(given)}
    return {"provider": embeds.provider, "model": embeds.model, "width": embeds.width}


def probes(given: Config) -> list[Probe]:
    """One small request to each model, through the meter."""
    found: list[Probe] = []
    for name in CHAT_STAGES:
        stage = given.stage(name)
        if stage is not None:
            made = backend(given, stage)
            found.append(_probed(name, stage.model, made.missing(), partial(_say_hello, made)))
    embeds = http_embeddings(given)
    if embeds is not None:
        found.append(
            _probed(
                "embed",
                embeds.model,
                embeds.missing(),
                lambda: f"gave {len(meter().embed(embeds, ['hello'], query=True)[0])} floats",
            )
        )
    return found


def _say_hello(made: ChatBackend) -> str:
    request = Request(
        system=(SystemBlock("Reply with the word: ready"),),
        turns=(UserTurn((TextBlock("Are you there?"),)),),
        max_tokens=_PROBE_TOKENS,
        timeout=_PROBE_SECONDS,
    )
    response = meter().chat(made, request, "probe")
    return f"answers, as {response.model or made.model}"


def _probed(stage: str, model: str, lacking: str | None, ask: Callable[[], str]) -> Probe:
    began = time.monotonic()
    try:
        said, is_fine = (f"cannot be asked: {lacking}", False) if lacking else (ask(), True)
    except ProviderError as error:
        said, is_fine = f"fails: {error}", False
    return Probe(stage, model, is_fine, said, time.monotonic() - began)
