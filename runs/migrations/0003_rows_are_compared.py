from django.db import migrations, models


class Migration(migrations.Migration):
    """Stores of each run what the comparison of its rows found, with digests of the rows."""

    dependencies = [("runs", "0002_models_wait_for_a_reviewer")]

    operations = [
        migrations.AddField("run", "row_check", models.JSONField(null=True, editable=False)),
    ]
