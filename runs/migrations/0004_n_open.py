"""The models call a number of open records n_open; the columns, and what is stored by their names, stay."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("mining", "0003_evidence")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("run", "opened", "n_open"),
                migrations.AlterField(
                    "run",
                    "n_open",
                    models.PositiveBigIntegerField(db_column="opened", editable=False, null=True),
                ),
                migrations.RenameField("itemset", "opened", "n_open"),
                migrations.AlterField(
                    "itemset", "n_open", models.PositiveBigIntegerField(db_column="opened")
                ),
            ]
        )
    ]
