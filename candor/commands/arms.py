from argparse import ArgumentParser
from pathlib import Path

from candor.commands.command import DESIGN, RECORDS, send_json
from mining.document.codec import dump_brief
from mining.studies.arms import arms_file

HELP = "Compare the direct arm with the disguised one in a file of records, as JSON."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("design", **DESIGN)
    parser.add_argument("records", **RECORDS)


def run(design: Path, records: Path) -> None:
    result = arms_file(design, records)
    send_json(dump_brief(result))
