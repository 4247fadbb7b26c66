from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from candor.commands.command_base import DESIGN, RECORDS, print_json
from candor.studies import fit_model
from candor.surveys import read_records
from mining.json_codec import dump_brief

HELP = "Fit a model of the share of a sensitive answer among plain ones to a file of records, as JSON."
LISTS = (
    ("product", "AGE*SEX", "a product of two covariates"),
    ("number", "QUESTION", "a scale to be taken as the number of its choice"),
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("design", **DESIGN)
    parser.add_argument("records", **RECORDS)
    parser.add_argument("--item", required=True, help="the answer, as theft=yes")
    parser.add_argument(
        "--on", action="append", required=True, metavar="QUESTION", help="a covariate; arm: the arm"
    )
    for name, metavar, text in LISTS:
        parser.add_argument(
            f"--{name}", action="append", default=[], metavar=metavar, help=text, dest=f"{name}s"
        )
    parser.add_argument("--among", action="append", default=[], metavar="ITEM", help="as work=employed")
    parser.add_argument("--logit", action="store_true", help="a logit, not the linear model")


def run(design: Path, records: Path, item: str, on: list[str], **options: Any) -> None:
    print_json(dump_brief(fit_model(read_records(records, design), item, on, **options)))
