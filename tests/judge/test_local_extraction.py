"""Words, evidence, languages and topics of questions, without a database."""

from __future__ import annotations

import pytest

from judge.languages import language_of
from judge.local_extraction import extraction_of
from judge.mentions import ENOUGH, Candidate, Doubt, Kind, bare, candidates, evidence, longest_first, words_of
from judge.translation import ForeignTerm, Translation
from judge.values import CardSpan, Source
from judge.vocabulary import Term, Topic, Vocabulary, phrases

VOCABULARY = Vocabulary(
    terms=(
        Term(phrases(["die", "dies"]), "put into a graveyard from the battlefield", ("700",)),
        Term(phrases(["fizzle*"]), "all its targets are illegal", ("608",)),
        Term(phrases(["in response"]), "player with priority", ("117",)),
    ),
    foreign={"fr": Translation((ForeignTerm(("contact mortel",), "deathtouch", "702"),))},
    sources={
        "tournament": Topic(phrases(["slow play"]), phrases(["judge", "warning"])),
        "commander": Topic(phrases(["edh"]), phrases([])),
        "out_of_scope": Topic(phrases(["price"]), phrases([])),
    },
)
CATEGORIES = [("targeting", phrases(["target", "illegal target"])), ("zones", phrases(["graveyard", "dies"]))]


def weigh(text: str, name: str, doubt: Doubt) -> int:
    words = words_of(text)
    (found,) = [each for each in candidates(text, words) if each.text == name]
    return evidence(text, words, found, doubt)


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("he casts gleam on my knight", "gleam", Kind.NAME),
        ("I respond with Gleam", "Gleam", Kind.NAME),
        ("what does “gleam” do", "gleam", Kind.NAME),
        ("gleam resolves, what now", "gleam", Kind.NAME),
        ("does my gleam hit it", "gleam", Kind.NAME),
        ("he zaps the token", "zaps", Kind.ALIAS),
        ("can i zap his 2/2 knight", "zap", Kind.ALIAS),
        ("i zap him in response", "zap", Kind.ALIAS),
        ("can i zap it", "zap", Kind.ALIAS),
        ("copies a zap", "zap", Kind.ALIAS),
    ],
)
def test_the_sentence_makes_a_word_a_card(text: str, name: str, kind: Kind) -> None:
    assert weigh(text, name, Doubt(kind)) >= ENOUGH


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("i gleam to pay nothing", "gleam", Kind.NAME),
        ("a gleam or any other spell", "gleam", Kind.NAME),
        ("the gleam of victory", "gleam", Kind.NAME),
        ("is a gleam effect enough", "gleam", Kind.NAME),
        ("can it gleam it for free", "gleam", Kind.NAME),
        ("the zap of the day", "zap", Kind.ALIAS),
        ("can i zap the gap", "zap", Kind.ALIAS),
        ("my plan is to zap him out", "zap", Kind.ALIAS),
        ("i zap it out on paper", "zap", Kind.ALIAS),
        ("i zap all my creatures", "zap", Kind.ALIAS),
        ("he made a zap once", "zap", Kind.ALIAS),
    ],
)
def test_a_plain_word_stays_a_word(text: str, name: str, kind: Kind) -> None:
    assert weigh(text, name, Doubt(kind)) < ENOUGH


@pytest.mark.parametrize(
    "text",
    [
        "I cast Gleam on my knight",
        "does my card Gleam hit it",
        "the aura Gleam falls off",
        "a copy of Gleam",
        "when Gleam resolves",
    ],
)
def test_a_term_of_the_rules_is_a_card_where_it_is_called_one(text: str) -> None:
    assert weigh(text, "Gleam", Doubt(Kind.NAME, 1, term=True)) >= ENOUGH


@pytest.mark.parametrize(
    "text",
    [
        "does Gleam stop my creature",
        "can I counter a spell with Gleam?",
        "what does “Gleam” do",
        "my knight has Gleam and flying",
        "can I counter Gleam",
        "in response I activate Gleam of my knight",
    ],
)
def test_neither_a_capital_nor_a_quote_makes_a_term_of_the_rules_a_card(text: str) -> None:
    assert weigh(text, "Gleam", Doubt(Kind.NAME, 1, term=True)) < ENOUGH


def test_a_capital_makes_no_nickname_of_a_term_of_the_rules() -> None:
    assert weigh("is Gleam enough", "Gleam", Doubt(Kind.ALIAS)) >= ENOUGH
    assert weigh("is Gleam enough", "Gleam", Doubt(Kind.ALIAS, term=True)) < ENOUGH
    assert weigh("my knight with Gleam", "Gleam", Doubt(Kind.ALIAS, term=True)) < ENOUGH


