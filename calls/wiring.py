"""The composition root: one Judge a process, built from settings; every door asks here."""

from __future__ import annotations

import gc
import time
from dataclasses import replace
from datetime import timedelta
from functools import cache

from calls.adapters.corpus import PostgresCorpus
from calls.adapters.failures import PostgresFailureStore
from calls.adapters.resolver import DatabaseResolver
from calls.adapters.retriever import PostgresRetriever
from calls.adapters.store import PostgresCallStore
from calls.model_wiring import config, configured_embedder, embeds, model_extractor, reasoning
from judge.pipeline import Judge
from judge.values import Question

_FIRST_QUESTION = "does a creature with trample that attacks have to deal damage to the creatures that block it?"


@cache
def store() -> PostgresCallStore:
    """Where calls are kept."""
    return PostgresCallStore()


@cache
def corpus() -> PostgresCorpus:
    """What tells which data is loaded."""
    return PostgresCorpus(embeds=embeds())


@cache
def judge() -> Judge:
    """The judge of this process. Loading the embedder takes about a second, so doors ask when a question comes."""
    from calls.adapters.extractor import LocalExtractor

    embedder, kept = configured_embedder(), config().failed_calls
    local = LocalExtractor(embedder)
    return Judge(
        extractor=model_extractor() or local,
        fallback=local,
        resolver=DatabaseResolver(),
        retriever=PostgresRetriever(embedder),
        corpus=corpus(),
        store=PostgresCallStore(embedder),
        reasoning=reasoning(embedder),
        failures=PostgresFailureStore(newest=kept.newest, age=timedelta(days=kept.days)),
        clock=time.monotonic,
    )


def warm_up() -> None:
    """Loads what the first question would wait for, embedder and indexes, by asking one that is not kept.

    No chat model is asked: a warm-up costs nothing but the query's vector, where a service makes those.
    """
    local = replace(judge(), extractor=judge().fallback or judge().extractor, reasoning=None)
    local.answer(Question(text=_FIRST_QUESTION, private=True, door="warm-up"))
    settle_heap()


def settle_heap() -> None:
    """Takes what was loaded for good out of the garbage collector's sight: looking through it costs 50 to 100 ms."""
    gc.collect()
    gc.freeze()
