from django.db import migrations, models


class Migration(migrations.Migration):
    """Finds the surveys of an owner by their state without reading their drafts."""

    dependencies = [("surveys", "0002_page_folder")]

    operations = [
        migrations.AddIndex(
            "survey", models.Index(fields=["owner", "state"], name="surveys_owner_and_state")
        ),
    ]
