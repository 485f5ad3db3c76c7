"""The pages citations link to."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from calls.about import about
from calls.presentation import reply_object
from cards.models import BulkFile, Card
from rules.models import Edition
from tests.calls.replies import STATE, answered

pytestmark = pytest.mark.django_db


def get(path: str) -> Any:
    return Client().get(path)


def text(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def test_every_page_a_reply_links_to_is_there(edition: Edition, owl: Card) -> None:
    shown = reply_object(answered(), STATE)
    for link in [*shown["citations"], *shown["cards"]]:
        path, _, anchor = link["url"].partition("#")
        response = get(path)
        assert response.status_code == 200
        if anchor:
            assert f'id="{anchor}"' in response.content.decode()


def test_a_rule_has_its_subrules_examples_and_neighbours(edition: Edition) -> None:
    response = get("/rules/113.7")
    seen, body = text(response), response.content.decode()

    assert "113 Abilities" in seen
    assert "Its source is &lt;i&gt;where&lt;/i&gt; it came from." in body
    assert "<i>" not in body
    assert "Example: The owl leaves, its trigger stays." in seen
    assert 'rel="next" href="/rules/113.8?edition=2031-02-03"' in body
    assert 'rel="prev"' not in body


def test_a_subrule_is_marked_in_its_rule_and_rule_numbers_are_links(edition: Edition) -> None:
    body = get("/rules/113.7a").content.decode()

    assert body.count('aria-current="true"') == 1
    assert 'id="113.7a" aria-current="true"' in body
    assert "aria-current" not in get("/rules/113.7").content.decode()
    assert 'See rule <a href="/rules/113.7?edition=2031-02-03">113.7</a>.' in body


def test_a_section_lists_its_rules(edition: Edition) -> None:
    seen = text(get("/rules/113"))

    assert "113.7" in seen
    assert "113.8 The next rule." in seen


def test_an_older_edition_says_that_it_is_not_current(edition: Edition, older: Edition) -> None:
    old, new = text(get("/rules/113.7?edition=2030-01-01")), text(get("/rules/113.7"))

    assert "effective January 1, 2030" in old
    assert "Not the current edition" in old
    assert "effective February 3, 2031" in new
    assert "Not the current edition" not in new


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/rules/999.9", "no rule 999.9"),
        ("/rules/113.7b", "no rule 113.7b"),
        ("/rules/abc", "no rule number"),
        ("/rules/113.7%00", "no rule number"),
        ("/rules/" + "9" * 3_000, "no rule number"),
        ("/rules/999", "no section 999"),
        ("/rules/113.7?edition=2020-01-01", "not loaded"),
        ("/rules/113.7?edition=soon", "is a date"),
        ("/rules/113.7?edition=2031-02-03%00", "is a date"),
        ("/cards/nobody", "no card"),
        ("/cards/%00", "no card"),
        ("/cards/" + "x" * 5_000, "no card"),
        ("/cards/00000000-0000-4000-8000-00000000ffff", "no card"),
        ("/cards/zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz", "no card"),
        ("/glossary/nothing", "no such term"),
        ("/glossary/%00", "no such term"),
        ("/nowhere", "nothing at this address"),
    ],
)
def test_what_is_not_there_is_a_page_that_says_so(edition: Edition, path: str, said: str) -> None:
    response = get(path)

    assert response.status_code == 404
    assert said in text(response)


def test_before_rules_are_loaded_the_rules_page_says_so() -> None:
    response = get("/rules/113.7")

    assert response.status_code == 404
    assert "No rules are loaded yet" in text(response)


def test_a_card_has_its_faces_and_rulings(owl: Card) -> None:
    seen = text(get("/cards/pellona-lantern-owl"))

    assert "Pellona, Lantern Owl {1}{B}" in seen
    assert "look at the top card of your library" in seen
    assert "2/1" in seen
    assert "May 6, 2030 The look happens even without the owl." in seen
    assert "Vintage not legal" in seen


@pytest.mark.parametrize("slug", ["Pellona%2C%20Lantern%20Owl", "PELLONA-LANTERN-OWL"])
def test_other_spellings_lead_to_the_one_address(owl: Card, slug: str) -> None:
    response = get(f"/cards/{slug}")

    assert response.status_code == 302
    assert response.headers["Location"] == "/cards/pellona-lantern-owl"


def test_a_card_is_found_by_its_id(owl: Card) -> None:
    assert get(f"/cards/{owl.oracle_id}").status_code == 200


def test_cards_of_one_name_are_a_choice(owl: Card) -> None:
    twin = Card.objects.create(
        oracle_id="00000000-0000-4000-8000-000000000009", name=owl.name, folded=owl.folded, layout="normal"
    )
    body = get("/cards/pellona-lantern-owl").content.decode()

    assert f"/cards/{owl.oracle_id}" in body
    assert f"/cards/{twin.oracle_id}" in body


def test_a_glossary_term_has_its_text_and_links(edition: Edition) -> None:
    body = get("/glossary/source").content.decode()

    assert "<h1>Source</h1>" in body
    assert '<a href="/rules/113.7?edition=2031-02-03">113.7</a>' in body


@pytest.mark.parametrize("path", ["/rules/113.7", "/cards/x", "/glossary/source"])
def test_pages_are_read_only(edition: Edition, path: str) -> None:
    assert Client().post(path).status_code == 405


def about_text(settings: Any, **given: str) -> str:
    for name in ("JUDGE_SOURCE_URL", "JUDGE_OPERATOR", "JUDGE_COMMIT"):
        setattr(settings, name, given.get(name, ""))
    about.cache_clear()
    try:
        response = get("/about")
        assert response.status_code == 200
        return text(response)
    finally:
        about.cache_clear()


def test_the_about_page_names_source_operator_and_the_age_of_the_data(edition: Edition, settings: Any) -> None:
    BulkFile.objects.create(kind="oracle_cards", origin="x", sha256="0" * 64, updated_at="2031-02-01T09:00:00", rows=7)
    given = {"JUDGE_SOURCE_URL": "https://example.org/judge", "JUDGE_OPERATOR": "The Guild", "JUDGE_COMMIT": "c0ffee"}
    seen = about_text(settings, **given)
    for words in ("https://example.org/judge", "The Guild", "commit c0ffee", "AGPL-3.0-or-later", "February 3, 2031"):
        assert words in seen
    assert "Oracle cards: 7 entries, as of February 1, 2031" in seen


def test_the_about_page_says_in_words_what_the_operator_left_out(
    edition: Edition, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calls.about._git", lambda *_arguments: "")
    seen = about_text(settings)
    assert "has not given a name ( JUDGE_OPERATOR )" in seen
    assert "has not said where the source of this judge is ( JUDGE_SOURCE_URL )" in seen


def test_the_about_page_stands_while_the_database_is_down(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    def down(*_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("web.pages.bulk_files", down)
    monkeypatch.setattr("calls.adapters.corpus.PostgresCorpus.state", down)
    assert "AGPL-3.0-or-later" in about_text(settings)
