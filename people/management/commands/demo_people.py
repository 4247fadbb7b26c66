import json
import secrets
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.utils import timezone

from people.demo import CAST, seed


class Command(BaseCommand):
    help = "Make the demo's researcher and reviewer, or give them new passwords; both are printed as JSON."

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError(
                "A production instance gets no demo accounts: anybody could guess their names."
            )
        passwords = {part: secrets.token_urlsafe(12) for part in CAST}
        people = seed(timezone.now(), passwords)
        printed = {p: {"username": people[p].username, "password": passwords[p]} for p in CAST}
        self.stdout.write(json.dumps(printed))
