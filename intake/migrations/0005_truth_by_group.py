from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("intake", "0004_spent_tokens"),
    ]

    operations = [
        migrations.AddField(
            model_name="truth",
            name="disguised",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="truth",
            name="disguised_counts",
            field=models.BinaryField(null=True),
        ),
    ]
