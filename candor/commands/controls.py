from argparse import ArgumentParser
from pathlib import Path

from candor.commands.command import DESIGN, RECORDS, send_json
from mining.document.codec import dump_brief
from mining.studies.control_items import controls_file

HELP = "Read the control items of a file of records, and correct the shares of the answers, as JSON."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("design", **DESIGN)
    parser.add_argument("records", **RECORDS)


def run(design: Path, records: Path) -> None:
    result = controls_file(design, records)
    send_json(dump_brief(result))
