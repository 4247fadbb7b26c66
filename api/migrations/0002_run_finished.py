from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("api", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="event",
            name="kind",
            field=models.CharField(
                choices=[
                    ("report.published", "report published"),
                    ("release.approved", "release approved"),
                    ("survey.closed", "survey closed"),
                    ("run.finished", "run finished"),
                    ("webhook.test", "test"),
                ],
                max_length=20,
            ),
        ),
    ]
