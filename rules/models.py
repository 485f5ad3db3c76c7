"""The Comprehensive Rules: editions, sections, rules, glossary, search postings and vectors."""

from __future__ import annotations

from typing import ClassVar, override

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from pgvector.django import HnswIndex, VectorField

from rules.querysets import EditionQuerySet, GlossaryTermQuerySet, RuleQuerySet


class Edition(models.Model):
    """One published Comprehensive Rules file. Exactly one is current; older ones stay readable."""

    class Status(models.TextChoices):
        PENDING = "pending", "Pending: waits for a curator"
        LOADED = "loaded", "Loaded"
        REJECTED = "rejected", "Rejected by a curator"

    effective = models.DateField(help_text="from the text: 'effective as of ...'")
    sha256 = models.CharField(
        max_length=64, unique=True, help_text="of the file's bytes; the text can change under one date"
    )
    file_name = models.CharField(max_length=200)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.LOADED)
    is_current = models.BooleanField(default=False)
    is_sample = models.BooleanField(default=False, help_text="the invented sample rules, not Magic's")
    counts = models.JSONField(default=dict, help_text="sections, subsections, rules, subrules, examples, glossary")
    loaded_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[EditionQuerySet] = EditionQuerySet.as_manager()  # type: ignore[assignment]  # a manager at runtime

    class Meta:
        ordering = ["-effective", "-loaded_at"]
        constraints = [
            models.UniqueConstraint(fields=["is_current"], condition=Q(is_current=True), name="one_current_edition"),
        ]

    @override
    def __str__(self) -> str:
        return f"Comprehensive Rules of {self.effective:%Y-%m-%d}"


class Section(models.Model):
    """The title of a section ("7") or subsection ("702"). Holds no rules text."""

    edition = models.ForeignKey(Edition, on_delete=models.CASCADE, related_name="sections")
    number = models.CharField(max_length=3)
    title = models.CharField(max_length=200)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["edition", "number"], name="section_once_per_edition")]

    @override
    def __str__(self) -> str:
        return f"{self.number}. {self.title}"


class Rule(models.Model):
    """A rule (702.19, parent empty) or a subrule (702.19b, parent 702.19).

    text: the line itself with its continuation lines. examples: the Example paragraphs under that line.
    body: what may be quoted and what is searched; for a subrule its text and examples, for a rule its text,
    examples and every subrule's body in order, a line each, subrules led by their number.
    """

    edition = models.ForeignKey(Edition, on_delete=models.CASCADE, related_name="rules")
    number = models.CharField(max_length=12)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="subrules")
    section = models.CharField(max_length=3)
    position = models.PositiveIntegerField(help_text="place in the document, from 0")
    heading = models.CharField(max_length=200, blank=True, help_text='"Trample" where the rule is only a heading')
    text = models.TextField()
    examples = ArrayField(models.TextField(), default=list, blank=True)
    body = models.TextField()
    body_hash = models.CharField(max_length=64, help_text="sha256 of what is embedded; equal hashes share a vector")
    length = models.PositiveIntegerField(default=0, help_text="lexemes in the body, for BM25")

    objects: ClassVar[RuleQuerySet] = RuleQuerySet.as_manager()  # type: ignore[assignment]  # a manager at runtime

    class Meta:
        ordering = ["edition", "position"]
        constraints = [models.UniqueConstraint(fields=["edition", "number"], name="rule_once_per_edition")]
        indexes = [
            models.Index(fields=["edition", "section"], name="rule_by_section"),
            models.Index(fields=["body_hash"], name="rule_body_hash"),
        ]

    @override
    def __str__(self) -> str:
        return self.number


class RuleReference(models.Model):
    """Rule *source* names rule *target* in its text ("see rule 603.6"); ranges are spelled out."""

    source = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="references_out")
    target = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="references_in")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "target"], name="reference_once")]


