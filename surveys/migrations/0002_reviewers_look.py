from typing import Any

from django.db import migrations


def grant(apps: Any, role: str, app_label: str, model: str, *actions: str) -> None:
    """Let a role view (add, change, delete) a model in the administration."""
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label=app_label, model=model
    )
    group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=role)
    for action in actions:
        # Django makes permissions only after the last migration, by these very names.
        permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
            content_type=kind, codename=f"{action}_{model}", defaults={"name": f"Can {action} {model}"}
        )
        group.permissions.add(permission)


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
