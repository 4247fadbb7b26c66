from argparse import ArgumentParser
from pathlib import Path

from candor.commands.command_base import DESIGN, RECORDS, print_json
from candor.studies import compare_waves
from candor.surveys import read_records
from mining.json_codec import dump_brief

HELP = "Compare two waves of a survey, the earlier one first, as JSON."


def add_arguments(parser: ArgumentParser) -> None:
    for wave in ("earlier", "later"):
        parser.add_argument(f"{wave}_design", **DESIGN)
        parser.add_argument(f"{wave}_records", **RECORDS)
    parser.add_argument(
        "--drawn-anew",
        action="store_true",
        help="the people of each wave were drawn anew, so that nobody answered both; intervals are narrower",
    )


def run(
    earlier_design: Path,
    earlier_records: Path,
    later_design: Path,
    later_records: Path,
    *,
    drawn_anew: bool,
) -> None:
    earlier = read_records(earlier_records, earlier_design)
    later = read_records(later_records, later_design)
    result = compare_waves(earlier, later, shared=not drawn_anew)
    print_json(dump_brief(result))
