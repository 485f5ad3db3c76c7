"""Stores a parsed edition: one transaction, all or nothing; the same bytes a second time change nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.db import connection, transaction
from django.db.models import Q

from judge.folding import fold_name
from judge.values import RuleId
from rules.lexemes import KEPT_STOP_WORDS, lexemes_sql
from rules.models import Edition, GlossaryTerm, Renumbering, Rule, RuleReference, RuleVector, Section
from rules.parsed import ParsedEdition, ParsedRule, ParsedSubrule
from rules.passages import passage_hash
from rules.references import find_references
from rules.renumber import masked_texts, renumberings

_LOCK = 7_316_001  # advisory lock of a load; two loads at once would both want to be current
_BATCH = 1000  # rows an INSERT


class Policy(StrEnum):
    """Whether a newer edition becomes current by itself or waits for a curator."""

    AUTO = "auto"
    CONFIRM = "confirm"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of one edition. is_new: False when these very bytes were there already."""

    edition: Edition
    is_new: bool
    vectors_kept: int = 0  # rules whose text did not change and that kept their vector
    unresolved: tuple[str, ...] = ()  # rule numbers it names and does not have, each once


def find_loaded(data: bytes) -> Edition | None:
    """The edition already made from these very bytes, whatever its status."""
    return Edition.objects.filter(sha256=_sha256(data)).first()


def load_edition(parsed: ParsedEdition, data: bytes, file_name: str, policy: Policy = Policy.AUTO) -> Loaded:
    """Stores *parsed*, which was read from *data*. Raises what the database raises; then nothing has changed.

    Under Policy.CONFIRM an edition that would replace a current one of real rules stays pending (D12).
    """
    with transaction.atomic():
        _one_load_at_a_time()
        if before := find_loaded(data):
            return Loaded(before, is_new=False)
        edition = Edition.objects.create(
            effective=parsed.effective,
            sha256=_sha256(data),
            file_name=file_name[:200],
            is_sample=parsed.is_sample,
            status=Edition.Status.PENDING,
            counts=parsed.counts(),
        )
        rules = _store_rules(edition, parsed)
        unresolved = _store_references(parsed, rules)
        _store_postings(edition)
        _store_glossary(edition, parsed)
        _store_renumberings(edition, parsed)
        kept = _settle(edition, policy)
    return Loaded(edition, is_new=True, vectors_kept=kept, unresolved=unresolved)


def confirm(edition: Edition) -> Edition:
    """*edition* after a curator accepted it: loaded, and current when it is the newest. Safe to repeat."""
    with transaction.atomic():
        _one_load_at_a_time()
        edition.status = Edition.Status.LOADED
        edition.save(update_fields=["status"])
        _choose_current()
    edition.refresh_from_db()
    return edition


