"""The Postgres extensions everything else stands on."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.operations import TrigramExtension
from django.db import migrations
from pgvector.django import VectorExtension


class Migration(migrations.Migration):
    initial = True
    dependencies: ClassVar = []
    operations: ClassVar = [TrigramExtension(), VectorExtension()]
