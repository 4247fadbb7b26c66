"""Command that creates again the triggers by which the database protects opened surveys, designs and the
history."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from surveys import triggers


class Command(BaseCommand):
    help = "Install again whatever keeps opened surveys, designs and the history from being changed."
    # It mends what the checks complain of.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--print", action="store_true", help="print the SQL for this kind of database, for a migration"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["print"]:
            self.stdout.write(
                "\n".join(
                    f"{statement.strip()};" for statement in triggers.restore_trigger_statements(connection)
                )
            )
        else:
            triggers.restore_triggers()
