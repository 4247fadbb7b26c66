"""Disguises a file of true answers into a file of records, as respondents' devices would."""

from argparse import ArgumentParser
from pathlib import Path
from tempfile import SpooledTemporaryFile

from candor.commands.command_base import DESIGN, RECORDS, CommandError, write_output
from privacy.designs import parse_design_file
from privacy.mechanisms.random_draws import secure_words, seeded_words
from privacy.mechanisms.simulated_device import disguise_file
from privacy.records.record_file import open_as_plain_csv

MEMORY = 16_000_000
HELP = "Disguise a file of true answers into a file of records."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("design", **DESIGN)
    parser.add_argument("truth", **RECORDS | {"metavar": "TRUTH.csv"})
    parser.add_argument("--seed", type=int, help="draw the same coins again (default: the secure source)")
    parser.add_argument("--group-column", help="the column that says open or disguised (default: group)")


def run(design: Path, truth: Path, seed: int | None, group_column: str | None) -> None:
    words = secure_words() if seed is None else seeded_words(seed)
    # Nothing may be written before the last row has been accepted.
    with SpooledTemporaryFile(MEMORY, "w+", encoding="utf-8", newline="") as records:
        try:
            with open_as_plain_csv(truth) as file:
                disguise_file(parse_design_file(design), file, str(truth), records, words, group_column)
            records.seek(0)
        except OSError as error:
            raise CommandError(f"the records cannot be kept until the last ({error.strerror})") from None
        write_output(records)
