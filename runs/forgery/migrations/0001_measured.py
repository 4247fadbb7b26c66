import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [("surveys", "0001_surveys")]

    operations = [
        migrations.CreateModel(
            name="Measured",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("first", models.PositiveIntegerField()),
                ("last", models.PositiveIntegerField()),
                ("pooled", models.BooleanField(default=False)),
                ("disguised", models.PositiveBigIntegerField()),
                ("excess", models.PositiveBigIntegerField()),
                (
                    "survey",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="surveys.survey",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("survey", "pooled", "last"), name="measured_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("excess__lte", models.F("disguised")), ("last__gte", models.F("first"))
                        ),
                        name="measured_of_batches",
                    ),
                ],
            },
        ),
    ]
