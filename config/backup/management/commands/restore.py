import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from config.backup.carrying_out import RestoreOptions, carry_out
from config.backup.command import BackupCommand


class Command(BackupCommand):
    help = "Put a backup in the place of the database. Stop the web servers and workers first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("file", type=Path, metavar="FILE", help="the backup")
        add("--check", action="store_true", help="verify FILE, say what it would bring back, replace nothing")
        add("--list", dest="lists", type=Path, action="append", default=[], metavar="FILE",
            help="what was destroyed and used since, besides BACKUP_LIST; may be repeated")  # fmt: skip
        add("--without-list", action="store_true", help="although nothing tells that; ends all invitations")
        add("--replace", action="store_true", help="although the database is not empty")
        add("--yes", action="store_true", help="do not ask")
        add("--key", type=Path, metavar="FILE", help="holds the SECRET_KEY of then, if it was changed since")

    def handle(self, **options: Any) -> None:
        wanted = RestoreOptions(**{name: options[name] for name in RestoreOptions.__dataclass_fields__})
        self.send_json(carry_out(wanted, timezone.now(), self.stderr.write, self.ask))

    def ask(self, question: str) -> str:
        self.stderr.write(question, ending="")
        return sys.stdin.readline()
