import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.lifecycle import asked_at
from surveys.models import Survey


class Command(BaseCommand):
    help = (
        "Write the frozen page of a survey, which another host serves, as a ZIP archive to standard output."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("survey", metavar="SURVEY", help="the last part of its address, or its number")

    def handle(self, *, survey: str, **_: Any) -> None:
        chosen = Survey.objects.filter(**{"pk" if survey.isdecimal() else "slug": survey}).first()
        folder = asked_at.current_folder(chosen) if chosen else None
        if folder is None:
            raise CommandError(f"there is no survey {survey} with a frozen page")
        sys.stdout.buffer.write(bytes(folder.content))
        self.stderr.write(f"SHA-256 of its SHA256SUMS: {folder.sums_sha256}")
