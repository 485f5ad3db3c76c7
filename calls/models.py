"""Calls the judge made, and the shared counters that keep processes honest."""

from __future__ import annotations

from typing import ClassVar, override

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q

from calls.querysets import CallQuerySet
from judge.ratings import PRIOR_MEAN, Rated
from rules.models import SpaceVector


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
    model = models.CharField(max_length=200, blank=True, help_text="what reasoned; empty for an extractive answer")
    claims = models.JSONField(default=list, help_text="what the answer states, and whether its quotes back it")
    transcript = models.JSONField(default=dict, help_text="prompts' digests and the rules that were looked up")
    cited_edition = models.DateField(
        null=True, blank=True, help_text="effective date of the rules the citations point into, where not `edition`"
    )
    card_texts = models.JSONField(default=dict, help_text="hash of every card's data as it was read, by oracle_id")
    score = models.FloatField(default=PRIOR_MEAN, help_text="in [1, 3]; judge.ratings.standing")
    votes = models.PositiveIntegerField(default=0)
    is_approved = models.BooleanField(default=False, help_text="a curator lets it serve as an example")
    is_usable = models.BooleanField(default=False, help_text="its ratings let it serve as an example")
    retired_at = models.DateTimeField(null=True, blank=True, help_text="when something it quotes had changed")
    retired_because = models.TextField(blank=True)

    objects: ClassVar[CallQuerySet] = CallQuerySet.as_manager()  # type: ignore[assignment]  # a manager at runtime

    class Meta:
        ordering = ["-asked_at"]
        indexes = [
            models.Index(fields=["thread", "-asked_at"], name="call_thread"),
            models.Index(fields=["asked_at"], include=["kind", "door"], name="call_day"),
            GinIndex(fields=["cards"], name="call_example_cards", condition=Q(is_usable=True, retired_at__isnull=True)),
        ]

    @override
    def __str__(self) -> str:
        return self.question[:80]


class FailedCall(models.Model):
    """A model's failed attempt at a question, with what was said, for the operator. Never of a private question."""

    question = models.TextField()
    door = models.CharField(max_length=20)
    kind = models.CharField(max_length=20, help_text="judge.failures.FailureKind")
    stage = models.CharField(max_length=20)
    reasons = models.JSONField(default=list, help_text="the rejections or the error, in order")
    rejections = ArrayField(models.CharField(max_length=30), default=list, help_text="BadCitation, UncitedRules ...")
    model = models.CharField(max_length=200, blank=True)
    prompts = models.JSONField(default=dict, help_text="sha256 of each prompt, by name")
    rounds = models.JSONField(default=list, help_text="what was asked and replied, in order")
    failed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-failed_at", "-pk"]
        indexes = [models.Index(fields=["-failed_at"], name="failed_call_age")]

    @override
    def __str__(self) -> str:
        return f"{self.kind} at {self.stage}: {self.question[:60]}"


class FailureDay(models.Model):
    """How often an attempt failed on one day (UTC), counted apart from what is kept of it, which is let go of.

    One row counts the failures of a kind, with an empty rejection; one each counts the rejections among them.
    """

    day = models.DateField()
    kind = models.CharField(max_length=20, help_text="judge.failures.FailureKind")
    rejection = models.CharField(max_length=30, blank=True, help_text="BadCitation, UncitedRules ...")
    count = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-day", "kind", "rejection"]
        constraints = [models.UniqueConstraint(fields=["day", "kind", "rejection"], name="failure_day_once")]

    @override
    def __str__(self) -> str:
        return f"{self.day} {self.kind} {self.rejection}".rstrip()


class CallVector(SpaceVector):
    """The embedding of a call's question, for calls that may once serve as examples."""

    call = models.OneToOneField(Call, on_delete=models.CASCADE, primary_key=True, related_name="vector")


class Rating(models.Model):
    """What one person thinks of one call. Rating again replaces it."""

    class Value(models.IntegerChoices):
        INCORRECT = Rated.INCORRECT.value, "Incorrect"
        PARTLY = Rated.PARTLY.value, "Partly right"
        CORRECT = Rated.CORRECT.value, "Correct"

    call = models.ForeignKey(Call, on_delete=models.CASCADE, related_name="ratings")
    rater = models.CharField(max_length=200, help_text="the door and who it was there: discord:1234, user:7")
    value = models.PositiveSmallIntegerField(choices=Value.choices)
    is_judge = models.BooleanField(default=False, help_text="given by a judge; the latest of them is the score")
    note = models.TextField(blank=True, help_text="what the judge would mend")
    rated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["rated_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["call", "rater"], name="one_rating_a_person_a_call")]
        indexes = [models.Index(fields=["rater"], name="rating_by_rater")]

    @override
    def __str__(self) -> str:
        return f"{self.get_value_display()} for call {self.call_id}"


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


class SpendDay(models.Model):
    """What one stage and model came to on one day (UTC)."""

    day = models.DateField()
    stage = models.CharField(max_length=20)
    model = models.CharField(max_length=200)
    calls = models.PositiveIntegerField(default=0, help_text="requests sent, failed ones too")
    failed = models.PositiveIntegerField(default=0)
    retries = models.PositiveIntegerField(default=0, db_default=0, help_text="requests that had failed before")
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cache_read = models.BigIntegerField(default=0)
    cache_written = models.BigIntegerField(default=0)
    microdollars = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["-day", "stage", "model"]
        constraints = [models.UniqueConstraint(fields=["day", "stage", "model"], name="spend_day_once")]

    @override
    def __str__(self) -> str:
        return f"{self.day} {self.stage} {self.model}"


class Reservation(models.Model):
    """Microdollars set aside for a request under way. expires_at frees those of a process that died."""

    amount = models.BigIntegerField()
    stage = models.CharField(max_length=20)
    model = models.CharField(max_length=200)
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["expires_at"], name="reservation_expiry")]


class SpendAlert(models.Model):
    """The operator was told that a cap is near or reached; *period* names which, the period and the cap."""

    period = models.CharField(max_length=80, unique=True)
    told_at = models.DateTimeField(auto_now_add=True)
