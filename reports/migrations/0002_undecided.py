from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0001_reports")]

    operations = [
        migrations.AlterField(
            model_name="decision",
            name="verdict",
            field=models.CharField(
                choices=[
                    ("accept", "accepted"),
                    ("reject", "rejected"),
                    ("more-data", "needs more data"),
                    ("undecided", "undecided"),
                ],
                max_length=9,
                verbose_name="verdict",
            ),
        ),
    ]
