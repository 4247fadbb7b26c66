"""The command `candor`: `candor own-table` disguises and mines a table that somebody brings."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from mining.own_table import experiment, export
from mining.own_table.settings import Settings
from mining.own_table.table import read_own_table
from mining.reconstruction import ESTIMATORS
from privacy.grammar.input_error import InputError
from privacy.records import binary_tables


def main(arguments: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(
        prog="candor",
        description="Estimates from disguised answers; in Python, see candor.frequent_patterns.",
    )
    commands = parser.add_subparsers(title="commands")
    _add_own_table(commands.add_parser("own-table", help="disguise and mine a table of true answers"))
    parsed = parser.parse_args(arguments)
    if "command" not in parsed:
        parser.print_help()
        return 0
    try:
        parsed.command(parsed)
    except (InputError, OSError) as refusal:
        print(refusal, file=sys.stderr)
        return 2
    return 0


def _add_own_table(parser: ArgumentParser) -> None:
    usual = Settings()
    parser.description = (
        "Disguise the table again and again as the grouped model does, mine it, and say which rules are found, missed "
        "and false, with precision, recall and W; as JSON on standard output, or as files in a folder."
    )
    parser.add_argument(
        "table", type=Path, help="CSV, .xlsx, .parquet or .sav; columns of few values are used"
    )
    parser.add_argument("--columns", nargs="+", default=[], metavar="NAME", help="use these columns alone")
    for name, symbol in (("keep", "p"), ("open_share", "k"), ("theta", "theta")):
        option, value = f"--{name.replace('_', '-')}", getattr(usual, name)
        parser.add_argument(option, type=float, default=value, help=f"{symbol} (default: {value})")
    parser.add_argument("--group-size", type=int, default=usual.group_size, help="columns disguised together")
    parser.add_argument("--min-support", type=float, default=usual.min_support)
    parser.add_argument("--min-confidence", type=float, default=usual.min_confidence)
    parser.add_argument("--estimator", choices=ESTIMATORS, default=usual.estimator)
    parser.add_argument("--seed", type=_seed, default=1, help="the same seed gives the same numbers")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FOLDER", help="write result.json, rules.csv, curves.csv"
    )
    parser.set_defaults(command=_own_table)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError("must be a whole number that is not negative")
    return int(text)


def _own_table(parsed: Namespace) -> None:
    data, name = parsed.table.read_bytes(), parsed.table.name
    text = binary_tables.csv_of(data, name, binary_tables.load(data))
    table = read_own_table(data if text is None else text, name, wanted=parsed.columns)
    for omitted in table.omitted:
        print(f"{omitted.name}: {omitted.template % omitted.numbers}; left out", file=sys.stderr)
    settings = Settings(**{field.name: getattr(parsed, field.name) for field in fields(Settings)})
    result = experiment.run_experiment(table, settings, parsed.seed)
    files = {
        "result.json": export.result_json(settings, parsed.seed, result),
        "rules.csv": export.rules_csv(result.rules),
        "curves.csv": export.curves_csv(result),
    }
    if parsed.output is None:
        print(files["result.json"], end="")
        return
    parsed.output.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        (parsed.output / file).write_text(content, encoding="utf-8", newline="")


if __name__ == "__main__":
    raise SystemExit(main())
