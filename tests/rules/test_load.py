from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import date
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection

from rules import load
from rules.load import Loaded, Policy, confirm, load_edition, reject
from rules.models import Edition, GlossaryTerm, Posting, Renumbering, Rule, RuleReference, RuleVector, Section
from rules.parser import parse_edition
from rules.passages import passage_hash
from tests.rules.cr_text import BODY, cr_bytes

pytestmark = pytest.mark.django_db

SAMPLE = "Sample data: an invented game.\n\n"


def effective(day: date) -> str:
    return f"These rules are effective as of {day:%B} {day.day}, {day.year}."


MARCH, APRIL, MAY = (date(2026, month, 5) for month in (3, 4, 5))


def load_text(day: date = MARCH, policy: Policy = Policy.AUTO, *, sample: bool = False, body: str = BODY) -> Loaded:
    data = cr_bytes(effective=(SAMPLE if sample else "") + effective(day), body=body)
    return load_edition(parse_edition(data), data, f"MagicCompRules {day:%Y%m%d}.txt", policy)


def embed(edition: Edition, numbers: Iterable[str] | None = None) -> None:
    """Gives rules of *edition* a vector that is told apart by its first float, the rule's position."""
    rules = Rule.objects.filter(edition=edition)
    RuleVector.objects.bulk_create(
        RuleVector(
            rule=rule, edition=edition, is_leaf=bool(rule.parent_id), embedding=[rule.position + 1.0, *[0.0] * 383]
        )
        for rule in (rules if numbers is None else rules.filter(number__in=numbers))
    )


def first_floats(edition: Edition) -> dict[str, float]:
    rows = RuleVector.objects.filter(edition=edition).select_related("rule")
    return {row.rule.number: float(row.embedding[0]) for row in rows}


def everything() -> dict[str, list[Any]]:
    """All rows of the rules tables, to tell whether anything changed."""
    models = (Edition, Section, Rule, RuleReference, Posting, GlossaryTerm, Renumbering)
    rows = {model.__name__: list(model.objects.order_by("pk").values()) for model in models}
    return rows | {"vectors": list(RuleVector.objects.order_by("pk").values_list("pk", "edition", "is_leaf"))}


def current() -> Edition | None:
    return Edition.objects.filter(is_current=True).first()


def test_everything_of_an_edition_is_stored() -> None:
    edition = load_text().edition
    assert (edition.effective, edition.is_current, edition.status, edition.is_sample) == (MARCH, True, "loaded", False)
    assert edition.counts["rules"] == 5
    titles = dict(Section.objects.filter(edition=edition).values_list("number", "title"))
    assert titles["7"] == "Additional Rules"
    assert titles["600"] == "General"
    numbers = list(Rule.objects.filter(edition=edition).order_by("position").values_list("number", flat=True))
    assert numbers == ["100.1", "100.1a", "100.1b", "119.1", "606.1", "702.1", "702.2", "702.2a", "702.2b"]


def test_rule_row_holds_its_subrules_and_a_subrule_only_itself() -> None:
    load_text()
    rule = Rule.objects.get(number="702.2")
    assert (rule.heading, rule.text, rule.section, rule.parent) == ("Glowing", "Glowing", "702", None)
    assert rule.body == (
        "Glowing\n702.2a Glowing is a static ability.\n702.2b A thing that glows can be seen through walls."
    )
    leaf = Rule.objects.get(number="100.1a")
    assert leaf.parent is not None
    assert leaf.parent.number == "100.1"
    assert leaf.body == "Each player sits.\nExample: Ana sits on a chair.\nExample: Ben sits on a bench."
    assert leaf.examples == ["Example: Ana sits on a chair.", "Example: Ben sits on a bench."]


def test_hash_is_of_the_embedded_text_and_a_subrule_stands_under_its_parents_heading() -> None:
    load_text()
    leaf = Rule.objects.get(number="702.2b")
    assert leaf.body_hash == passage_hash("Keyword Abilities", "Glowing", leaf.body)


def test_references_are_rows_and_sections_are_not() -> None:
    load_text()
    rows = set(RuleReference.objects.values_list("source__number", "target__number"))
    assert rows == {("100.1b", "702.2")}


def test_rule_that_does_not_exist_is_reported_and_no_row() -> None:
    loaded = load_text(body=BODY.replace("rule 702.2.", "rules 702.2a–d and 110.10."))
    assert loaded.unresolved == ("702.2c", "702.2d", "110.10")
    assert set(RuleReference.objects.values_list("target__number", flat=True)) == {"702.2a", "702.2b"}


def test_stop_words_that_matter_are_found() -> None:
    load_text()
    found = set(Posting.objects.filter(lexeme="through").values_list("rule__number", "is_leaf", "frequency"))
    assert found == {("702.2", False, 1), ("702.2b", True, 1)}
    assert not Posting.objects.filter(lexeme__in=["the", "a", "is"]).exists()


