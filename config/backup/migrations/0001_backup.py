import uuid
from typing import Any

from django.db import migrations, models


def prepare(apps: Any, schema_editor: Any) -> None:
    """ANALYZE would copy a sample into pg_statistic, where it outlives the rows."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE backup_remembered ALTER COLUMN spent SET STATISTICS 0", None)


class _Statements(migrations.RunPython):
    """They need no models; RunPython renders all of them first, which takes longer than most statements."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        no_apps: Any = None
        self.code(no_apps, schema_editor)


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Backup",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("made", models.DateTimeField()),
            ],
            options={"verbose_name": "backup", "verbose_name_plural": "backups"},
        ),
        migrations.CreateModel(
            name="Remembered",
            fields=[
                ("slug", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("destroyed", models.BooleanField(default=False)),
                ("until", models.DateField(null=True)),
                ("spent", models.BinaryField(default=b"")),
            ],
        ),
        _Statements(prepare, migrations.RunPython.noop, elidable=False),
    ]
