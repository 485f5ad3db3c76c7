"""What curators keep: nicknames, notes on nightmare cards, the category map, and how players ask about rules."""

from __future__ import annotations

from typing import Any, ClassVar, override

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from cards.models import Card
from curation.querysets import AskedPhraseQuerySet, CardAliasQuerySet
from rules.models import SpaceVector


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


class AskedPhrase(models.Model):
    """How players ask about exactly one rule or subrule of the current edition, in our own words (D76).

    Searched beside the rules' own text. changed_at is how a running process notices an edit, so rows are saved or
    created, never changed by an UPDATE of a queryset.
    """

    number = models.CharField(max_length=12, help_text="of the rule or subrule that decides, such as 702.19b")
    text = models.CharField(max_length=300)
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.CURATOR)
    changed_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[AskedPhraseQuerySet] = AskedPhraseQuerySet.as_manager()  # type: ignore[assignment]  # a manager at runtime

    class Meta:
        ordering = ["number", "text"]
        constraints = [models.UniqueConstraint(fields=["number", "text"], name="asked_phrase_once")]

    @override
    def __str__(self) -> str:
        return f"{self.number}: {self.text}"

    @override
    def save(self, *args: Any, **kwargs: Any) -> None:
        """Saves, and drops the vector of a text that is no longer this one's."""
        AskedVector.objects.filter(phrase=self.pk).exclude(phrase__text=self.text).delete()
        super().save(*args, **kwargs)


class AskedVector(SpaceVector):
    """The embedding of one phrase; its text alone, as a passage."""

    phrase = models.OneToOneField(AskedPhrase, on_delete=models.CASCADE, primary_key=True, related_name="vector")
