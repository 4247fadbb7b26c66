from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils import timezone

from candor.commands.command_base import print_json
from config.backup import irreversible_changes
from config.backup.archive import instance_key
from config.backup.backing_up import back_up
from config.backup.base_command import BackupCommand


class Command(BackupCommand):
    help = "Write a backup of the database to a new file, or the list of what a restore must not undo."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", nargs="?", help="a file that is not there yet")
        parser.add_argument(
            "--list", action="store_true", help="write the list to BACKUP_LIST, and no backup"
        )

    def handle(self, *, file: Path | None, **options: Any) -> None:
        if (file is None) != options["list"]:
            raise CommandError("name the file of the backup, or ask for the list alone", returncode=2)
        if file is not None:
            print_json(back_up(file.absolute(), instance_key(), timezone.now(), self.stderr.write))
        else:
            irreversible_changes.write_irreversible_changes(
                settings.BACKUP_LIST, instance_key(), timezone.now()
            )
            print_json({"list": str(settings.BACKUP_LIST)})
