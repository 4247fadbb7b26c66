import sys
from argparse import ArgumentParser
from functools import cache
from pathlib import Path

from candor.commands.command_base import print_json
from mining.table_file_anonymisation import anonymize_files

HELP = "Anonymise a table, as a specification asks, into a file that is checked before it appears."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("table", type=Path, metavar="TABLE.csv", help="a row for each person")
    parser.add_argument("specification", type=Path, metavar="SPEC.json", help="what the table must keep")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="OUT.csv", help="what is written")


def run(table: Path, specification: Path, out: Path) -> None:
    print_json(anonymize_files(table, specification, out, compiling=_report_compiling))


@cache
def _report_compiling() -> None:
    """Writes once on standard error that the search is being compiled."""
    print("The search is compiled, which takes about a minute after an installation.", file=sys.stderr)
