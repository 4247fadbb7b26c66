from django.db import migrations, models

from accounts.initial_migration_base import exclude_from_statistics


class Migration(migrations.Migration):
    """Stores of each model whether its outcome is told, and why it could not be fitted.

    What failed, was cancelled or is published has been told.
    """

    dependencies = [("runs", "0001_initial"), ("reports", "0002_delete_backtest")]

    operations = [
        migrations.AddField("modeljob", "told", models.BooleanField(default=False, editable=False)),
        migrations.AddField("model", "problem", models.JSONField(null=True)),
        migrations.RunSQL(
            """UPDATE runs_modeljob SET told = true
            WHERE job_id IN (SELECT id FROM jobs_job WHERE state IN ('failed', 'cancelled'))
            OR job_id IN (
                SELECT runs_model.job_id FROM runs_model
                JOIN reports_modelpublication ON reports_modelpublication.model_id = runs_model.id
            )""",
            migrations.RunSQL.noop,
        ),
        exclude_from_statistics({"runs_model": ["problem"]}),
    ]
