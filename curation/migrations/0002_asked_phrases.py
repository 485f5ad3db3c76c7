from django.db import migrations, models
import django.db.models.deletion
import pgvector.django.vector


def follow_the_space(apps, schema_editor):
    """Gives the new table the width of the space that is already in use, as every table of vectors has it."""
    space = apps.get_model("rules", "EmbeddingSpace").objects.filter(id=1).first()
    if space is not None:
        schema_editor.execute(
            f"ALTER TABLE curation_askedvector ALTER COLUMN embedding TYPE vector({space.width:d})"
        )


class Migration(migrations.Migration):

    dependencies = [
        ("curation", "0001_curation"),
        ("rules", "0002_glossary_forms"),
    ]

    operations = [
        migrations.CreateModel(
            name="AskedPhrase",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.CharField(help_text="of the rule or subrule that decides, such as 702.19b", max_length=12)),
                ("text", models.CharField(max_length=300)),
                ("origin", models.CharField(choices=[("file", "data file"), ("curator", "curator")], default="curator", max_length=10)),
                ("changed_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "ordering": ["number", "text"],
                "constraints": [models.UniqueConstraint(fields=("number", "text"), name="asked_phrase_once")],
            },
        ),
        migrations.CreateModel(
            name="AskedVector",
            fields=[
                ("embedding", pgvector.django.vector.VectorField(dimensions=384)),
                ("phrase", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name="vector", serialize=False, to="curation.askedphrase")),
            ],
            options={
                "abstract": False,
            },
        ),
        # No reverse: going back drops the table.
        migrations.RunPython(follow_the_space, migrations.RunPython.noop),
    ]
