"""The composition root: one Judge a process, built from settings; every door asks here."""

from __future__ import annotations

import time
from functools import cache

from django.conf import settings

from calls.adapters.corpus import PostgresCorpus
from calls.adapters.resolver import DatabaseResolver
from calls.adapters.retriever import PostgresRetriever
from calls.adapters.store import PostgresCallStore
from judge.pipeline import Judge
from judge.values import Question
from llm.local import local_embedder

_FIRST_QUESTION = "does a creature with trample that attacks have to deal damage to the creatures that block it?"


@cache
def store() -> PostgresCallStore:
    """Where calls are kept."""
    return PostgresCallStore()


@cache
def corpus() -> PostgresCorpus:
    """What tells which data is loaded."""
    return PostgresCorpus(embeds=settings.JUDGE_EMBEDDER != "none")


@cache
def judge() -> Judge:
    """The judge of this process. Loading the embedder takes about a second, so doors ask when a question comes."""
    from calls.adapters.extractor import LocalExtractor

    embedder = local_embedder(settings.JUDGE_EMBEDDER)
    return Judge(
        extractor=LocalExtractor(embedder),
        resolver=DatabaseResolver(),
        retriever=PostgresRetriever(embedder),
        corpus=corpus(),
        store=PostgresCallStore(embedder),
        clock=time.monotonic,
    )


def warm_up() -> None:
    """Loads what the first question would wait for, embedder and indexes, by asking one that is not kept."""
    judge().answer(Question(text=_FIRST_QUESTION, private=True, door="warm-up"))
