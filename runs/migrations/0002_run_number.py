from django.db import migrations, models

# In the order in which they were started, within each survey from 1.
NUMBER = """
    UPDATE mining_run SET number = (
        SELECT COUNT(*) FROM mining_run AS earlier
        WHERE earlier.survey_id = mining_run.survey_id AND earlier.id <= mining_run.id
    )
"""


class Migration(migrations.Migration):
    dependencies = [
        ("mining", "0001_runs"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="number",
            field=models.PositiveIntegerField(default=0, editable=False, verbose_name="number"),
            preserve_default=False,
        ),
        migrations.RunSQL(NUMBER, migrations.RunSQL.noop, elidable=True),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(fields=("survey", "number"), name="run_number"),
        ),
    ]
