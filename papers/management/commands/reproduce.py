from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from mining.runs import kernel_cache

SEED = 1
REPETITIONS = 30


class Command(BaseCommand):
    help = (
        "Make a paper's tables and figures again, beside ours. grouped-model: data D are disguised to D*, both are "
        "mined, and what D* says wrongly or misses is counted; for both of the paper's readings of k."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=["grouped-model"], metavar="NAME", help="grouped-model")
        parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
        parser.add_argument(
            "--seed", type=at_least(0), default=SEED, help=f"of the simulation (default: {SEED})"
        )
        parser.add_argument(
            "--repetitions",
            type=at_least(2),
            default=REPETITIONS,
            help=f"of every setting, at least 2 (default: {REPETITIONS})",
        )

    def handle(self, *, name: str, output: Path, seed: int, repetitions: int, **_: Any) -> None:
        from papers import grouped_model  # late for cost

        try:
            grouped_model.reproduce(output, seed, kernel_cache.folder(), repetitions, self.stderr.write)
        except OSError as error:
            raise CommandError(f"{error.filename or output}: cannot be written ({error.strerror})") from None
        self.stderr.write(f"{name} is in {output}")


def at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise ArgumentTypeError(f"must be at least {least}")
        return value

    return number
