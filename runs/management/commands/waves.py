from argparse import ArgumentParser
from typing import Any

from mining.document.codec import dump_brief
from mining.studies.waves import waves_files
from surveys.management.file_command import DESIGN, RECORDS, FileCommand


class Command(FileCommand):
    help = "Compare two waves of a survey, the earlier one first, as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        for wave in ("earlier", "later"):
            parser.add_argument(f"{wave}_design", **DESIGN)
            parser.add_argument(f"{wave}_records", **RECORDS)

        parser.add_argument(
            "--drawn-anew",
            action="store_true",
            help="the people of each wave were drawn anew, so that nobody answered both; intervals are narrower",
        )

    def handle(self, **options: Any) -> None:
        earlier, later = (
            (options[f"{wave}_design"], options[f"{wave}_records"]) for wave in ("earlier", "later")
        )
        result = waves_files(earlier, later, shared=not options["drawn_anew"])
        self.send_json(dump_brief(result))
