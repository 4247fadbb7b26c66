import sys
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from candor.commands.command_base import CommandError, write_output
from candor.microdata import own_table
from mining.own_table.settings import Settings
from mining.reconstruction import ESTIMATORS

HELP = (
    "Disguise the table again and again as the grouped model does, mine it, and say which rules are found, missed "
    "and false, with precision, recall and W; as JSON on standard output, or as files in a folder."
)


def add_arguments(parser: ArgumentParser) -> None:
    usual = Settings()
    parser.add_argument(
        "table", type=Path, help="CSV, .xlsx, .parquet or .sav; columns of few values are used"
    )
    parser.add_argument("--columns", nargs="+", default=[], metavar="NAME", help="use these columns alone")
    for name, symbol in (("keep", "p"), ("open_share", "k"), ("theta", "theta")):
        option, value = f"--{name.replace('_', '-')}", getattr(usual, name)
        parser.add_argument(option, type=float, default=value, help=f"{symbol} (default: {value})")
    parser.add_argument(
        "--group-size",
        type=int,
        default=usual.group_size,
        help=f"columns disguised together (default: {usual.group_size})",
    )
    for name, what in (("support", "share of an itemset"), ("confidence", "confidence of a rule")):
        value = getattr(usual, f"min_{name}")
        parser.add_argument(
            f"--min-{name}", type=float, default=value, help=f"the least {what} (default: {value})"
        )
    parser.add_argument(
        "--estimator",
        choices=ESTIMATORS,
        default=usual.estimator,
        help=f"how open and disguised records are joined (default: {usual.estimator})",
    )
    parser.add_argument("--seed", type=_parse_seed, default=1, help="the same seed gives the same numbers")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FOLDER", help="write result.json, rules.csv, curves.csv"
    )


def _parse_seed(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError("must be a whole number that is not negative")
    return int(text)


def run(table: Path, columns: list[str], seed: int, output: Path | None, **settings: Any) -> None:
    if output and output.exists() and not output.is_dir():
        raise CommandError(f"-o: {output} is a file; name a folder", status=2)
    found = own_table(table, columns, seed=seed, **settings)
    for omitted in found.table.omitted:
        print(f"{omitted.name}: {omitted.template % omitted.numbers}; left out", file=sys.stderr)
    files = found.files()
    if output is None:
        write_output([files["result.json"]])
        return
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            part = output / f".{name}.part"
            part.write_text(content, encoding="utf-8", newline="")
            part.replace(output / name)
    except OSError as refusal:
        raise CommandError(str(refusal)) from None
