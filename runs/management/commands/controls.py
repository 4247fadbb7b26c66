from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from mining.document.codec import dump_brief
from mining.studies.control_items import controls_file
from surveys.management.file_command import DESIGN, RECORDS, FileCommand


class Command(FileCommand):
    help = "Read the control items of a file of records, and correct the shares of the answers, as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("design", **DESIGN)
        parser.add_argument("records", **RECORDS)

    def handle(self, *, design: Path, records: Path, **_: Any) -> None:
        result = controls_file(design, records)
        self.send_json(dump_brief(result))
