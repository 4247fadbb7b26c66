from argparse import ArgumentParser
from pathlib import Path

from candor import studies
from candor.commands.command_base import DESIGN, RECORDS, CommandError, print_json
from candor.surveys import read_records
from mining.json_codec import dump_brief

HELP = "Print the SHA-256 of a plan of hypotheses; with a design and its records test them, as JSON."
EARLIER = "of the survey that the design follows, for hypotheses about a change"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("plan", type=Path, metavar="PLAN.json", help="the frozen hypotheses")
    parser.add_argument("design", nargs="?", **DESIGN)
    parser.add_argument("records", nargs="?", **RECORDS)
    parser.add_argument("earlier_design", nargs="?", **DESIGN | {"help": EARLIER})
    parser.add_argument("earlier_records", nargs="?", **RECORDS | {"help": EARLIER})


def run(
    plan: Path,
    design: Path | None,
    records: Path | None,
    earlier_design: Path | None,
    earlier_records: Path | None,
) -> None:
    if bool(design) != bool(records) or bool(earlier_design) != bool(earlier_records):
        raise CommandError("RECORDS.csv is missing: name the records of the design", status=2)
    of_design, of_earlier = (
        read_records(its_records, its_design) if its_design and its_records else None
        for its_design, its_records in ((design, records), (earlier_design, earlier_records))
    )
    result = studies.plan(plan, of_design, of_earlier)
    print_json(dump_brief(result))
