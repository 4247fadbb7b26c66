"""The command restore: verify, lock, show the plan, ask for confirmation, restore."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.utils import timezone

from candor.commands.command_base import print_json
from config.backup import survey_and_account_facts
from config.backup.archive import BackupRefused, Key, instance_key, read_key_file, verify_archive
from config.backup.base_command import BackupCommand
from config.backup.models import Backup
from config.backup.restore_plan import plan_lines, plan_restore
from config.backup.restoring import restore
from config.environment import APPLICATION
from config.start import instance_lock
from jobs import database
from jobs.models import Worker

WORD = "replace"
MACHINES = (
    "SELECT DISTINCT coalesce(host(client_addr), 'this machine') FROM pg_stat_activity WHERE datname ="
    " current_database() AND application_name = %s AND pid <> pg_backend_pid() ORDER BY 1"
)
"""SQL query for the machines from which other processes of the product use this PostgreSQL database."""


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

    def handle(self, *, file: Path, key: Path | None, **options: Any) -> None:
        keys = keys_to_try(key)
        try:
            content = file.open("rb")
        except OSError as error:
            raise BackupRefused(f"{file} cannot be read ({error.strerror})") from None
        with content:
            archive = verify_archive(file, content, keys)
            now, summary = timezone.now(), survey_and_account_facts.backup_summary(archive.head)
            if options["check"]:
                # It replaces nothing, so the product may run, and what a list would add is told as far as it is here.
                plan = plan_restore(archive, keys, options["lists"], without_list=True)
                if plan.living is not None:
                    Backup.objects.filter(pk=UUID(archive.head["id"])).update(checked=now)
                print_json(summary | plan.summary(now))
                return
            with instance_lock.lock_exclusively(settings.VAR):
                refuse_beside_other_machines()
                plan = plan_restore(archive, keys, options["lists"], without_list=options["without_list"])
                for line in plan_lines(plan, now):
                    self.stderr.write(line)
                if plan.living is not None:
                    self.confirm(replace=options["replace"], yes=options["yes"])
                result = restore(plan, now, self.stderr.write)
        print_json(summary | result)

    def confirm(self, *, replace: bool, yes: bool) -> None:
        """Asks the person to confirm that the database is replaced; refuses without `--replace`."""
        if not replace:
            raise BackupRefused("the database is not empty; --replace puts the backup in its place")
        if not yes:
            self.stderr.write(f"Type {WORD} to go on: ", ending="")
            if sys.stdin.readline().strip() != WORD:
                raise BackupRefused("nothing was changed")


def keys_to_try(earlier: Path | None) -> list[Key]:
    """Returns the keys with which a backup may be sealed.

    These are the instance's own key, if there is one, and the key in the file `earlier`, if given.
    """
    if earlier is None:
        return [instance_key()]
    key = read_key_file(earlier)
    try:
        return [instance_key(), key]
    except BackupRefused:
        return [key]


def refuse_beside_other_machines() -> None:
    """Refuses a restore while web servers or workers on other machines use this database.

    On this machine the lock in VAR excludes them.
    """
    if connection.vendor == "sqlite":
        Path(connection.settings_dict["NAME"]).parent.mkdir(parents=True, exist_ok=True)
        return
    with connection.cursor() as cursor:
        cursor.execute(MACHINES, [APPLICATION])
        machines = ", ".join(machine for (machine,) in cursor.fetchall())
    if machines:
        raise BackupRefused(
            f"Candor uses this database from {machines}; stop its web servers and workers first"
        )
    # A worker is connected only now and then.
    if Worker._meta.db_table in connection.introspection.table_names() and (
        heard := Worker.objects.with_recent_heartbeat(database.now())
    ):
        names = ", ".join(worker.name for worker in heard)
        raise BackupRefused(
            f"a worker was heard a moment ago ({names}); stop it first, or wait half a minute if it has ended"
        )