def reject(edition: Edition) -> Edition:
    """*edition* after a curator refused it: kept readable, never current, its vectors dropped.

    A current edition can be rejected too; the newest of the others takes its place.
    """
    with transaction.atomic():
        _one_load_at_a_time()
        edition.status, edition.is_current = Edition.Status.REJECTED, False
        edition.save(update_fields=["status", "is_current"])
        _choose_current()
    edition.refresh_from_db()
    return edition


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _one_load_at_a_time() -> None:
    """Waits until no other transaction is loading; the lock goes with this transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def _settle(edition: Edition, policy: Policy) -> int:
    """Makes the freshly stored *edition* loaded or pending, chooses the current one; gives the vectors kept."""
    replaces_rules = Edition.objects.filter(is_current=True, is_sample=False, effective__lte=edition.effective)
    waits = policy is Policy.CONFIRM and not edition.is_sample and replaces_rules.exists()
    edition.status = Edition.Status.PENDING if waits else Edition.Status.LOADED
    edition.save(update_fields=["status"])
    kept = _copy_vectors(edition) if waits else 0
    kept += _choose_current()
    edition.refresh_from_db()
    return kept


def _newest_loaded() -> Edition | None:
    """What ought to be current: real rules before the sample, then the latest date, then the latest load (D12)."""
    loaded = Edition.objects.filter(status=Edition.Status.LOADED)
    return loaded.order_by("is_sample", "-effective", "-loaded_at", "-id").first()


def _choose_current() -> int:
    """Marks the newest loaded edition current and gives how many vectors of equal texts it took over.

    The vectors of what is then neither current nor pending are dropped.
    """
    newest, kept = _newest_loaded(), 0
    if newest and not newest.is_current:
        Edition.objects.filter(is_current=True).update(is_current=False)
        Edition.objects.filter(pk=newest.pk).update(is_current=True)
        kept = _copy_vectors(newest)
    RuleVector.objects.exclude(Q(edition__is_current=True) | Q(edition__status=Edition.Status.PENDING)).delete()
    return kept


def _store_rules(edition: Edition, parsed: ParsedEdition) -> dict[str, Rule]:
    """Stores sections, rules and subrules; gives the stored rows by number."""
    titles = {section.number: section.title for section in parsed.sections}
    Section.objects.bulk_create(
        (Section(edition=edition, number=number, title=title[:200]) for number, title in titles.items()),
        batch_size=_BATCH,
    )
    places = {line.number: place for place, line in enumerate(parsed.lines())}
    rules = Rule.objects.bulk_create(
        [_row(edition, rule, rule, titles, places) for rule in parsed.rules], batch_size=_BATCH
    )
    by_number = {row.number: row for row in rules}
    leaves = Rule.objects.bulk_create(
        [
            _row(edition, leaf, rule, titles, places, parent=by_number[rule.number])
            for rule in parsed.rules
            for leaf in rule.subrules
        ],
        batch_size=_BATCH,
    )
    return by_number | {row.number: row for row in leaves}


def _row(
    edition: Edition,
    line: ParsedRule | ParsedSubrule,
    rule: ParsedRule,
    titles: Mapping[str, str],
    places: Mapping[RuleId, int],
    parent: Rule | None = None,
) -> Rule:
    """The row of *line*, which is *rule* itself or one of its subrules."""
    return Rule(
        edition=edition,
        number=line.number,
        parent=parent,
        section=rule.section,
        position=places[line.number],
        heading="" if parent else rule.heading,
        text=line.text,
        examples=list(line.examples),
        body=line.body,
        body_hash=passage_hash(titles.get(rule.section, ""), rule.heading, line.body),
    )


def _store_references(parsed: ParsedEdition, rules: Mapping[str, Rule]) -> tuple[str, ...]:
    """Stores which rule names which in its own line and examples; gives the numbers that do not exist."""
    named = [(number, target) for number, text in _own_texts(parsed) for target in find_references(text).rules]
    RuleReference.objects.bulk_create(
        (
            RuleReference(source=rules[number], target=rules[target])
            for number, target in named
            if target in rules and target != number
        ),
        batch_size=_BATCH,
    )
    return tuple(dict.fromkeys(target for _, target in named if target not in rules))


def _own_texts(parsed: ParsedEdition) -> Iterable[tuple[str, str]]:
    """Number and own text (examples included, subrules not) of every line."""
    return ((line.number, "\n".join((line.text, *line.examples))) for line in parsed.lines())


def _store_postings(edition: Edition) -> None:
    """Fills the inverted index of *edition* and each rule's length in lexemes. Runs inside Postgres."""
    lexemes = lexemes_sql("rule.body")
    parameters: dict[str, int | list[str]] = {"edition": edition.pk, "kept": list(KEPT_STOP_WORDS)}
    with connection.cursor() as cursor:
        cursor.execute(
            f"""INSERT INTO rules_posting (edition_id, lexeme, rule_id, is_leaf, frequency)
                SELECT rule.edition_id, found.lexeme, rule.id, rule.parent_id IS NOT NULL, found.frequency
                FROM rules_rule AS rule CROSS JOIN LATERAL {lexemes} AS found
                WHERE rule.edition_id = %(edition)s AND length(found.lexeme) <= 200""",  # noqa: S608  # our own text
            parameters,
        )
        cursor.execute(
            """UPDATE rules_rule AS rule SET length = counted.length
               FROM (SELECT rule_id, sum(frequency) AS length FROM rules_posting
                     WHERE edition_id = %(edition)s GROUP BY rule_id) AS counted
               WHERE rule.id = counted.rule_id""",
            parameters,
        )
        cursor.execute("ANALYZE rules_rule, rules_posting")


def _store_glossary(edition: Edition, parsed: ParsedEdition) -> None:
    GlossaryTerm.objects.bulk_create(
        (
            GlossaryTerm(
                edition=edition,
                term=term.term[:200],
                folded=fold_name(term.term.removesuffix("(Obsolete)"))[:200],
                forms=sorted({fold_name(form)[:200] for form in term.forms}),
                text=term.text,
                is_obsolete=term.is_obsolete,
                position=place,
            )
            for place, term in enumerate(parsed.glossary)
        ),
        batch_size=_BATCH,
    )


def _store_renumberings(edition: Edition, parsed: ParsedEdition) -> None:
    """Maps every other real edition to *edition*, or *edition* to it, always from the older to the newer.

    All pairs, not only neighbours, so that a citation of any age is carried by one look-up (D14).
    """
    this = masked_texts(_own_texts(parsed))
    for other in Edition.objects.filter(is_sample=edition.is_sample).exclude(pk=edition.pk):
        rows = Rule.objects.filter(edition=other).values_list("number", "text", "examples")
        that = masked_texts((number, "\n".join((text, *examples))) for number, text, examples in rows)
        is_older = other.effective <= edition.effective  # of two with one date, the one loaded last is the newer
        moved = renumberings(that, this) if is_older else renumberings(this, that)
        before, after = (other, edition) if is_older else (edition, other)
        Renumbering.objects.bulk_create(
            (
                Renumbering(from_edition=before, to_edition=after, old_number=old, new_number=new)
                for old, new in moved.items()
            ),
            batch_size=_BATCH,
        )


def _copy_vectors(edition: Edition) -> int:
    """Gives the rules of *edition* the vectors that equal texts of other editions have; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO rules_rulevector (rule_id, edition_id, is_leaf, embedding)
               SELECT DISTINCT ON (rule.id) rule.id, rule.edition_id, rule.parent_id IS NOT NULL, vector.embedding
               FROM rules_rule AS rule
               JOIN rules_rule AS twin ON twin.body_hash = rule.body_hash AND twin.id <> rule.id
               JOIN rules_rulevector AS vector ON vector.rule_id = twin.id
               WHERE rule.edition_id = %s
               ON CONFLICT (rule_id) DO NOTHING""",
            [edition.pk],
        )
        return int(cursor.rowcount)