class Posting(models.Model):
    """One lexeme of one rule's body: the inverted index that BM25 is computed from."""

    edition = models.ForeignKey(Edition, on_delete=models.CASCADE, related_name="postings", db_index=False)
    lexeme = models.CharField(max_length=200)
    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="postings")
    is_leaf = models.BooleanField()
    frequency = models.PositiveSmallIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["edition", "lexeme"], include=["rule", "frequency", "is_leaf"], name="posting_lexeme"),
        ]


class GlossaryTerm(models.Model):
    """One glossary entry; text keeps its lines."""

    edition = models.ForeignKey(Edition, on_delete=models.CASCADE, related_name="glossary")
    term = models.CharField(max_length=200)
    folded = models.CharField(max_length=200)
    forms = ArrayField(
        models.CharField(max_length=200),
        default=list,
        blank=True,
        help_text='folded forms the term lists: "Champion, Championed" has two',
    )
    text = models.TextField()
    is_obsolete = models.BooleanField(default=False)
    position = models.PositiveIntegerField()

    objects: ClassVar[GlossaryTermQuerySet] = GlossaryTermQuerySet.as_manager()  # type: ignore[assignment]  # a manager at runtime

    class Meta:
        ordering = ["edition", "position"]
        constraints = [models.UniqueConstraint(fields=["edition", "term"], name="term_once_per_edition")]
        indexes = [
            models.Index(fields=["edition", "folded"], name="term_folded"),
            GinIndex(fields=["forms"], name="term_forms"),
        ]

    @override
    def __str__(self) -> str:
        return self.term


class Renumbering(models.Model):
    """The same text under another number in a later edition (unique on both sides, numbers masked)."""

    from_edition = models.ForeignKey(Edition, on_delete=models.CASCADE, related_name="renumberings_out")
    to_edition = models.ForeignKey(Edition, on_delete=models.CASCADE, related_name="renumberings_in")
    old_number = models.CharField(max_length=12)
    new_number = models.CharField(max_length=12)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["from_edition", "to_edition", "old_number"], name="renumbering_old_once"),
            models.UniqueConstraint(fields=["from_edition", "to_edition", "new_number"], name="renumbering_new_once"),
        ]


class EmbeddingSpace(models.Model):
    """The one space the stored vectors belong to. Readers and writers check it; two spaces are never mixed."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    provider = models.CharField(max_length=40)
    model = models.CharField(max_length=200)
    width = models.PositiveIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_embedding_space")]

    @override
    def __str__(self) -> str:
        return f"{self.provider}/{self.model} ({self.width})"


class IndexRevision(models.Model):
    """The revision of one table that a process keeps in memory: another one means that its rows have changed.

    A trigger writes it with every statement on that table, whoever runs it (D85); a table never written has no row.
    """

    name = models.CharField(max_length=63, primary_key=True)
    revision = models.UUIDField()

    @override
    def __str__(self) -> str:
        return f"{self.name} at {self.revision}"


class SpaceVector(models.Model):
    """A table of vectors of the one EmbeddingSpace. Switching the space empties every such table and sets its width."""

    embedding = VectorField(dimensions=384)

    class Meta:
        abstract = True


class RuleVector(SpaceVector):
    """The embedding of one rule or subrule of the current or a pending edition.

    Apart from Rule so that a scan over vectors reads vectors only. Width follows EmbeddingSpace: switching
    the space empties the table and alters the column.
    """

    rule = models.OneToOneField(Rule, on_delete=models.CASCADE, primary_key=True, related_name="vector")
    edition = models.ForeignKey(Edition, on_delete=models.CASCADE, related_name="vectors")
    is_leaf = models.BooleanField()

    class Meta:
        indexes = [
            HnswIndex(
                name="rule_vector_hnsw",
                fields=["embedding"],
                m=16,
                ef_construction=64,
                opclasses=["vector_cosine_ops"],
                condition=Q(is_leaf=False),
            ),
        ]
