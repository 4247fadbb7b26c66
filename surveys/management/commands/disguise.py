from argparse import ArgumentParser
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError

from privacy.designs import Refusal, parse_file
from privacy.mechanisms.coins import secure_words, seeded_words
from privacy.mechanisms.truth_file import disguise_file
from surveys.management.sending import send

MEMORY = 16_000_000


class Command(BaseCommand):
    help = "Disguise a file of true answers into a file of records."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("design", type=Path, metavar="DESIGN")
        parser.add_argument("truth", type=Path, metavar="TRUTH.csv")
        parser.add_argument("--seed", type=int, help="draw the same coins again (default: the secure source)")
        parser.add_argument("--group-column", help="the column that says open or disguised (default: group)")

    def handle(
        self, *, design: Path, truth: Path, seed: int | None, group_column: str | None, **_: Any
    ) -> None:
        words = secure_words() if seed is None else seeded_words(seed)
        # Nothing may be written before the last row has been accepted.
        with SpooledTemporaryFile(MEMORY, "w+", encoding="utf-8", newline="") as records:
            try:
                with _opened(truth) as file:
                    disguise_file(parse_file(design), file, str(truth), records, words, group_column)
                records.seek(0)
            except Refusal as refusal:
                raise CommandError(str(refusal)) from None
            except OSError as error:
                raise CommandError(f"the records cannot be kept until the last ({error.strerror})") from None
            send(self.stdout, records)


def _opened(truth: Path) -> BinaryIO:
    try:
        return truth.open("rb")
    except OSError as error:
        raise Refusal(str(truth), f"cannot be read ({error.strerror})") from None
