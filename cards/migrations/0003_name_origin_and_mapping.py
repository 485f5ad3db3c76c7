"""Printed names know the bulk file that told them; loaded files know the mapping that read them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('cards', '0002_cards'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='printedname',
            name='printed_name_once',
        ),
        migrations.AddField(
            model_name='bulkfile',
            name='mapping',
            field=models.PositiveSmallIntegerField(default=0, help_text='cards.rows.MAPPING_VERSION that read it'),
        ),
        migrations.AddField(
            model_name='printedname',
            name='kind',
            field=models.CharField(default='all_cards', help_text='the bulk file that told it; merged alone', max_length=40),
        ),
        migrations.AlterField(
            model_name='bulkfile',
            name='rows',
            field=models.PositiveIntegerField(help_text='objects in the file'),
        ),
        migrations.AlterField(
            model_name='bulkfile',
            name='updated_at',
            field=models.CharField(blank=True, help_text="Scryfall's updated_at; of a file in a folder, its size and time of change", max_length=60),
        ),
        migrations.AddConstraint(
            model_name='printedname',
            constraint=models.UniqueConstraint(fields=('card', 'lang', 'name', 'kind'), name='printed_name_once'),
        ),
    ]
