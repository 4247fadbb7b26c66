from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from mining.estimate import estimate_file
from mining.numbers.finding import QUANTILES
from surveys.management.files import FileCommand


class Command(FileCommand):
    help = (
        "Estimate a sensitive number or place from a file of records, as JSON. "
        "What its law does not promise is null."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("design", type=Path, metavar="DESIGN")
        parser.add_argument("records", type=Path, metavar="RECORDS.csv")
        parser.add_argument("--question", required=True, help="the name of the number or place")
        parser.add_argument("--quantiles", type=float, nargs="+", default=QUANTILES, metavar="Q")

    def handle(self, *, design: Path, records: Path, question: str, quantiles: list[float], **_: Any) -> None:
        found = estimate_file(design, records, question, quantiles)
        self.send_json(found)
