from argparse import ArgumentParser
from math import inf
from pathlib import Path

from candor.commands.command_base import print_json
from candor.privacy_breaches import read_breaches

HELP = "Say what records tell of people's values, by any matrix of probabilities and any prior, as JSON."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "matrix",
        type=Path,
        metavar="MATRIX.csv",
        help="a row for each value: its name, its prior, and the probability of each record, named in the first row",
    )
    parser.add_argument(
        "--property",
        dest="properties",
        action="append",
        default=[],
        metavar="NAME=VALUE,VALUE,...",
        help="a property of people and the values of those who have it; again for a second",
    )


def run(matrix: Path, properties: list[str]) -> None:
    named = (word.partition("=") for word in properties)
    found = read_breaches(matrix, {name: values.split(",") for name, _equals, values in named})
    rows = found.to_frame().rename_axis("of").reset_index().to_dict("records")
    amplification = None if found.amplification == inf else found.amplification
    print_json({"amplification": amplification, "beliefs": rows})
