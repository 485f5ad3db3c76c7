"""Indexes for looking names up without their spaces and by their beginning."""

from django.contrib.postgres.indexes import OpClass
from django.db import migrations, models
from django.db.models import F, Value
from django.db.models.functions import Replace


class Migration(migrations.Migration):
    dependencies = [
        ("cards", "0003_name_origin_and_mapping"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="card",
            index=models.Index(Replace(F("folded"), Value(" "), Value("")), name="card_squeezed"),
        ),
        migrations.AddIndex(
            model_name="cardface",
            index=models.Index(OpClass(F("folded"), name="text_pattern_ops"), name="face_folded_start"),
        ),
        migrations.AddIndex(
            model_name="cardface",
            index=models.Index(Replace(F("folded"), Value(" "), Value("")), name="face_squeezed"),
        ),
    ]
