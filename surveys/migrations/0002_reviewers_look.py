from typing import Any

from django.db import migrations

from people.roles import grant


def let_reviewers_look(apps: Any, schema_editor: Any) -> None:
    for model in ("survey", "design", "collaborator"):
        grant(apps, "Reviewers", "surveys", model, "view")


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0001_surveys"),
        ("people", "0002_roles_and_triggers"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(let_reviewers_look, migrations.RunPython.noop, elidable=False)]
