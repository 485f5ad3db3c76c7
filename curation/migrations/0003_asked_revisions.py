"""The tables of how players ask note their revisions as the rules' vectors do."""

from django.db import migrations

TABLES = ("curation_askedphrase", "curation_askedvector")


class Migration(migrations.Migration):
    dependencies = [("curation", "0002_asked_phrases"), ("rules", "0003_index_revisions")]

    operations = [
        migrations.RunSQL(
            f"""CREATE TRIGGER note_revision AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
                FOR EACH STATEMENT EXECUTE FUNCTION note_index_revision()""",
            f"DROP TRIGGER note_revision ON {table}",
        )
        for table in TABLES
    ]
