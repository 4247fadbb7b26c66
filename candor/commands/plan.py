from argparse import ArgumentParser
from pathlib import Path

from candor import studies
from candor.commands.command_base import DESIGN, RECORDS, CommandError, print_json
from candor.surveys import read_records
from mining.json_codec import dump_brief

HELP = "Print the SHA-256 of a plan of hypotheses; with a design and its records test them, as JSON."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("plan", type=Path, metavar="PLAN.json", help="the frozen hypotheses")
    parser.add_argument("design", nargs="?", **DESIGN)
    parser.add_argument("records", nargs="?", **RECORDS)


def run(plan: Path, design: Path | None, records: Path | None) -> None:
    if design and not records:
        raise CommandError("RECORDS.csv is missing: name the records of the design", status=2)
    of_design = read_records(records, design) if design and records else None
    result = studies.plan(plan, of_design)
    print_json(dump_brief(result))
