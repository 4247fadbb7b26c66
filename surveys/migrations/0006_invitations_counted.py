from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0005_approval")]

    # SQLite adds a column that may be null without rebuilding the table, so its triggers stay; they let it change.
    operations = [
        migrations.AddField(
            model_name="survey",
            name="invitations_made",
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name="invitation links made"),
        ),
        migrations.AddField(
            model_name="survey",
            name="invitations_sent",
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name="invitation emails sent"),
        ),
    ]
