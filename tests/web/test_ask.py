"""The page a question is asked on, in every state, without script."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError
from django.test import Client

from cards.models import Card
from judge.values import Pin
from rules.models import Edition
from tests.calls.doors import Says
from tests.calls.replies import DOUBTED, EVERY_KIND, UNCITED, answered, doubted, noted
from web.examples import SAMPLE_EXAMPLES
from web.picks import encode_pick

pytestmark = pytest.mark.django_db
QUESTION = "does owl look with lantern?"


def post(question: str = QUESTION, **fields: object) -> Any:
    return Client().post("/", {"question": question, "thread": "t", **fields})


def text(response: Any) -> str:
    """What a reader sees: no tags, entities decoded, white space single."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def test_the_empty_page_has_a_labelled_box_and_examples(edition: Edition, owl: Card) -> None:
    response = Client().get("/")
    body = response.content.decode()

    assert response.status_code == 200
    assert '<label for="question"' in body
    assert '<textarea id="question" name="question"' in body
    assert body.count("csrfmiddlewaretoken") > 1
    assert "Rules of Feb 3, 2031" in body


def test_the_examples_fit_what_is_loaded(edition: Edition, owl: Card) -> None:
    assert "does bob's trigger" in text(Client().get("/"))

    Edition.objects.update(is_sample=True)
    sample = text(Client().get("/"))
    assert "Emberfang Drake" in sample
    assert "does bob's trigger" not in sample.partition("Try one")[2]

    Card.objects.all().delete()
    assert "Try one" not in text(Client().get("/"))


def test_the_sample_examples_name_cards_of_the_sample() -> None:
    (file,) = (settings.BASE_DIR / "data" / "sample").glob("oracle-cards-*.json")
    names = [name for card in json.loads(file.read_text()) for name in card["name"].replace(",", " //").split(" // ")]

    assert all(any(name in example for name in names) for example in SAMPLE_EXAMPLES)


def test_a_question_in_the_address_fills_the_box(edition: Edition) -> None:
    body = Client().get("/", {"q": "</textarea><b>"}).content.decode()

    assert "&lt;/textarea&gt;&lt;b&gt;</textarea>" in body


@pytest.mark.parametrize("method", ["get", "post"])
def test_nothing_inline_and_nothing_from_elsewhere(judge_says: Says, edition: Edition, method: str) -> None:
    judge_says(answered())
    response = Client().get("/") if method == "get" else post()
    body = response.content.decode()

    assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)", body)
    assert not re.findall(r'(?:src|rel="stylesheet" href)="https?://', body)


def test_every_form_needs_its_token(judge_says: Says) -> None:
    judge = judge_says(answered())
    response = Client(enforce_csrf_checks=True).post("/", {"question": QUESTION})

    assert response.status_code == 403
    assert "load it again" in text(response)
    assert not judge.asked


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("answer", 200),
        ("extractive", 200),
        ("ambiguous", 200),
        ("not_found", 200),
        ("out_of_scope", 200),
        ("busy", 503),
        ("rate_limited", 429),
        ("error", 503),
    ],
)
def test_every_state_has_the_question_and_a_box_to_ask_on(
    judge_says: Says, edition: Edition, kind: str, status: int
) -> None:
    judge_says(EVERY_KIND[kind])
    response = post()

    assert response.status_code == status
    assert QUESTION in text(response)
    assert '<textarea id="question"' in response.content.decode()
    assert response.headers.get("Retry-After") == {"busy": "5", "rate_limited": "421"}.get(kind)


def test_an_answer_has_the_ruling_first_then_reasons_then_quotes_in_their_text(
    judge_says: Says, edition: Edition
) -> None:
    judge_says(answered())
    response = post()
    body, seen = response.content.decode(), text(response)

    assert "<h2>Yes. The trigger still resolves.</h2>" in body
    assert '<a href="#quote-1" aria-label="Quote 1">1</a>' in body
    assert "<mark>A triggered ability stays on the stack without its source.</mark> Removing the source" in body
    assert "113.7a Abilities rule" in seen
    assert "Pellona, Lantern Owl 2030-05-06 official ruling" in seen
    assert "Cards: Pellona, Lantern Owl (from “owl”)" in seen
    assert "High confidence" in seen
    assert "1 rule, 1 ruling read" in seen
    assert "3 quotes checked" in seen
    assert (
        seen.index("The trigger still resolves") < seen.index("Once it has triggered") < seen.index("113.7a Abilities")
    )


def test_doubtful_claims_stand_right_under_the_answer(judge_says: Says, edition: Edition) -> None:
    judge_says(doubted())
    seen = text(post())

    assert f"“{DOUBTED}” is not clearly backed by its quote." in seen
    assert f"“{UNCITED}” points at no source." in seen
    assert "The question was read without a model." in seen
    assert seen.index("points at no source") < seen.index("113.7a Abilities")


def test_an_answer_without_doubts_has_no_such_box(judge_says: Says, edition: Edition) -> None:
    judge_says(answered())

    assert "doubtful" not in post().content.decode()


def test_an_extractive_answer_says_what_it_is(judge_says: Says, edition: Edition) -> None:
    judge_says(EVERY_KIND["extractive"])
    seen = text(post())

    assert "No model reasoned about this" in seen
    assert "No language model is set up here." in seen
    assert "Glimmerfrog" in seen
    assert "confidence" not in seen
    assert "judged" not in seen


