"""The cards app's SQL, one rung or look-up a method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from cards.models import Card, CardFace, PrintedName, Ruling


class CardQuerySet(models.QuerySet["Card"]):
    """Cards."""


class CardFaceQuerySet(models.QuerySet["CardFace"]):
    """Faces."""


class PrintedNameQuerySet(models.QuerySet["PrintedName"]):
    """Printed names."""


class RulingQuerySet(models.QuerySet["Ruling"]):
    """Rulings."""
