"""The models of this process, built from judge.toml or the environment: every one of them behind the meter."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.conf import settings

from calls.adapters.rules import CurrentRules
from calls.spending import Cap, Period, PostgresLedger
from curation.models import Category
from judge.incidents import log_incident
from judge.ports import Embedder, Extractor
from judge.synthesizing import Reasoning
from judge.values import CategoryKey
from llm.anthropic import AnthropicBackend
from llm.backends import Chat, ChatBackend
from llm.config import (
    CHAT_STAGES,
    AnthropicProvider,
    ChatStage,
    Config,
    OpenAIProvider,
    effort_of,
    platform_of,
    read_config,
)
from llm.embeddings import HttpEmbeddings
from llm.extraction import ModelExtractor
from llm.local import local_embedder
from llm.messages import Effort
from llm.metering import Meter, MeteredChat, MeteredEmbedder
from llm.openai import OpenAIBackend
from llm.prices import MICRODOLLARS, Price, Prices
from llm.stages import StageOptions
from llm.synthesis import SYNTH, ModelSynthesizer
from llm.verifying import VERIFY, ModelVerifier

EXTRACT = StageOptions(effort=Effort.LOW, max_tokens=3_000, timeout=30.0)
_OPTIONS = {"extract": EXTRACT, "synth": SYNTH, "verify": VERIFY}


@cache
def config() -> Config:
    """The set-up of this process. Raises llm.config.BadConfig."""
    return read_config(config_file(), os.environ)


def config_file() -> Path | None:
    """judge.toml: where JUDGE_CONFIG says, else in the checkout; None where there is none."""
    if settings.JUDGE_CONFIG:
        return Path(settings.JUDGE_CONFIG)
    file = Path(settings.BASE_DIR) / "judge.toml"
    return file if file.exists() else None


def ledger(spend: Config) -> PostgresLedger:
    """Where the money of *spend* is counted."""
    cap = Cap(round(spend.spend.cap * MICRODOLLARS), Period(spend.spend.period), spend.webhook)
    return PostgresLedger(cap)


@cache
def meter() -> Meter:
    """The one way to a model."""
    return Meter(ledger(config()), prices(config()))


def prices(given: Config) -> Prices:
    """What the models of *given* cost."""
    return Prices({name: Price(**table.model_dump()) for name, table in given.prices.items()})


def backend(given: Config, stage: ChatStage) -> ChatBackend:
    """The model of *stage*, not to be sent anything but through the meter."""
    provider, key = given.providers[stage.provider], given.keys[stage.provider]
    if isinstance(provider, AnthropicProvider):
        named = {"region": "region", "project_id": "project_id", "workspace_id": "workspace_id"}
        if provider.platform in ("bedrock", "aws"):
            named["region"] = "aws_region"
        options = {name: value for field, name in named.items() if (value := getattr(provider, field))}
        return AnthropicBackend(
            model=stage.model,
            api_key=key,
            base_url=provider.base_url,
            platform=platform_of(provider),
            options=options,
            thinking=stage.thinking,
            effort=stage.effort is not None,
        )
    assert isinstance(provider, OpenAIProvider), "llm.config lets no other provider chat"
    return OpenAIBackend(
        model=stage.model,
        api_key=key,
        base_url=provider.base_url,
        output_schema=provider.output_schema,
        strict_tools=provider.strict_tools,
        effort=provider.effort,
        legacy_max_tokens=provider.legacy_max_tokens,
    )


def options(stage: ChatStage, name: str) -> StageOptions:
    """How the stage called *name* asks: what the operator set, else the stage's own."""
    own = _OPTIONS[name]
    return StageOptions(
        effort=effort_of(stage, own.effort),
        max_tokens=stage.max_tokens or own.max_tokens,
        timeout=stage.timeout or own.timeout,
    )


def missing(given: Config) -> Iterator[str]:
    """What keeps a stage from its model, a line each, for the operator to read before the first question."""
    for name in CHAT_STAGES:
        stage = given.stage(name)
        if stage is not None and (what := backend(given, stage).missing()):
            variable = given.providers[stage.provider].api_key_env
            hint = f" (environment variable {variable})" if "key" in what else ""
            yield f"{name}: {what}{hint}; until then questions are answered without this model"
    embeds = http_embeddings(given)
    if embeds is not None and (what := embeds.missing()):
        yield f"embed: {what}; until then there is no vector search"


def chat(name: str) -> Chat | None:
    """The model of the stage called *name* behind the meter; None where there is none, or it cannot be asked."""
    given = config()
    stage = given.stage(name)
    if stage is None:
        return None
    made = backend(given, stage)
    return None if made.missing() else MeteredChat(backend=made, meter=meter(), stage=name, clock=time.monotonic)


def http_embeddings(given: Config) -> HttpEmbeddings | None:
    """The embedding service of *given*, None where vectors are made on this machine."""
    stage = given.stages.embed
    if stage is None or stage.provider == "local":
        return None
    provider = given.providers[stage.provider]
    assert stage.width is not None, "llm.config asks for it"
    voyage = provider.kind == "voyage"
    return HttpEmbeddings(
        provider=provider.kind,
        model=stage.model,
        width=stage.width,
        base_url=provider.base_url,
        api_key=given.keys[stage.provider],
        says_purpose=voyage,
        sends_width=voyage,
    )


def configured_embedder() -> Embedder | None:
    """What makes vectors here: judge.toml's embed stage, else JUDGE_EMBEDDER; None for none.

    Raises llm.local.UnknownEmbedder, llm.config.BadConfig.
    """
    given = config()
    remote = http_embeddings(given)
    if remote is not None:
        return None if remote.missing() else MeteredEmbedder(backend=remote, meter=meter(), clock=time.monotonic)
    stage = given.stages.embed
    return local_embedder(settings.JUDGE_EMBEDDER if stage is None else stage.model)


def embeds() -> bool:
    """Whether anything makes vectors here."""
    stage = config().stages.embed
    return (settings.JUDGE_EMBEDDER if stage is None else stage.model) != "none"


def model_extractor() -> Extractor | None:
    """What reads questions by a model; None where none does."""
    asked, stage = chat("extract"), config().stage("extract")
    if asked is None or stage is None:
        return None
    return ModelExtractor(asked, _categories, options(stage, "extract"))


def reasoning(embedder: Embedder | None) -> Reasoning | None:
    """What lets a model reason and looks at its claims; None where none does."""
    asked, stage = chat("synth"), config().stage("synth")
    if asked is None or stage is None:
        return None
    second, verify = chat("verify"), config().stage("verify")
    verifier = None if second is None or verify is None else ModelVerifier(second, options(verify, "verify"))
    return Reasoning(
        synthesizer=ModelSynthesizer(asked, CurrentRules(), options(stage, "synth")),
        verifier=verifier,
        embedder=embedder if embedder is not None and embedder.space.provider == "local" else None,
        incidents=log_incident,
    )


def _categories() -> dict[CategoryKey, str]:
    return {CategoryKey(row.key): f"{row.title}. {row.description}" for row in Category.objects.all()}
