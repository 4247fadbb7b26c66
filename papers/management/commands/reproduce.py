from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

SEED = 1


class Command(BaseCommand):
    help = "Make a paper's tables and figures again, beside ours."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=["grouped-model"], metavar="NAME", help="grouped-model")
        parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
        parser.add_argument("--seed", type=int, default=SEED, help=f"of the simulation (default: {SEED})")

    def handle(self, *, name: str, output: Path, seed: int, **_: Any) -> None:
        import numpy as np

        from papers import grouped_model

        try:
            grouped_model.reproduce(output, np.random.default_rng(seed))
        except OSError as error:
            raise CommandError(f"{error.filename or output}: cannot be written ({error.strerror})") from None
        self.stderr.write(f"{name} is in {output}")
