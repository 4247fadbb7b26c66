from typing import Any

from django.db import migrations

from people.insert_only import ForbidChanges
from people.roles import grant


def make_roles(apps: Any, schema_editor: Any) -> None:
    grant(apps, "Researchers", "people", "person")
    grant(apps, "Reviewers", "people", "person", "view")


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0001_people"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        ForbidChanges("History"),
        migrations.RunPython(make_roles, migrations.RunPython.noop, elidable=False),
    ]
