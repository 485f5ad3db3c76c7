"""Calls the judge made, and the shared counters that keep processes honest."""

from __future__ import annotations

from typing import override

from django.contrib.postgres.fields import ArrayField
from django.db import models


class Call(models.Model):
    """One answered question, stored with all that explains it. Private questions are never here."""

    class Kind(models.TextChoices):
        ANSWER = "answer", "Answer"
        EXTRACTIVE = "extractive", "Extractive answer"

    kind = models.CharField(max_length=12, choices=Kind.choices)
    question = models.TextField()
    answer = models.TextField()
    confidence = models.CharField(max_length=10)
    category = models.CharField(max_length=60)
    source = models.CharField(max_length=20)
    answer_language = models.CharField(max_length=10)
    citations = models.JSONField(default=list)
    cards = ArrayField(models.UUIDField(), default=list, help_text="oracle_ids the verdict is about")
    context = models.JSONField(default=dict, help_text="ids of everything the answer could read")
    trace = models.JSONField(default=dict, help_text="the fused list: legs, ranks, scores, shown or cut")
    edition = models.DateField(help_text="effective date of the rules it was answered under")
    door = models.CharField(max_length=20)
    thread = models.CharField(max_length=200, blank=True)
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-asked_at"]
        indexes = [models.Index(fields=["thread", "-asked_at"], name="call_thread")]

    @override
    def __str__(self) -> str:
        return self.question[:80]


class RateWindow(models.Model):
    """How often *key* was charged in the fixed window that began at *starts_at*."""

    key = models.CharField(max_length=200)
    starts_at = models.DateTimeField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "starts_at"], name="rate_window_once")]
        indexes = [models.Index(fields=["starts_at"], name="rate_window_age")]


class JudgeSlot(models.Model):
    """A judge run in flight. expires_at frees the slot of a process that died."""

    taken_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["expires_at"], name="judge_slot_expiry")]
