from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from mining.itemsets.frequent import Level, Watch
from mining.parameters import Parameters
from runs.mine_files import mine_files
from surveys.management.file_command import DESIGN, RECORDS, FileCommand

SOON = 2.0


class Command(FileCommand):
    help = "Mine the itemsets and rules of a file of records, as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("design", **DESIGN)
        parser.add_argument("records", **RECORDS)
        parser.add_argument(
            "--min-support", type=float, required=True, help="the least share of an itemset, as .1"
        )
        parser.add_argument("--min-confidence", type=float, required=True, help="the least of a rule, as .6")
        parser.add_argument(
            "--estimator",
            choices=("stratified", "pooled", "combined"),
            default="stratified",
            help="how people who answered openly and in disguise are joined (default: stratified)",
        )
        parser.add_argument(
            "--engine", choices=("bitmap", "mlxtend"), default="bitmap", help="what counts (default: bitmap)"
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="have mlxtend mine the same records, and compare both results",
        )
        parser.add_argument("--exact", action="store_true", help="prune by proof only, not by error")
        parser.add_argument("--max-size", type=int, default=3, help="items of an itemset (default: 3)")
        parser.add_argument("--absences", action="store_true", help="no is an item too")
        parser.add_argument("--coherent", action="store_true", help="supports that fit together too")
        parser.add_argument(
            "--measures",
            choices=("mlxtend",),
            help="with that package's other measures, which have no intervals",
        )
        parser.add_argument("--truth", type=Path, metavar="TRUTH.csv", help="compare with the true answers")
        parser.add_argument(
            "--margins", type=Path, metavar="MARGINS.csv", help="weight single answers to these"
        )
        parser.add_argument(
            "--told",
            type=Path,
            metavar="REPORT.json",
            help="mine only what this report of the same survey may tell",
        )

    def watch(self) -> Watch:
        """Returns a function that reports what is counted, for searches of more than SOON seconds."""
        begin = monotonic()

        def report(level: Level) -> None:
            if level.survivors is None and monotonic() - begin > SOON:
                self.stderr.write(f"Itemsets of {level.size} are counted ...")

        return report

    def handle(self, **options: Any) -> None:
        wanted = Parameters(
            **{name: options[name] for name in options.keys() & Parameters.__annotations__.keys()}
        )
        files = (options[name] for name in ("truth", "coherent", "margins", "told"))
        mined = mine_files(
            options["design"],
            options["records"],
            wanted,
            *files,
            check=options["check"],
            watch=self.watch(),
        )
        for remark in mined.remarks():
            self.stderr.write(remark)
        self.send_json(replace(mined, measures=bool(options["measures"])).as_json())