def test_a_note_and_the_age_of_a_ruling_are_told(judge_says: Says, edition: Edition) -> None:
    judge_says(noted())
    seen = text(post())

    assert "Our note on Pellona, Lantern Owl, not a quote: It looks from beyond the grave." in seen
    assert "Reworded since this ruling: 113.7a (2030-07-08)." in seen


def test_did_you_mean_is_buttons_that_keep_question_and_earlier_picks(judge_says: Says, edition: Edition) -> None:
    judge = judge_says(EVERY_KIND["ambiguous"], answered())
    earlier = encode_pick("owl", "Night Owl")
    body = unescape(post(pick=earlier, private="1").content.decode())

    picked = encode_pick("lantern", "Lantern Moth")
    assert f'<button type="submit" name="pick" value="{picked}">Lantern Moth' in body
    assert f'<input type="hidden" name="pick" value="{earlier}">' in body
    assert f'<input type="hidden" name="question" value="{QUESTION}">' in body

    post(pick=[earlier, picked], private="1")
    question, pins = judge.asked[-1]
    assert question.text == QUESTION
    assert question.private
    assert pins == (Pin("owl", "Night Owl"), Pin("lantern", "Lantern Moth"))


@pytest.mark.parametrize("pick", ["", "x", "[]", '["owl"]', "[1, 2]", "null", '{"a": 1}', "[" * 5_000])
def test_a_pick_this_page_did_not_write_is_left_out(judge_says: Says, pick: str) -> None:
    judge = judge_says(answered())

    assert post(pick=pick).status_code == 200
    assert judge.asked[0][1] == ()


def test_unknown_cards_are_named_and_escaped(judge_says: Says, edition: Edition) -> None:
    judge_says(EVERY_KIND["not_found"])
    response = post()

    assert "No card is called “Glimmerfrog &lt;b&gt;” and “Owlbear”" in response.content.decode()
    assert "<b>" not in response.content.decode()


@pytest.mark.parametrize(("private", "stays"), [("", True), ("1", False)])
def test_an_answer_can_be_come_back_to_unless_it_is_private(judge_says: Says, private: str, stays: bool) -> None:
    judge_says(answered())
    cached = post(private=private).headers["Cache-Control"]

    assert "private" in cached
    assert ("no-store" not in cached) is stays


def test_tournament_questions_get_a_pointer(judge_says: Says, edition: Edition) -> None:
    judge_says(EVERY_KIND["out_of_scope"])

    assert 'href="https://wpn.wizards.com/en/rules-documents"' in post().content.decode()


@pytest.mark.parametrize(("kind", "wait"), [("busy", "5 seconds"), ("rate_limited", "8 minutes")])
def test_refusals_say_when_and_keep_the_question(judge_says: Says, edition: Edition, kind: str, wait: str) -> None:
    judge_says(EVERY_KIND[kind])
    response = post()

    assert wait in text(response)
    assert f'<input type="hidden" name="question" value="{QUESTION}">' in response.content.decode()


@pytest.mark.parametrize(
    ("question", "problem"),
    [("", "empty"), (" \n ", "empty"), ("\x00", "empty"), ("?!", "no words"), ("x" * 3_000, "at most 2,000")],
)
def test_what_is_no_question_is_told_beside_the_box(judge_says: Says, question: str, problem: str) -> None:
    judge_says(answered())
    response = post(question)

    assert response.status_code == 400
    assert problem in text(response)
    assert 'aria-describedby="problem"' in response.content.decode()


def test_a_hundred_kilobytes_are_told_on_a_page(judge_says: Says) -> None:
    judge = judge_says(answered())
    response = post("x" * 100_000)

    assert response.status_code == 400
    assert "far too long" in text(response)
    assert not judge.asked


def test_sample_data_is_said_on_every_page(judge_says: Says, edition: Edition, owl: Card) -> None:
    Edition.objects.update(is_sample=True)
    judge_says(answered())
    pages = [Client().get("/"), post(), Client().get("/rules/113.7"), Client().get("/cards/pellona-lantern-owl")]

    assert all("Sample data: these cards and rules are invented" in text(page) for page in pages)


def test_embedding_progress_is_a_line_that_goes_away(edition: Edition) -> None:
    assert "embedding is done (0%)" in text(Client().get("/"))

    Edition.objects.get().rules.all().delete()
    assert "embedding is done" not in text(Client().get("/"))


def test_the_page_stands_while_the_database_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("calls.adapters.corpus.PostgresCorpus.state", down)
    monkeypatch.setattr("calls.asking.admitted", down)

    assert Client().get("/").status_code == 200
    response = post()
    assert response.status_code == 503
    assert "database cannot be reached" in text(response)


def test_the_source_is_offered_on_the_page(edition: Edition) -> None:
    response = Client().get("/")
    assert "under AGPL-3.0-or-later" in text(response)
    assert '<a href="/about">Source</a>' in response.content.decode()


@pytest.mark.parametrize("name", ["judge.css", "judge.js", "icon.svg"])
def test_static_files_are_served(name: str) -> None:
    assert Client().get(f"/static/web/{name}").status_code == 200
