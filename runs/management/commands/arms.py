from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from mining.document.codec import dump_brief
from mining.studies.arms import arms_file
from surveys.management.file_command import DESIGN, RECORDS, FileCommand


class Command(FileCommand):
    help = "Compare the direct arm with the disguised one in a file of records, as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("design", **DESIGN)
        parser.add_argument("records", **RECORDS)

    def handle(self, *, design: Path, records: Path, **_: Any) -> None:
        result = arms_file(design, records)
        self.send_json(dump_brief(result))
