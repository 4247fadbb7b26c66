from argparse import ArgumentParser
from pathlib import Path

from candor.commands.command import CommandError, send_json
from mining.anonymization import read_specification_file
from privacy.anonymity.risk import attack_sentences
from privacy.anonymity.risk.attacked_table import ShownTable, read_shown
from privacy.anonymity.risk.attacks import passes_attacks, run_attacks
from privacy.anonymity.tables.specification import Specification
from privacy.records.record_file import open_file

HELP = (
    "Attack an anonymised table, of this or another tool, as somebody would who has it and knows something else. "
    "Exit status 0: the criteria of the specification hold; 1: they do not; 2: bad input."
)
REFUSED_STATUS = 2


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
    said = read_specification_file(specification)
    answer = run_attacks(
        _read_shown_table(release, said, complete=True),
        said,
        ruled_out=ruled_out,
        register=_read_shown_table(register, said) if register else None,
        others={str(path): _read_shown_table(path, said) for path in beside},
        named=True,
    )
    holds = passes_attacks(answer)
    send_json({"says": attack_sentences.sentences(answer), "holds": holds, **answer})
    if not holds:
        raise CommandError("the file does not keep the criteria of the specification", status=1)


def _read_shown_table(path: Path, specification: Specification, *, complete: bool = False) -> ShownTable:
    with open_file(path) as file:
        return read_shown(file, str(path), specification, complete=complete)
