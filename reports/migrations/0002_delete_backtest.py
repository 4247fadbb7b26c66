from django.db import migrations


class Migration(migrations.Migration):
    """Deletes the backtests, and their rows among all jobs, of a database or a backup of the last build."""

    dependencies = [("reports", "0001_initial")]

    operations = [
        migrations.DeleteModel(name="Backtest"),
        migrations.RunSQL("DELETE FROM jobs_job WHERE kind = 'reports.backtest'", migrations.RunSQL.noop),
    ]
