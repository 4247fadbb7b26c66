"""Estimates a sensitive number or place from records, or the shares of a disguised column from a published table."""

from argparse import ArgumentParser
from pathlib import Path

from candor import surveys
from candor.commands.command_base import DESIGN, RECORDS, print_json
from mining.estimates_from_files import estimate_disguised_column, read_specification_or_none
from mining.kinds.number.report_node_from_counts import QUANTILES

HELP = (
    "Estimate a sensitive number or place from a file of records, as JSON. "
    "What its law does not promise is null. Or, from a specification and a published table, the shares of a "
    "column before it was disguised."
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("design", **DESIGN | {"metavar": "DESIGN or SPEC.json"})
    parser.add_argument("records", **RECORDS | {"metavar": "RECORDS.csv or TABLE.csv"})
    parser.add_argument("--question", required=True, help="the name of the number, place or column")
    parser.add_argument(
        "--quantiles",
        type=float,
        nargs="+",
        default=QUANTILES,
        metavar="Q",
        help=f"between 0 and 1 (default: {' '.join(map(str, QUANTILES))})",
    )


def run(design: Path, records: Path, question: str, quantiles: list[float]) -> None:
    release = read_specification_or_none(design)
    if release:
        print_json(estimate_disguised_column(release, records, question))
    else:
        print_json(surveys.estimate(surveys.read_records(records, design), question, quantiles))
