from argparse import ArgumentParser
from pathlib import Path

from candor.commands.command_base import DESIGN, RECORDS, print_json
from candor.studies import compare_arms
from candor.surveys import read_records
from mining.json_codec import dump_brief

HELP = "Compare the direct arm with the disguised one in a file of records, as JSON."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("design", **DESIGN)
    parser.add_argument("records", **RECORDS)


def run(design: Path, records: Path) -> None:
    result = compare_arms(read_records(records, design))
    print_json(dump_brief(result))
