from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0003_involvement")]

    # SQLite adds a column that may be null without rebuilding the table, so its triggers stay; they let it change.
    operations = [
        migrations.AddField(
            model_name="survey",
            name="paused",
            field=models.DateTimeField(blank=True, null=True, verbose_name="paused"),
        )
    ]
