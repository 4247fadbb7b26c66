from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from papers.document_structure import DOCUMENTS, LONG, ReproductionOptions
from papers.pages_folder import are_all_pages_made, site_folder
from papers.site_build import (
    lock_site_pages,
    reproduce_documents,
    store_numbers,
    store_site_pages,
    write_folder,
)

SIMULATED = "grouped-model"
ALL = "all"


class Command(BaseCommand):
    help = (
        "Make documents again (docs/references.md): a page for each in English and Chinese, its figures and tables "
        "beside ours with a verdict for each claim, all numbers as CSV, and SHA256SUMS. privacy-breach (000): what "
        "single records reveal. k-anonymity (001): classes, diversity, the lattice. location (002): mechanisms for "
        "sensitive places. publishing (003): methods that anonymise, on Adult. grouped-model (004): data D disguised "
        "to D* and mined. studies: published studies of sensitive questions. all: these six, in some minutes."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = [*DOCUMENTS, ALL]
        parser.add_argument("name", choices=names, metavar="NAME", help=", ".join(names))
        parser.add_argument(
            "-o",
            "--output",
            type=Path,
            metavar="FOLDER",
            help="left out: the pages of the site are made, unless they are there",
        )
        parser.add_argument(
            "--again",
            action="store_true",
            help=f"perform the long experiments too ({', '.join(LONG)}), whose numbers are stored",
        )
        parser.add_argument(
            "--seed",
            type=integer_at_least(0),
            help=f"of the simulation (default: {ReproductionOptions.seed}; {SIMULATED} only)",
        )
        parser.add_argument(
            "--repetitions",
            type=integer_at_least(2),
            help=f"of every setting, at least 2 (default: {ReproductionOptions.repetitions}; {SIMULATED} only)",
        )

    def handle(
        self,
        *,
        name: str,
        output: Path | None,
        again: bool,
        seed: int | None,
        repetitions: int | None,
        **_: Any,
    ) -> None:
        if name not in (SIMULATED, ALL) and (seed, repetitions) != (None, None):
            raise CommandError(f"{name} has a fixed seed: leave out --seed and --repetitions")
        seed = ReproductionOptions.seed if seed is None else seed
        run = ReproductionOptions(self.stderr.write, seed, repetitions or ReproductionOptions.repetitions)
        other_numbers = (run.seed, run.repetitions) != (
            ReproductionOptions.seed,
            ReproductionOptions.repetitions,
        )
        if output is None and other_numbers:
            raise CommandError("the site's numbers have a fixed seed: give a folder with -o")
        names = list(DOCUMENTS) if name == ALL else [name]
        try:
            if output is not None:
                output.mkdir(parents=True, exist_ok=True)
                write_folder(reproduce_documents(names, run, again or other_numbers), output)
            else:
                with lock_site_pages():
                    if again or not are_all_pages_made():
                        results = reproduce_documents(names, run, again)
                        if again:
                            store_numbers(results)
                        store_site_pages(results)
        except OSError as error:
            raise CommandError(f"{error.filename or output}: cannot be written ({error.strerror})") from None
        self.stderr.write(f"{name} is in {output or site_folder()}")


def integer_at_least(least: int) -> Callable[[str], int]:
    def parse_integer(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(f"must be a whole number, at least {least}")
        return int(text)

    return parse_integer
