from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from mining.document.codec import dump_brief
from mining.studies.hypothesis_tests import plan_file
from surveys.management.file_command import DESIGN, RECORDS, FileCommand


class Command(FileCommand):
    help = "Print the SHA-256 of a plan of hypotheses; with a design and its records test them, as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("plan", type=Path, metavar="PLAN.json", help="the frozen hypotheses")
        parser.add_argument("design", nargs="?", **DESIGN)
        parser.add_argument("records", nargs="?", **RECORDS)

    def handle(self, *, plan: Path, design: Path | None, records: Path | None, **_: Any) -> None:
        if design and not records:
            raise CommandError("RECORDS.csv is missing: name the records of the design", returncode=2)
        result = plan_file(plan, design, records)
        self.send_json(dump_brief(result))
