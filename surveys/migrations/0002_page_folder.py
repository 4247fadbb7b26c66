from django.db import migrations, models


class Migration(migrations.Migration):
    """Stores of each survey whose page another host serves the folder of that page."""

    dependencies = [("surveys", "0001_initial")]

    operations = [
        migrations.CreateModel(
            "PageFolder",
            [
                (
                    "survey",
                    models.OneToOneField(
                        "surveys.survey", models.CASCADE, primary_key=True, related_name="+", serialize=False
                    ),
                ),
                ("basis", models.CharField(max_length=64)),
                ("design", models.TextField()),
                ("content", models.BinaryField()),
                ("sums_sha256", models.CharField(max_length=64)),
                ("frozen", models.DateTimeField()),
                ("tried", models.DateTimeField(null=True)),
                ("seen", models.DateTimeField(null=True)),
                ("address", models.CharField(max_length=500, default="")),
            ],
        ),
    ]
