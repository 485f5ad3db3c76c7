"""Cards, faces, names and rulings, as Scryfall's bulk files give them. Imported; read-only everywhere else."""

from __future__ import annotations

from typing import ClassVar, override

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import F

from cards.querysets import CardFaceQuerySet, CardQuerySet, PrintedNameQuerySet, RulingQuerySet, squeezed


class Card(models.Model):
    """One Oracle identity. Two cards can share a name, so the name is not a key."""

    oracle_id = models.UUIDField(primary_key=True)
    name = models.CharField(max_length=300)
    folded = models.CharField(max_length=300, help_text="judge.folding.fold_name(name)")
    layout = models.CharField(max_length=40)
    color_identity = ArrayField(models.CharField(max_length=1), default=list, blank=True)
    keywords = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    legalities = models.JSONField(default=dict, blank=True, help_text="format to status, in Scryfall's words")
    scryfall_uri = models.URLField(max_length=500, blank=True)
    released_at = models.DateField(null=True, blank=True)
    set_type = models.CharField(max_length=40, blank=True)
    is_funny = models.BooleanField(default=False, help_text="legal in no format: un-cards and the like")
    fingerprint = models.CharField(max_length=64, help_text="hash of all that was imported; decides whether to write")

    objects: ClassVar[CardQuerySet] = CardQuerySet.as_manager()  # type: ignore[assignment]  # a manager at runtime

    class Meta:
        ordering = ["name"]
        indexes = [
            models.Index(fields=["folded"], name="card_folded"),
            GinIndex(OpClass(F("folded"), name="gin_trgm_ops"), name="card_folded_trgm"),
            models.Index(squeezed(), name="card_squeezed"),
        ]

    @override
    def __str__(self) -> str:
        return self.name


class CardFace(models.Model):
    """One face of a card, front first. A single-faced card has one."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="faces")
    index = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=300)
    folded = models.CharField(max_length=300)
    mana_cost = models.CharField(max_length=100, blank=True)
    type_line = models.CharField(max_length=300, blank=True)
    oracle_text = models.TextField(blank=True)
    power = models.CharField(max_length=10, blank=True)
    toughness = models.CharField(max_length=10, blank=True)
    loyalty = models.CharField(max_length=10, blank=True)
    defense = models.CharField(max_length=10, blank=True)
    colors = ArrayField(models.CharField(max_length=1), default=list, blank=True)

    objects: ClassVar[CardFaceQuerySet] = CardFaceQuerySet.as_manager()  # type: ignore[assignment]  # a manager at runtime

    class Meta:
        ordering = ["card", "index"]
        constraints = [models.UniqueConstraint(fields=["card", "index"], name="face_once_per_card")]
        indexes = [
            models.Index(fields=["folded"], name="face_folded"),
            GinIndex(OpClass(F("folded"), name="gin_trgm_ops"), name="face_folded_trgm"),
            models.Index(OpClass(F("folded"), name="text_pattern_ops"), name="face_folded_start"),
            models.Index(squeezed(), name="face_squeezed"),
        ]

    @override
    def __str__(self) -> str:
        return self.name


class PrintedName(models.Model):
    """A name a card was ever printed under: old, flavour or localized, of the whole card or of one face."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="printed_names")
    name = models.CharField(max_length=300)
    folded = models.CharField(max_length=300)
    lang = models.CharField(max_length=10, help_text="Scryfall's language code: en, fr, de, zhs, ...")
    kind = models.CharField(max_length=40, default="all_cards", help_text="the bulk file that told it; merged alone")

    objects: ClassVar[PrintedNameQuerySet] = PrintedNameQuerySet.as_manager()  # type: ignore[assignment]  # a manager at runtime

    class Meta:
        ordering = ["lang", "name"]
        constraints = [models.UniqueConstraint(fields=["card", "lang", "name", "kind"], name="printed_name_once")]
        indexes = [
            models.Index(fields=["folded"], name="printed_folded"),
            GinIndex(OpClass(F("folded"), name="gin_trgm_ops"), name="printed_folded_trgm"),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.name} ({self.lang})"


class Ruling(models.Model):
    """One official ruling. key is a hash of date and text, so a re-import is the same ruling."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="rulings")
    key = models.CharField(max_length=64)
    published_at = models.DateField()
    source = models.CharField(max_length=20)
    text = models.TextField()

    objects: ClassVar[RulingQuerySet] = RulingQuerySet.as_manager()  # type: ignore[assignment]  # a manager at runtime

    class Meta:
        ordering = ["-published_at", "id"]
        constraints = [models.UniqueConstraint(fields=["card", "key"], name="ruling_once_per_card")]

    @override
    def __str__(self) -> str:
        return f"{self.published_at}: {self.text[:60]}"


class BulkFile(models.Model):
    """The last file of each kind that was loaded whole: what decides whether there is anything to do."""

    kind = models.CharField(
        max_length=40, primary_key=True, help_text="oracle_cards, rulings, default_cards, all_cards"
    )
    origin = models.CharField(max_length=500, help_text="the file name or the URL it came from")
    sha256 = models.CharField(max_length=64, help_text="of the bytes as they were read")
    updated_at = models.CharField(
        max_length=60, blank=True, help_text="Scryfall's updated_at; of a file in a folder, its size and time of change"
    )
    mapping = models.PositiveSmallIntegerField(default=0, help_text="cards.rows.MAPPING_VERSION that read it")
    rows = models.PositiveIntegerField(help_text="objects in the file")
    loaded_at = models.DateTimeField(auto_now=True)

    @override
    def __str__(self) -> str:
        return f"{self.kind}: {self.rows} rows"
