"""Disguises a file of true answers into a file of records, as respondents' devices would."""

from argparse import ArgumentParser
from collections.abc import Iterable
from itertools import count, islice
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
    parser.add_argument(
        "--rows-per-file",
        type=int,
        metavar="N",
        help="write parts of N rows, records-1.csv and so on, with -o",
    )
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FOLDER", help="an empty or new folder for the parts"
    )


def run(
    design: Path,
    truth: Path,
    seed: int | None,
    group_column: str | None,
    rows_per_file: int | None,
    out: Path | None,
) -> None:
    if (rows_per_file is None) != (out is None) or (rows_per_file is not None and rows_per_file < 1):
        raise CommandError("--rows-per-file is a number above 0, and -o names the folder for the parts", 2)
    words = secure_words() if seed is None else seeded_words(seed)
    # Nothing may be written before the last row has been accepted.
    with SpooledTemporaryFile(MEMORY, "w+", encoding="utf-8", newline="") as records:
        try:
            with open_as_plain_csv(truth) as file:
                disguise_file(parse_design_file(design), file, str(truth), records, words, group_column)
            records.seek(0)
        except OSError as error:
            raise CommandError(f"the records cannot be kept until the last ({error.strerror})") from None
        if out and rows_per_file:
            write_parts(records, out, rows_per_file)
        else:
            write_output(records)


def write_parts(records: Iterable[str], folder: Path, rows: int) -> None:
    """Writes the rows of a CSV file, none of which has a line end in a cell, into files of so many, each with the
    head."""
    lines = iter(records)
    head = next(lines)
    try:
        folder.mkdir(exist_ok=True)
        if any(folder.iterdir()):
            raise CommandError(f"{folder}: is not empty")
        for number in count(1):
            part = list(islice(lines, rows))
            if not part:
                return
            (folder / f"records-{number}.csv").write_text(
                "".join([head, *part]), encoding="utf-8", newline=""
            )
    except OSError as error:
        raise CommandError(f"{folder}: cannot be written ({error.strerror})") from None
