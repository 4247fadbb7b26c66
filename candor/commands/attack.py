from argparse import ArgumentParser
from pathlib import Path

from candor.commands.command_base import CommandError, print_json
from candor.microdata import attack

HELP = "Attack an anonymised table, of this or another tool, as somebody would who has it and knows something else."
REFUSED_STATUS = 2
STATUSES = "exit status: 0 it keeps the criteria, 1 it does not, 2 bad input, wrong usage or failed"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("release", type=Path, metavar="RELEASE.csv", help="the published table")
    parser.add_argument("specification", type=Path, metavar="SPEC.json", help="what the table promises")
    parser.add_argument(
        "--register",
        type=Path,
        metavar="R.csv",
        help="people with some of the quasi-identifiers; the first other column is their name",
    )
    parser.add_argument(
        "--beside",
        type=Path,
        action="append",
        default=[],
        metavar="OTHER.csv",
        help="another anonymised file of the same people; again for a third",
    )
    parser.add_argument(
        "--ruled-out",
        type=int,
        default=1,
        metavar="N",
        help="how many sensitive values of a person somebody can rule out (default: 1)",
    )


def run(
    release: Path, specification: Path, register: Path | None, beside: list[Path], ruled_out: int
) -> None:
    answer = attack(release, specification, register=register, beside=beside, ruled_out=ruled_out)
    print_json(answer)
    if not answer["holds"]:
        raise CommandError("the file does not keep the criteria of the specification", status=1)
