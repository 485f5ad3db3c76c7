"""A revision a table that is searched in memory, changed by the database itself with every statement that writes it."""

from django.db import migrations, models

NOTE = """
CREATE FUNCTION note_index_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO rules_indexrevision (name, revision) VALUES (TG_TABLE_NAME, gen_random_uuid())
    ON CONFLICT (name) DO UPDATE SET revision = excluded.revision;
    RETURN NULL;
END $$;
CREATE TRIGGER note_revision AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON rules_rulevector
    FOR EACH STATEMENT EXECUTE FUNCTION note_index_revision();
"""
FORGET = """
DROP TRIGGER note_revision ON rules_rulevector;
DROP FUNCTION note_index_revision();
"""


class Migration(migrations.Migration):
    dependencies = [("rules", "0002_glossary_forms")]

    operations = [
        migrations.CreateModel(
            name="IndexRevision",
            fields=[
                ("name", models.CharField(max_length=63, primary_key=True, serialize=False)),
                ("revision", models.UUIDField()),
            ],
        ),
        migrations.RunSQL(NOTE, FORGET),
    ]
