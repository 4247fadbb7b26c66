import io
from argparse import ArgumentParser
from pathlib import Path

from candor.commands.command_base import write_output
from candor.lattices import generalisation_lattice
from privacy.records.csv_writer import csv_writer

HELP = "List or draw all generalisations of a table by its own hierarchies, and mark the minimal ones (Samarati)."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("table", type=Path, metavar="TABLE.csv", help="a row for each person")
    parser.add_argument("specification", type=Path, metavar="SPEC.json", help="hierarchies and criteria")
    parser.add_argument("--svg", action="store_true", help="a drawing in place of a CSV table")


def run(table: Path, specification: Path, svg: bool) -> None:
    lattice = generalisation_lattice(table, specification)
    text = io.StringIO(newline="")
    writer = csv_writer(text)
    writer.writerow(lattice.nodes.columns)
    writer.writerows(lattice.nodes.itertuples(index=False))
    write_output([lattice.svg() if svg else text.getvalue()])
