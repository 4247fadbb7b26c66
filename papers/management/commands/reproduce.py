from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs import kernel_cache

SEED = 1
REPETITIONS = 30
SIMULATED = "grouped-model"
Say = Callable[[str], object]


def _privacy_breach(output: Path, _say: Say) -> None:
    from papers import privacy_breach  # late for cost

    privacy_breach.reproduce(output)


def _location(output: Path, _say: Say) -> None:
    from papers import location  # late for cost

    location.reproduce(output)


def _publishing(output: Path, say: Say) -> None:
    from papers import publishing  # late for cost
    from papers.publishing.adult import adult  # late for cost

    publishing.reproduce(output, adult(), kernel_cache.folder(), say)


def _studies(output: Path, _say: Say) -> None:
    from papers import studies  # late for cost

    studies.reproduce(output)


COMPUTED = {
    "privacy-breach": _privacy_breach,
    "location": _location,
    "publishing": _publishing,
    "studies": _studies,
}
"""With fixed seeds."""


class Command(BaseCommand):
    help = (
        "Make a paper's tables and figures again, beside ours. grouped-model: data D are disguised to D*, both are "
        "mined, and what D* says wrongly or misses is counted; for both of the paper's readings of k. privacy-breach: "
        "what single records reveal under three laws, and a law for each of three stated conditions. location: "
        "errors of mechanisms for sensitive places, with the best squares. publishing: a register linked with a table, "
        "the lattice of generalisations, and four experiments on Adult, in some minutes. "
        "studies: estimates from the counts of three published studies of sensitive questions."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name",
            choices=[SIMULATED, *COMPUTED],
            metavar="NAME",
            help=", ".join([SIMULATED, *COMPUTED]),
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
            else:
                COMPUTED[name](output, self.stderr.write)
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
