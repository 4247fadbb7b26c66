from django.db import migrations


class Migration(migrations.Migration):
    """The cookies of sessions from before went to the respondents' pages too, and may stand in a proxy's log."""

    dependencies = [
        ("people", "0002_roles_and_triggers"),
        ("sessions", "0001_initial"),
    ]

    operations = [migrations.RunSQL("DELETE FROM django_session", migrations.RunSQL.noop, elidable=True)]
