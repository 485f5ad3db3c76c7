"""The one object every door shows."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest
from django.urls import resolve

from calls.presentation import SAMPLE_NOTICE, notices, reply_object, spoken
from judge.raw import RawRule, RawRuling, RawVerdict
from judge.replies import OutOfScope
from judge.values import (
    CardSpan,
    Confidence,
    CorpusState,
    Note,
    Resolved,
    Reworded,
    RuleCitation,
    RuleId,
    RulingCitation,
    Rung,
    Source,
)
from judge.verdict import validate
from tests.calls.replies import (
    CONTEXT,
    DOUBTED,
    EDITION,
    EVERY_KIND,
    OWL,
    STATE,
    UNCITED,
    answered,
    doubted,
    extractive,
)


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_reply_names_its_kind_edition_and_notices(kind: str) -> None:
    shown = reply_object(EVERY_KIND[kind], STATE)

    assert shown["kind"] == kind
    assert shown["edition"] == "2031-02-03"
    assert shown["notices"] == []
    assert json.loads(json.dumps(shown)) == shown


@pytest.mark.parametrize("kind", ["answer", "extractive"])
def test_answers_carry_checked_quotes_with_labels_and_the_text_they_stand_in(kind: str) -> None:
    citations = reply_object(EVERY_KIND[kind], STATE)["citations"]

    assert [(one["kind"], one["label"]) for one in citations] == [
        ("rule", "113.7a Abilities"),
        ("ruling", "Pellona, Lantern Owl, ruling of 2030-05-06"),
        ("oracle_text", "Pellona, Lantern Owl"),
    ]
    assert all(one["quote"] in one["text"] for one in citations)


@pytest.mark.parametrize("kind", ["answer", "extractive", "ambiguous"])
def test_every_url_is_an_address_of_this_site(kind: str) -> None:
    shown = reply_object(EVERY_KIND[kind], STATE)
    urls = [one["url"] for one in [*shown.get("citations", ()), *shown.get("cards", ())]]
    urls += [card["url"] for span in shown.get("spans", ()) for card in span["candidates"]]

    assert urls
    for url in urls:
        assert resolve(url.partition("?")[0].partition("#")[0]).url_name in ("rule", "card", "glossary")


def test_an_answer_says_which_words_named_the_card_and_what_was_read() -> None:
    shown = reply_object(answered(), STATE)

    assert shown["cards"] == [{"name": OWL.name, "url": "/cards/pellona-lantern-owl", "span": "owl"}]
    assert shown["read"] == {"rules": 1, "rulings": 1, "glossary": 1, "calls": 0}
    assert (shown["confidence"], shown["call"]) == ("high", 7)


@pytest.mark.parametrize(
    ("span", "rung", "called"),
    [
        ("owl's", Rung.ALIAS_STRIPPED, "owl"),
        ("owls’", Rung.ALIAS_STRIPPED, "owls"),
        ("Owl's", Rung.ALIAS, "Owl's"),
    ],
)
def test_a_possessive_is_not_part_of_what_a_card_was_called(span: str, rung: Rung, called: str) -> None:
    reply = replace(answered(), resolved=(Resolved(CardSpan(span), OWL, rung),))

    assert reply_object(reply, STATE)["cards"][0]["span"] == called


def test_an_extractive_answer_says_why_no_model_answered_and_which_names_are_unknown() -> None:
    shown = reply_object(extractive(), STATE)

    assert shown["reason"] == "No language model is set up here."
    assert shown["not_found"] == ["Glimmerfrog"]


def test_doubtful_claims_and_remarks_are_data() -> None:
    reply = reply_object(doubted(), STATE)

    assert reply["doubtful"] == [{"text": DOUBTED, "support": "weak"}, {"text": UNCITED, "support": "uncited"}]
    assert reply["remarks"] == ["The question was read without a model."]
    assert reply_object(answered(), STATE)["doubtful"] == []


SAYING = "A triggered ability stays on the stack without its source. Removing the source changes nothing."


@pytest.mark.parametrize(
    ("said", "since", "cautioned"),
    [
        (SAYING, date(2030, 6, 1), True),
        (SAYING, date(2030, 5, 6), False),  # of the same day
        ("The look happens even without the owl.", date(2030, 6, 1), False),  # of another subject
    ],
)
def test_a_ruling_older_than_the_wording_of_a_rule_on_the_same_thing_is_cautioned(
    said: str, since: date, cautioned: bool
) -> None:
    ruling = replace(CONTEXT.rulings[0], text=said)
    context = replace(CONTEXT, rulings=(ruling,), reworded=(Reworded(RuleId("113.7a"), since),))
    cited = (
        RuleCitation(RuleId("113.7a"), SAYING),
        RulingCitation(ruling.card, ruling.key, said),
    )
    raw = RawVerdict(
        answer="Yes. The trigger still resolves, as both of these say [1][2].",
        confidence=Confidence.HIGH,
        citations=(
            RawRule(kind="rule", id="113.7a", quote=SAYING),
            RawRuling(kind="ruling", card=str(ruling.card), key=ruling.key, quote=said),
        ),
    )
    verdict = validate(raw, context, Source.CR)
    assert verdict.citations == cited
    rule, shown = reply_object(replace(answered(), verdict=verdict, context=context), STATE)["citations"]
    assert "caution" not in rule
    assert shown.get("caution", "") == (
        "Reworded since this ruling: 113.7a (2030-06-01). Where a ruling and a rule disagree, the rule counts."
        if cautioned
        else ""
    )


def test_what_the_curators_note_on_a_card_is_told_apart_from_quotes() -> None:
    context = replace(CONTEXT, notes=(Note(OWL.id, "It looks from beyond the grave."),))
    shown = reply_object(replace(extractive(), context=context), STATE)
    assert shown["notes"] == [{"card": OWL.name, "text": "It looks from beyond the grave."}]


def test_a_private_answer_has_no_call() -> None:
    assert reply_object(answered(call=None), STATE)["call"] is None


def test_ambiguity_is_data() -> None:
    (span,) = reply_object(EVERY_KIND["ambiguous"], STATE)["spans"]

    assert span["span"] == "lantern"
    assert [one["name"] for one in span["candidates"]] == ["Pellona, Lantern Owl", "Lantern Moth"]


def test_tournament_questions_are_sent_to_the_tournament_documents_and_others_are_not() -> None:
    assert reply_object(OutOfScope(Source.TOURNAMENT), STATE)["pointers"]
    assert reply_object(OutOfScope(Source.OUT_OF_SCOPE), STATE)["pointers"] == []


@pytest.mark.parametrize(("kind", "wait"), [("busy", "5 seconds"), ("rate_limited", "8 minutes")])
def test_refusals_say_when_to_come_back(kind: str, wait: str) -> None:
    shown = reply_object(EVERY_KIND[kind], STATE)

    assert shown["retry_after"] > 0
    assert wait in shown["message"]


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_sample_data_is_said_with_every_reply(kind: str) -> None:
    assert SAMPLE_NOTICE in reply_object(EVERY_KIND[kind], replace(STATE, sample=True))["notices"]


def test_what_is_not_there_yet_is_said_without_rounding_up() -> None:
    state = CorpusState(edition=EDITION, embedded=999, to_embed=1000, loading=("the cards",))
    loading, embedding = notices(state)

    assert "the cards" in loading
    assert "(99%)" in embedding


def test_before_rules_are_loaded_there_is_no_edition() -> None:
    assert reply_object(EVERY_KIND["error"], CorpusState(edition=None))["edition"] is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "1 second"),
        (99, "99 seconds"),
        (100, "2 minutes"),
        (5940, "99 minutes"),
        (5941, "2 hours"),
        (86_400, "24 hours"),
    ],
)
def test_a_wait_is_never_told_shorter_than_it_is(seconds: int, words: str) -> None:
    assert spoken(seconds) == words
