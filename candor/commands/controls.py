from argparse import ArgumentParser
from pathlib import Path

from candor.commands.command_base import DESIGN, RECORDS, print_json
from candor.studies import control_items
from candor.surveys import read_records
from mining.json_codec import dump_brief

HELP = "Read the control items of a file of records, and correct the shares of the answers, as JSON."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("design", **DESIGN)
    parser.add_argument("records", **RECORDS)


def run(design: Path, records: Path) -> None:
    result = control_items(read_records(records, design))
    print_json(dump_brief(result))
