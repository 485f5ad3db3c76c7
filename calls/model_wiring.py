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
from judge.values import CategoryKey, Space
from llm.anthropic import AnthropicBackend
from llm.backends import Chat, ChatBackend
from llm.config import Config, effort_of, platform_of, read_config
from llm.config_faults import CHAT_STAGES, BadConfig
from llm.config_tables import AnthropicProvider, ChatStage, EmbedStage, OpenAIProvider
from llm.embeddings import HttpEmbeddings
from llm.extraction import ModelExtractor
from llm.local import UnknownEmbedder, local_embedder, space_named
from llm.messages import Effort
from llm.metering import Meter, MeteredChat, MeteredEmbedder
from llm.openai import OpenAIBackend
from llm.prices import MICRODOLLARS, Price, Prices
from llm.stages import StageOptions
from llm.synthesis import SYNTH, ModelSynthesizer
from llm.verifying import VERIFY, ModelVerifier
from rules.embedding import belongs
from rules.models import EmbeddingSpace

EXTRACT = StageOptions(effort=Effort.LOW, max_tokens=8_000, timeout=30.0)  # newer models think before they write
_OPTIONS = {"extract": EXTRACT, "synth": SYNTH, "verify": VERIFY}


@cache
def config() -> Config:
    """The set-up of this process. Raises llm.config_faults.BadConfig."""
    return read_config(config_file(), os.environ)


def config_file() -> Path | None:
    """judge.toml: where JUDGE_CONFIG says, else in the checkout or in JUDGE_HOME; None where there is none.

    Raises BadConfig where both have one: neither may go unread.
    """
    if settings.JUDGE_CONFIG:
        return Path(settings.JUDGE_CONFIG).expanduser()
    places = dict.fromkeys(Path(folder).resolve() / "judge.toml" for folder in (settings.BASE_DIR, settings.JUDGE_HOME))
    found = [file for file in places if file.exists()]
    if len(found) > 1:
        both = " and ".join(map(str, found))
        raise BadConfig("judge.toml", [f"there are two, {both}; remove one, or name one in JUDGE_CONFIG"])
    return found[0] if found else None


def ledger(given: Config) -> PostgresLedger:
    """Where the money of *given* is counted."""
    webhook = "" if _alert_fault(given) else given.webhook
    cap = Cap(round(given.spend.cap * MICRODOLLARS), Period(given.spend.period), webhook)
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
            yield f"{name}: {what}{_variable(given, stage, what)}; until then questions are answered without this model"
    embeds = http_embeddings(given)
    if embeds is not None and (what := embeds.missing()):
        yield f"embed: {what}{_variable(given, given.stages.embed, what)}; until then rules are not found by meaning"
    if fault := _alert_fault(given):
        yield f"alerts: {fault}; until then nobody is told when the cap is reached"


def _variable(given: Config, stage: ChatStage | EmbedStage | None, what: str) -> str:
    """The environment variable that is wanted, where it is a key that is missing."""
    if stage is None or "key" not in what:
        return ""
    return f" (environment variable {given.providers[stage.provider].api_key_env})"


def _alert_fault(given: Config) -> str | None:
    """Why no alert can be sent, where one is asked for."""
    name = given.spend.alert_webhook_env
    if name is None:
        return None
    if not given.webhook:
        return f"the environment variable {name} is not set"
    is_address = given.webhook.startswith(("https://", "http://")) and given.webhook.isprintable()
    return None if is_address else f"the environment variable {name} holds no address"


def unpriced(given: Config) -> Iterator[str]:
    """The models *given* asks whose price nobody knows, so that the dearest known is assumed."""
    table = prices(given)
    yield from (model for model in sorted(models_of(given)) if not table.is_known(model))


def models_of(given: Config) -> set[str]:
    """Every model *given* asks, embeddings included."""
    chats = {stage.model for name in CHAT_STAGES if (stage := given.stage(name)) is not None}
    remote = http_embeddings(given)
    return chats if remote is None else chats | {remote.model}


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

    Raises llm.local.UnknownEmbedder, llm.config_faults.BadConfig.
    """
    given = config()
    remote = http_embeddings(given)
    if remote is not None:
        return None if remote.missing() else MeteredEmbedder(backend=remote, meter=meter(), clock=time.monotonic)
    return local_embedder(local_model(given))


def embeds() -> bool:
    """Whether anything is set up to make vectors here. Raises llm.config_faults.BadConfig."""
    if http_embeddings(config()) is not None:
        return True
    return local_model(config()) != "none"


def local_model(given: Config) -> str:
    """The local embedder of *given*: of judge.toml's embed stage, else of JUDGE_EMBEDDER."""
    stage = given.stages.embed
    return settings.JUDGE_EMBEDDER if stage is None else stage.model


def space_of(given: Config) -> Space | None:
    """The space *given* embeds into, without loading anything; None for none. Raises llm.local.UnknownEmbedder."""
    remote = http_embeddings(given)
    return space_named(local_model(given)) if remote is None else remote.space


def space_problem(given: Config) -> str | None:
    """What to do where the stored vectors are another model's than *given*'s; None where they fit, or none are stored.

    They are not embedded anew unasked: that takes minutes, or money, and the old ones would be gone (D95).
    """
    try:
        space = space_of(given)
    except UnknownEmbedder as error:
        return str(error)
    stored = EmbeddingSpace.objects.first()
    if space is None or stored is None or belongs(stored, space):
        return None
    return (
        f"the stored vectors were made by {stored}, "
        f"the set-up asks for {space.provider}/{space.model} ({space.width}); "
        "rules are not found by meaning until `script/judge embed_rules --switch` has embedded them anew"
    )


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