def test_words_are_stemmed_and_counted() -> None:
    load_text()
    assert Posting.objects.get(lexeme="glow", rule__number="702.2").frequency == 3  # Glowing, Glowing, glows
    assert Posting.objects.get(lexeme="sit", rule__number="100.1a").frequency == 3


def test_word_of_a_heading_alone_finds_the_rule_with_its_subrules() -> None:
    """FIELD A9: the subrule does not say the word its rule is named for."""
    load_text(body=BODY.replace("Glowing is a static", "This is a static"))
    found = set(Posting.objects.filter(lexeme="glow").values_list("rule__number", flat=True))
    assert found == {"702.2", "702.2b"}
    assert Rule.objects.get(number="702.2a").body_hash == passage_hash(
        "Keyword Abilities", "Glowing", "This is a static ability."
    )


def test_number_that_now_says_something_else_still_reads_as_it_did_in_its_edition() -> None:
    """FIELD A5: each edition answers for its own numbers, and the renumbering says where the text went."""
    moved = BODY.replace("119.1. Players start", "119.1. Life is good.\n\n119.2. Players start")
    march, april = load_text(MARCH).edition, load_text(APRIL, body=moved).edition
    texts = dict(Rule.objects.filter(number="119.1").values_list("edition", "text"))
    assert texts == {march.pk: "Players start with ten life.", april.pk: "Life is good."}
    assert Renumbering.objects.get(from_edition=march, to_edition=april, old_number="119.1").new_number == "119.2"


def test_word_that_is_also_a_stem_is_counted_once() -> None:
    load_text(body=BODY.replace("Each player sits.", "What a player owns is their own."))
    assert Posting.objects.get(lexeme="own", rule__number="100.1a").frequency == 2


def test_length_is_the_sum_of_the_frequencies() -> None:
    load_text()
    for rule in Rule.objects.prefetch_related("postings"):
        assert rule.length == sum(posting.frequency for posting in rule.postings.all()) > 0


def test_glossary_terms_are_stored_folded_with_their_forms() -> None:
    load_text()
    rows = {term.term: term for term in GlossaryTerm.objects.all()}
    assert rows["Life, Life Total"].folded == "life life total"
    assert rows["Life, Life Total"].forms == ["life", "life total"]
    assert (rows["Old Hat (Obsolete)"].folded, rows["Old Hat (Obsolete)"].is_obsolete) == ("old hat", True)


def test_second_run_changes_nothing() -> None:
    first = load_text()
    embed(first.edition)
    before = everything()
    again = load_text()
    assert (again.is_new, again.edition) == (False, first.edition)
    assert everything() == before


@pytest.mark.parametrize("order", [(MARCH, APRIL, MAY), (MAY, APRIL, MARCH), (APRIL, MAY, MARCH)])
def test_newest_is_current_in_whatever_order_they_are_loaded(order: tuple[date, ...]) -> None:
    for day in order:
        load_text(day)
    assert Edition.objects.get(is_current=True).effective == MAY
    assert Edition.objects.filter(status="loaded").count() == 3


def test_reissue_under_the_same_date_takes_over() -> None:
    load_text()
    reissued = load_text(body=BODY.replace("ten life", "twelve life")).edition
    assert current() == reissued
    assert Edition.objects.filter(effective=MARCH).count() == 2


def test_real_rules_go_before_the_sample_whatever_its_date() -> None:
    real = load_text(MARCH).edition
    sample = load_text(MAY, sample=True).edition
    assert sample.is_sample
    assert current() == real


def test_sample_is_current_until_real_rules_come_even_when_they_need_a_curator() -> None:
    sample = load_text(MAY, sample=True).edition
    assert current() == sample
    real = load_text(MARCH, Policy.CONFIRM).edition
    assert current() == real


def test_unchanged_rules_keep_their_vector() -> None:
    embed(load_text().edition)
    newer = load_text(APRIL, body=BODY.replace("ten life", "twelve life"))
    assert newer.vectors_kept == 8
    kept = first_floats(newer.edition)
    assert set(kept) == set(Rule.objects.filter(edition=newer.edition).values_list("number", flat=True)) - {"119.1"}
    assert kept["702.2b"] == Rule.objects.get(edition=newer.edition, number="702.2b").position + 1.0
    assert RuleVector.objects.filter(is_leaf=True).count() == 4


def test_renumbered_rule_keeps_its_vector_too() -> None:
    edition = load_text().edition
    embed(edition, ["702.1"])
    moved = BODY.replace("702.1. Some words", "702.1. Other words stand for nothing.\n\n702.2. Some words")
    moved = moved.replace("702.2. Glow", "702.3. Glow").replace("702.2a", "702.3a").replace("702.2b", "702.3b")
    newer = load_text(APRIL, body=moved).edition
    assert set(first_floats(newer)) == {"702.2"}


