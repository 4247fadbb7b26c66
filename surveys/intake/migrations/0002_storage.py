from django.db import migrations

from surveys.intake.storage import prepare
from surveys.intake.taking import install


class Migration(migrations.Migration):
    # Apart from 0001, at whose very end Django makes the indexes that this removes.
    dependencies = [
        ("intake", "0001_intake"),
    ]

    operations = [
        migrations.RunPython(install, migrations.RunPython.noop, elidable=False),
        migrations.RunPython(prepare, migrations.RunPython.noop, elidable=False),
    ]
