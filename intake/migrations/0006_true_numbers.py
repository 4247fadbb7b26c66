from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("intake", "0005_truth_by_group"),
    ]

    operations = [
        migrations.AddField(
            model_name="truth",
            name="numbers",
            field=models.JSONField(null=True),
        ),
    ]
