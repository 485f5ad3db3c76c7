"""The real judge, wired from settings, over the sample corpus: every part at work, no model, no embedder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from calls import wiring
from calls.models import Call
from calls.setup import Origins, load_essentials
from judgesite.paths import CHECKOUT
from web.examples import SAMPLE_EXAMPLES

pytestmark = pytest.mark.django_db


@pytest.fixture
def sample(tmp_path: Path, settings: Any) -> Iterator[None]:
    settings.JUDGE_EMBEDDER = "none"
    load_essentials(
        Origins(folder=None, sample=CHECKOUT / "data" / "sample", work_dir=tmp_path, is_offline=True),
        say=lambda _line: None,
    )
    _forget()
    yield
    _forget()


def _forget() -> None:
    """A process wires once; a test with settings of its own wires anew."""
    for built in (wiring.judge, wiring.corpus, wiring.store):
        built.cache_clear()


def ask(question: str, **fields: object) -> Any:
    return Client().post("/api/judge", {"question": question, **fields}, content_type="application/json").json()


@pytest.mark.parametrize("question", SAMPLE_EXAMPLES)
def test_every_sample_question_is_answered_with_quotes_and_pages_that_exist(sample: None, question: str) -> None:
    shown = ask(question)

    assert shown["kind"] == "extractive"
    assert shown["cards"]
    assert {one["kind"] for one in shown["citations"]} >= {"rule", "oracle_text"}
    assert any("Sample data" in line for line in shown["notices"])
    for link in [*shown["citations"], *shown["cards"]]:
        assert link["quote"] in link["text"] if "quote" in link else True
        assert Client().get(link["url"].partition("#")[0]).status_code == 200


def test_an_answer_is_kept_with_its_trace_and_a_private_one_is_not(sample: None) -> None:
    kept, private = ask(SAMPLE_EXAMPLES[0]), ask(SAMPLE_EXAMPLES[0], private=True)

    call = Call.objects.get()
    assert (kept["call"], private["call"]) == (call.pk, None)
    assert call.kind == "extractive"
    assert any(rule["shown"] for rule in call.trace["ranked"])
    assert "extract" in call.trace["milliseconds"]


def test_an_open_name_is_asked_back_and_the_pick_answers_it(sample: None) -> None:
    (span,) = ask("does [[Emberfang]] fly?")["spans"]
    picked = {"span": span["span"], "name": span["candidates"][0]["name"]}

    shown = ask("does [[Emberfang]] fly?", pins=[picked])
    assert shown["kind"] == "extractive"
    assert [card["name"] for card in shown["cards"]] == ["Emberfang Drake"]


def test_without_an_embedder_nothing_waits_for_embedding(sample: None) -> None:
    assert Client().get("/api/health").json()["embedding"] == {"done": 0, "total": 0}
    assert not any("embedding" in line for line in ask(SAMPLE_EXAMPLES[0])["notices"])


def test_before_anything_is_loaded_a_question_is_told_so(settings: Any) -> None:
    settings.JUDGE_EMBEDDER = "none"
    _forget()
    try:
        shown = ask("does trample work?")
    finally:
        _forget()

    assert shown["kind"] == "error"
    assert "rules" in shown["message"]
    assert shown["edition"] is None
