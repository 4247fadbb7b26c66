from django.db import migrations, models


class Migration(migrations.Migration):
    """Counts of numbers, beside those of the other questions."""

    dependencies = [("mining", "0004_n_open")]

    operations = [
        migrations.AddField(
            model_name="histogram",
            name="numbers",
            field=models.BinaryField(null=True),
        ),
        migrations.AddField(
            model_name="shard",
            name="numbers",
            field=models.BinaryField(null=True),
        ),
    ]