def test_vectors_of_what_is_neither_current_nor_pending_are_dropped() -> None:
    old = load_text().edition
    embed(old)
    load_text(APRIL)
    assert not RuleVector.objects.filter(edition=old).exists()


def test_older_edition_gets_no_vectors_and_takes_none() -> None:
    newer = load_text(APRIL).edition
    embed(newer)
    older = load_text(MARCH)
    assert older.vectors_kept == 0
    assert RuleVector.objects.filter(edition=newer).count() == 9


def test_policy_confirm_loads_a_newer_edition_as_pending_with_vectors() -> None:
    old = load_text().edition
    embed(old)
    pending = load_text(APRIL, Policy.CONFIRM).edition
    assert (pending.status, pending.is_current) == ("pending", False)
    assert current() == old
    assert RuleVector.objects.filter(edition=pending).count() == 9
    assert RuleVector.objects.filter(edition=old).count() == 9


def test_policy_confirm_lets_an_older_edition_in_at_once() -> None:
    load_text(APRIL)
    assert load_text(MARCH, Policy.CONFIRM).edition.status == "loaded"


def test_confirmed_edition_becomes_current() -> None:
    old = load_text().edition
    embed(old)
    pending = load_text(APRIL, Policy.CONFIRM).edition
    confirmed = confirm(pending)
    assert (confirmed.status, confirmed.is_current) == ("loaded", True)
    assert RuleVector.objects.filter(edition=confirmed).count() == 9
    assert not RuleVector.objects.filter(edition=old).exists()
    assert confirm(confirmed) == confirmed


def test_rejected_edition_stays_readable_without_vectors_and_is_not_taken_again() -> None:
    old = load_text().edition
    embed(old)
    rejected = reject(load_text(APRIL, Policy.CONFIRM).edition)
    assert (rejected.status, rejected.is_current) == ("rejected", False)
    assert current() == old
    assert Rule.objects.filter(edition=rejected).count() == 9
    assert not RuleVector.objects.filter(edition=rejected).exists()
    assert load_text(APRIL).edition.status == "rejected"


def test_current_edition_can_be_rejected_and_confirmed_back_without_embedding_again() -> None:
    old = load_text().edition
    newer = load_text(APRIL).edition
    embed(newer)
    reject(newer)
    assert current() == old
    assert RuleVector.objects.filter(edition=old).count() == 9
    confirm(newer)
    assert current() == newer
    assert RuleVector.objects.filter(edition=newer).count() == 9


def test_renumberings_lead_from_every_older_edition_to_every_newer_one() -> None:
    swapped = BODY.replace("100.1a Each player sits", "100.1a Each player has a hat. See rule 702.2")
    swapped = swapped.replace("100.1b Each player has a hat. See rule 702.2", "100.1b Each player sits")
    swapped = re.sub(r"Example: .*\n", "", swapped)
    plain = re.sub(r"Example: .*\n", "", BODY)
    may = load_text(MAY, body=swapped).edition
    march = load_text(MARCH, body=plain).edition
    april = load_text(APRIL, body=plain).edition
    rows = set(Renumbering.objects.values_list("from_edition", "to_edition", "old_number", "new_number"))
    pairs = {("100.1a", "100.1b"), ("100.1b", "100.1a")}
    assert rows == {(older.pk, may.pk, *pair) for older in (march, april) for pair in pairs}


class BrokenCursor:
    """Lets the cursor work until a statement holds *word*, and then fails as Postgres does when the disk is full."""

    def __init__(self, word: str) -> None:
        self.word = word

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if self.word in sql:
            raise OperationalError("could not extend file: No space left on device")
        return execute(sql, params, many, context)


@pytest.mark.parametrize(
    "table",
    [
        *("rules_edition", "rules_section", "rules_rule", "rules_rulereference", "rules_posting", "rules_glossaryterm"),
        *("rules_renumbering", "rules_rulevector"),
    ],
)
def test_load_that_breaks_off_anywhere_leaves_everything_as_it_was(table: str) -> None:
    embed(load_text().edition)
    before = everything()
    moved = BODY.replace("702.1. Some words", "702.1. Other words stand for nothing.\n\n702.2. Some words")
    moved = moved.replace("702.2. Glow", "702.3. Glow").replace("702.2a", "702.3a").replace("702.2b", "702.3b")
    statement = (
        f'INSERT INTO "{table}"' if table not in ("rules_posting", "rules_rulevector") else f"INSERT INTO {table}"
    )
    with connection.execute_wrapper(BrokenCursor(statement)), pytest.raises(DatabaseError):
        load_text(APRIL, body=moved)
    assert everything() == before


def test_very_bytes_decide_what_is_the_same() -> None:
    loaded = load_text()
    data = cr_bytes(effective=effective(MARCH))
    assert loaded.edition.sha256 == hashlib.sha256(data).hexdigest()
    assert load.find_loaded(data) == loaded.edition
    assert load.find_loaded(data + b"\n") is None
