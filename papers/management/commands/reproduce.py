from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from mining.runs import kernel_cache

SEED = 1
REPETITIONS = 30
SIMULATED = "grouped-model"
COMPUTED = ("privacy-breach", "location")
"""With fixed seeds, within seconds."""


class Command(BaseCommand):
    help = (
        "Make a paper's tables and figures again, beside ours. grouped-model: data D are disguised to D*, both are "
        "mined, and what D* says wrongly or misses is counted; for both of the paper's readings of k. privacy-breach: "
        "what single records reveal under three laws, and a law for each of three stated conditions. location: "
        "errors of mechanisms for sensitive places, with the best squares."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name",
            choices=[SIMULATED, *COMPUTED],
            metavar="NAME",
            help=f"{SIMULATED}, {COMPUTED[0]} or {COMPUTED[1]}",
        )
        parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
        parser.add_argument(
            "--seed", type=at_least(0), help=f"of the simulation (default: {SEED}; {SIMULATED} only)"
        )
        parser.add_argument(
            "--repetitions",
            type=at_least(2),
            help=f"of every setting, at least 2 (default: {REPETITIONS}; {SIMULATED} only)",
        )

    def handle(self, *, name: str, output: Path, seed: int | None, repetitions: int | None, **_: Any) -> None:
        try:
            if name == SIMULATED:
                from papers import grouped_model  # late for cost

                cache = kernel_cache.folder()
                chosen = SEED if seed is None else seed, cache, repetitions or REPETITIONS
                grouped_model.reproduce(output, *chosen, self.stderr.write)
            elif (seed, repetitions) != (None, None):
                raise CommandError(f"{name} has a fixed seed: leave out --seed and --repetitions")
            elif name == "location":
                from papers import location  # late for cost

                location.reproduce(output)
            else:
                from papers import privacy_breach  # late for cost

                privacy_breach.reproduce(output)
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