def test_a_word_that_is_no_verb_elsewhere_needs_only_an_object() -> None:
    assert weigh("he zaps the knight", "zaps", Doubt(Kind.ALIAS, verb=False)) >= ENOUGH
    assert weigh("he zaps the knight", "zaps", Doubt(Kind.ALIAS)) < ENOUGH


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("zap with a shield out", "zap", 1),
        ("does zap kill it", "zap", 1),
        ("zap my knight", "zap", 1),
        ("zap my token", "zap", 2),
        ("is there a zap here", "zap", 0),
        ("what zap are we in", "zap", 0),
        ("zap out of here", "zap", 0),
    ],
)
def test_a_nickname_stands_without_an_article(text: str, name: str, expected: int) -> None:
    words = words_of(text)
    (found,) = [each for each in candidates(text, words) if each.text == name]
    assert bare(words, found, frozenset()) == expected


def test_what_is_named_is_hit() -> None:
    text = "can i zap his knight"
    words = words_of(text)
    (found,) = [each for each in candidates(text, words) if each.text == "zap"]
    assert evidence(text, words, found, Doubt(Kind.ALIAS), named=frozenset({4})) >= ENOUGH
    assert evidence(text, words, found, Doubt(Kind.ALIAS)) < ENOUGH


def test_a_capital_proves_nothing_in_german() -> None:
    text = "wenn der Glanz erscheint"
    words = words_of(text)
    (found,) = [each for each in candidates(text, words) if each.text == "Glanz"]
    assert evidence(text, words, found, Doubt(Kind.FOREIGN)) >= ENOUGH
    assert evidence(text, words, found, Doubt(Kind.FOREIGN), german=True) < ENOUGH


def test_candidates_stay_within_a_sentence_and_read_over_punctuation() -> None:
    text = "Ash // Ember dies. Rime too"
    folded = {found.folded for found in candidates(text, words_of(text))}
    assert {"ash ember", "rime"} <= folded
    assert "dies rime" not in folded


def test_an_elided_article_is_a_word_of_its_own() -> None:
    text = "l’autel et qu'un"
    assert [word.text for word in words_of(text)] == ["l’", "autel", "et", "qu'", "un"]


def test_signs_of_a_script_without_spaces_are_words() -> None:
    assert "稲妻" in {found.text for found in candidates("稲妻を", words_of("稲妻を"))}


def test_the_longest_name_wins_where_names_overlap() -> None:
    long, short = Candidate(0, 2, "first lantern bearer", ""), Candidate(2, 3, "bearer song", "")
    assert longest_first([short, long]) == (long,)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("does my creature die when it is blocked", "en"),
        ("est-ce que ma créature meurt si elle est bloquée", "fr"),
        ("stirbt meine Kreatur, wenn sie geblockt wird", "de"),
        ("¿muere mi criatura?", "es"),
        ("la mia creatura muore se viene bloccata", "it"),
        ("a minha criatura morre se for bloqueada? não sei se ela tem isso", "pt"),
        ("クリーチャーは死亡しますか", "ja"),
        ("生物会死吗", "zh"),
        ("생물이 죽나요", "ko"),
        ("умирает ли существо", "ru"),
        ("Gleam", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_told_by_script_or_function_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_players_words_become_the_rules_words() -> None:
    found = extraction_of("if it dies in response does my spell fizzled", [], "en", VOCABULARY, CATEGORIES)
    assert found.concepts == (
        "player with priority",
        "all its targets are illegal",
        "put into a graveyard from the battlefield",
    )
    assert found.sections == ("117", "608", "700")
    assert found.primary == "zones"


def test_foreign_terms_are_put_into_english() -> None:
    found = extraction_of("le contact mortel tue", [], "fr", VOCABULARY, CATEGORIES)
    assert found.question_en == "le deathtouch tue"
    assert found.concepts == ("deathtouch",)
    assert found.answer_language == "fr"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("is slow play a thing when it dies", Source.TOURNAMENT),
        ("the judge said it dies", Source.CR),
        ("the judge gave a warning", Source.TOURNAMENT),
        ("edh: it dies", Source.COMMANDER),
        ("the price when it dies", Source.OUT_OF_SCOPE),
        ("will it rain", Source.OUT_OF_SCOPE),
    ],
)
def test_the_source_is_told_by_words(text: str, source: Source) -> None:
    assert extraction_of(text, [], "en", VOCABULARY, CATEGORIES).source is source


def test_a_question_that_names_a_card_or_follows_up_is_about_magic() -> None:
    assert extraction_of("will it", [CardSpan("gleam")], "en", VOCABULARY, []).source is Source.CR
    assert extraction_of("will it", [], "en", VOCABULARY, [], follows_up=True).source is Source.CR


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("702.19b", Source.CR),
        ("what does 603.4 say", Source.CR),
        ("rule 702", Source.CR),
        ("how much is 702", Source.OUT_OF_SCOPE),
        ("version 1.702.19", Source.OUT_OF_SCOPE),
    ],
)
def test_a_rule_asked_for_by_number_is_a_question(text: str, source: Source) -> None:
    assert extraction_of(text, [], "en", VOCABULARY, []).source is source
