from argparse import ArgumentParser
from functools import cache
from pathlib import Path
from typing import Any

from mining.anonymization import anonymize_files
from releases.lifecycle import kernel_cache
from surveys.management.file_command import FileCommand


class Command(FileCommand):
    help = "Anonymise a table, as a specification asks, into a file that is checked before it appears."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, metavar="TABLE.csv", help="a row for each person")
        parser.add_argument("specification", type=Path, metavar="SPEC.json", help="what the table must keep")
        parser.add_argument(
            "-o", "--out", type=Path, required=True, metavar="OUT.csv", help="what is written"
        )

    def handle(self, *, table: Path, specification: Path, out: Path, **options: Any) -> None:
        folder = kernel_cache.folder()
        said = anonymize_files(table, specification, out, folder, compiling=self._report_compiling)
        self.send_json(said)

    @cache  # noqa: B019  # a command lives as long as its process
    def _report_compiling(self) -> None:
        """Writes once that the search is being compiled."""
        self.stderr.write("The search is compiled, which takes about a minute after an installation.")
