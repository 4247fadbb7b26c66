"""Checks a design and, if given, a file of records against the design."""

from argparse import ArgumentParser
from pathlib import Path

from candor.commands.command_base import DESIGN, RECORDS, print_json
from privacy.designs import parse_design_file

HELP = (
    "Check a design, and records against it. Prints what was read, as JSON; refuses a file that no command can read, "
    "with the place and the reason."
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("design", **DESIGN)
    parser.add_argument("records", nargs="?", **RECORDS)


def run(design: Path, records: Path | None) -> None:
    form = parse_design_file(design)
    result: dict[str, object] = {
        "design": form.fingerprint,
        "questions": len(form.questions),
        "sensitive": sum(len(section.questions) for section in form.sections if section.sensitive),
    }
    if records:
        from mining.counting import read_record_file  # late for cost

        opened, disguised = read_record_file(form, records).counter().n
        result |= {"open": opened, "disguised": disguised}
    print_json(result)
