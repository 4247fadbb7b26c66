from argparse import ArgumentParser
from pathlib import Path

from candor.commands.command import DESIGN, RECORDS, CommandError, send_json
from mining.document.codec import dump_brief
from mining.studies.hypothesis_tests import plan_file

HELP = "Print the SHA-256 of a plan of hypotheses; with a design and its records test them, as JSON."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("plan", type=Path, metavar="PLAN.json", help="the frozen hypotheses")
    parser.add_argument("design", nargs="?", **DESIGN)
    parser.add_argument("records", nargs="?", **RECORDS)


def run(plan: Path, design: Path | None, records: Path | None) -> None:
    if design and not records:
        raise CommandError("RECORDS.csv is missing: name the records of the design", status=2)
    result = plan_file(plan, design, records)
    send_json(dump_brief(result))
