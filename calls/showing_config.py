"""The set-up in words, secrets hidden, and a probe that asks every model for one token."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from calls.model_wiring import backend, http_embeddings, meter, missing, prices
from judge.errors import ProviderError
from llm.config import CHAT_STAGES, Config
from llm.messages import Request, SystemBlock, TextBlock, UserTurn

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
    """The set-up, a line each fact."""
    yield f"set-up from: {given.source}"
    for name in CHAT_STAGES:
        stage = given.stage(name)
        yield f"{name}: {_WITHOUT[name] if stage is None else f'{stage.model} at {stage.provider}'}"
    embeds = http_embeddings(given)
    local = settings.JUDGE_EMBEDDER if given.stages.embed is None else given.stages.embed.model
    yield f"embed: {f'{local}, on this machine' if embeds is None else f'{embeds.model} at {embeds.provider}'}"
    for name, provider in given.providers.items():
        key = "set" if given.keys[name] else "not set"
        where = f", {provider.base_url}" if provider.base_url else ""
        yield f"provider {name}: {provider.kind}{where}, key in {provider.api_key_env} ({key})"
    if given.asks_a_model:
        yield f"spend cap: ${given.spend.cap:,.2f} a {given.spend.period}"
        table = prices(given)
        for model in sorted(_models(given)):
            price = table.of(model)
            assumed = "" if table.is_known(model) else " (no price of its own: the dearest known is assumed)"
            yield f"price of {model}: ${price.input:g} in, ${price.output:g} out a million tokens{assumed}"
    for line in missing(given):
        yield f"missing: {line}"


def config_object(given: Config) -> dict[str, Any]:
    """The set-up as JSON, secrets told as set or not."""
    stages = {name: stage for name in CHAT_STAGES if (stage := given.stage(name)) is not None}
    return {
        "source": given.source,
        "stages": {name: stage.model_dump() for name, stage in stages.items()},
        "embed": None if given.stages.embed is None else given.stages.embed.model_dump(),
        "providers": {
            name: provider.model_dump() | {"key_is_set": bool(given.keys[name])}
            for name, provider in given.providers.items()
        },
        "spend": given.spend.model_dump(),
        "missing": list(missing(given)),
    }


def probes(given: Config) -> list[Probe]:
    """One small request to each model, through the meter."""
    found: list[Probe] = []
    for name in CHAT_STAGES:
        stage = given.stage(name)
        if stage is None:
            continue
        made = backend(given, stage)
        found.append(_probed(name, stage.model, made.missing(), lambda made=made: _say_hello(made)))
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


def _say_hello(made: Any) -> str:
    request = Request(
        system=(SystemBlock("Reply with the word: ready"),),
        turns=(UserTurn((TextBlock("Are you there?"),)),),
        max_tokens=_PROBE_TOKENS,
        timeout=_PROBE_SECONDS,
    )
    response = meter().chat(made, request, "probe")
    return f"answers, as {response.model or made.model}"


def _probed(stage: str, model: str, lacking: str | None, ask: Any) -> Probe:
    began = time.monotonic()
    try:
        said, is_fine = (f"cannot be asked: {lacking}", False) if lacking else (ask(), True)
    except ProviderError as error:
        said, is_fine = f"fails: {error}", False
    return Probe(stage, model, is_fine, said, time.monotonic() - began)


def _models(given: Config) -> set[str]:
    chats = {stage.model for name in CHAT_STAGES if (stage := given.stage(name)) is not None}
    embeds = http_embeddings(given)
    return chats if embeds is None else chats | {embeds.model}
