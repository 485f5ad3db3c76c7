"""What curators keep: nicknames, notes on nightmare cards, and the category map."""

from __future__ import annotations

from typing import ClassVar, override

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from cards.models import Card
from curation.querysets import CardAliasQuerySet


class Origin(models.TextChoices):
    """Who made a row. A file reload never touches a curator's rows."""

    FILE = "file", "data file"
    CURATOR = "curator", "curator"


class CardAlias(models.Model):
    """A nickname for one card."""

    alias = models.CharField(max_length=200)
    folded = models.CharField(max_length=200)
    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="aliases")
    common_word = models.BooleanField(
        default=False, help_text="an ordinary word: taken only where the question clearly means a card"
    )
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.CURATOR)
    retired_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[CardAliasQuerySet] = CardAliasQuerySet.as_manager()  # type: ignore[assignment]  # a manager at runtime

    class Meta:
        ordering = ["alias"]
        verbose_name_plural = "card aliases"
        constraints = [
            models.UniqueConstraint(fields=["folded"], condition=Q(retired_at__isnull=True), name="one_live_alias"),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.alias} → {self.card}"


class CardNote(models.Model):
    """A hand-written note on a card that breaks intuition. Markdown; shown to the judge, never quoted."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="notes")
    text = models.TextField()
    rules = ArrayField(models.CharField(max_length=12), default=list, help_text="numbers of the rules that decide")
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.CURATOR)

    class Meta:
        ordering = ["card__name"]
        constraints = [models.UniqueConstraint(fields=["card", "origin"], name="one_note_per_card_and_origin")]

    @override
    def __str__(self) -> str:
        return f"Note on {self.card}"


class Category(models.Model):
    """One category of questions with the CR sections that answer it."""

    key = models.SlugField(max_length=60, primary_key=True)
    title = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    sections = ArrayField(
        models.CharField(max_length=12), default=list, help_text='sections such as "603", or rules such as "113.3"'
    )
    keywords = ArrayField(
        models.CharField(max_length=80), default=list, blank=True, help_text="words that speak for this category"
    )
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.CURATOR)

    class Meta:
        ordering = ["key"]
        verbose_name_plural = "categories"

    @override
    def __str__(self) -> str:
        return self.title
