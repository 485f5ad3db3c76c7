from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from rules.embedding import embed_rules
from rules.lexemes import lexemes_of
from rules.lookups import references_of, terms_named
from rules.models import Edition, Rule, RuleVector
from rules.querysets import TextHit
from rules.text_index import text_index
from rules.vector_index import VectorIndex
from tests.rules.invented import WordEmbedder, load_invented

pytestmark = pytest.mark.django_db


@pytest.fixture
def edition() -> int:
    return load_invented().pk


def search_text(edition: int, queries: list[str], limit: int) -> list[list[TextHit]]:
    return text_index(edition).search(lexemes_of(queries), limit)


def rules_found(edition: int, query: str) -> list[str]:
    (hits,) = search_text(edition, [query], 10)
    return [hit.id for hit in hits if not hit.is_leaf]


def leaves_found(edition: int, query: str) -> list[str]:
    (hits,) = search_text(edition, [query], 10)
    return [hit.id for hit in hits if hit.is_leaf]


def test_a_rule_is_found_by_a_word_of_its_subrule_and_the_subrule_beside_it(edition: int) -> None:
    assert rules_found(edition, "hats") == ["100.1"]
    assert leaves_found(edition, "hats") == ["100.1b"]


def test_the_rarer_word_counts_more(edition: int) -> None:
    assert rules_found(edition, "the game of chairs, loyal things")[0] in {"606.1", "100.1"}
    hits = {str(hit.id): hit.score for hit in search_text(edition, ["each player: ten life"], 10)[0]}
    assert hits["119.1"] > hits["100.1"]


def test_a_stop_word_that_carries_meaning_is_searched(edition: int) -> None:
    assert leaves_found(edition, "through") == ["702.2b"]


def test_a_word_that_stands_only_in_the_heading_finds_the_rule(edition: int) -> None:
    assert rules_found(edition, "glowing") == ["702.2"]


def test_many_queries_are_answered_apart_in_one_round_trip(edition: int) -> None:
    search_text(edition, ["hat"], 1)  # reads the postings
    queries = ["hat", "nothing-of-the-kind", "loyal", ""]
    with CaptureQueriesContext(connection) as captured:
        found = search_text(edition, queries, 10)
    assert len(captured) == 1
    assert [[hit.id for hit in hits if not hit.is_leaf] for hits in found] == [["100.1"], [], ["606.1"], []]


def test_no_queries_ask_nothing(edition: int) -> None:
    search_text(edition, ["hat"], 1)  # reads the postings
    with CaptureQueriesContext(connection) as captured:
        assert search_text(edition, [], 10) == []
    assert len(captured) == 0


@pytest.mark.parametrize("text", ["'; DROP TABLE rules_rule; --", "a & | !( b:*", "100% %s %(kept)s", "hat\0hat", "\\"])
def test_operators_and_quotes_in_a_question_are_just_words(edition: int, text: str) -> None:
    search_text(edition, [text], 10)
    assert Rule.objects.count() == 9


def test_only_the_limit_comes_back_best_first(edition: int) -> None:
    (hits,) = search_text(edition, ["player hat life loyal things glowing words"], 2)
    rules = [hit for hit in hits if not hit.is_leaf]
    assert len(rules) == 2
    assert rules[0].score >= rules[1].score


def test_other_editions_are_not_searched(edition: int) -> None:
    assert rules_found(edition + 1, "hat") == []


def test_sections_rules_and_whole_chapters_are_told_apart(edition: int) -> None:
    rules = Rule.objects.of(edition)
    assert [rule.number for rule in rules.in_sections(["702"])] == ["702.1", "702.2"]
    assert [rule.number for rule in rules.in_sections(["702.2", "6"])] == ["606.1", "702.2"]
    assert not rules.in_sections([])


def test_headings_lead_to_their_rule_whatever_the_case(edition: int) -> None:
    assert Rule.objects.headings(edition) == {"glowing": "702.2"}
    assert [rule.number for rule in Rule.objects.headed(["GLOWING"])] == ["702.2"]


def test_references_are_told_at_rule_level(edition: int) -> None:
    assert references_of(edition) == {"100.1": ["702.2"]}


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("My hats!", ["Hat"]),
        ("LIFE TOTAL", ["Life, Life Total"]),
        ("what is an old hat", ["Hat"]),  # the obsolete entry stays out
        ("that", []),
        ("", []),
    ],
)
def test_glossary_terms_are_found_as_whole_words(edition: int, text: str, terms: list[str]) -> None:
    assert [term.term for term in terms_named(edition, text, 5)] == terms


def test_vectors_find_the_nearest_rules_and_subrules_apart(edition: int) -> None:
    embedder = WordEmbedder()
    embed_rules(embedder)
    ((*hits,),) = VectorIndex().nearest(edition, embedder.space, [embedder.query("glow wall")], 1)
    assert [(hit.id, hit.is_leaf) for hit in hits] == [("702.2", False), ("702.2b", True)]
    assert hits[1].score == pytest.approx(1.0, abs=0.35)


def test_the_index_follows_what_is_embedded(edition: int) -> None:
    index, embedder = VectorIndex(), WordEmbedder()
    assert not index.has(edition, embedder.space)
    embed_rules(embedder)
    assert index.has(edition, embedder.space)
    assert not index.has(edition, WordEmbedder(model="other").space)
    Edition.objects.all().delete()
    assert not index.has(edition, embedder.space)


def test_the_index_follows_vectors_that_are_written_again(edition: int) -> None:
    index, embedder = VectorIndex(), WordEmbedder()
    embed_rules(embedder)
    asked = [embedder.query("glow wall")]
    before = index.nearest(edition, embedder.space, asked, 1)
    for vector in RuleVector.objects.filter(rule__number="702.2b"):
        RuleVector.objects.filter(pk=vector.pk).update(embedding=[-each for each in vector.embedding])
    assert index.has(edition, embedder.space)
    assert index.nearest(edition, embedder.space, asked, 1) != before


def test_whole_rules_are_left_out_where_they_do_not_count(edition: int) -> None:
    index, embedder = VectorIndex(), WordEmbedder()
    embed_rules(embedder)
    asked = [embedder.query("glow wall")]
    both, parts = (index.nearest(edition, embedder.space, asked, 2, rules=rules)[0] for rules in (True, False))
    assert parts == [hit for hit in both if hit.is_leaf]


def test_the_index_reads_vectors_once(edition: int) -> None:
    index, embedder = VectorIndex(), WordEmbedder()
    embed_rules(embedder)
    index.nearest(edition, embedder.space, [embedder.query("hat")], 3)
    with CaptureQueriesContext(connection) as captured:
        assert index.has(edition, embedder.space)
        index.nearest(edition, embedder.space, [embedder.query("hat"), embedder.query("life")], 3)
    assert len(captured) == 1  # whether anything has changed
