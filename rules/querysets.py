"""The rules app's SQL, one leg or look-up a method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from rules.models import GlossaryTerm, Rule


class RuleQuerySet(models.QuerySet["Rule"]):
    """Rules and subrules."""


class GlossaryTermQuerySet(models.QuerySet["GlossaryTerm"]):
    """Glossary entries."""
