from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts import password_guess_limits
from accounts.models import Person


class Command(BaseCommand):
    help = "Forget the wrong passwords that were counted for an account, so that its owner can try at once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, username: str, **options: Any) -> None:
        if not Person.objects.filter(username=username).exists():
            raise CommandError(f"There is no account called {username}.")
        password_guess_limits.reset_counts(username)
        self.stdout.write(f"The wrong passwords counted for {username} are forgotten.")
