import sys
from argparse import ArgumentParser
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from candor.commands.command_base import DESIGN, RECORDS, print_json
from candor.record_file_mining import MiningFiles, mine_files
from mining.counting import MinedRecords
from mining.itemsets.frequent import Level, Watch
from mining.parameters import Parameters
from privacy.designs import Design

SOON = 2.0
HELP = "Mine the itemsets and rules of a file of records, as JSON."


def add_arguments(parser: ArgumentParser) -> None:
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
    parser.add_argument("--margins", type=Path, metavar="MARGINS.csv", help="weight single answers to these")
    parser.add_argument(
        "--told",
        type=Path,
        metavar="REPORT.json",
        help="mine only what this report of the same survey may tell",
    )

    cluster = parser.add_mutually_exclusive_group()
    cluster.add_argument(
        "--scheduler",
        metavar="tcp://HOST:PORT",
        help="count on the workers of this Dask cluster; RECORDS may be a pattern, as 'records/*.parquet'",
    )
    cluster.add_argument(
        "--local-cluster",
        type=int,
        metavar="N",
        help="count in N processes of this machine, of a pattern too",
    )
    cluster.add_argument(
        "--export",
        action="store_true",
        help="RECORDS is the export of another tool, inside which the survey was asked",
    )


def run(
    *,
    coherent: bool,
    check: bool,
    measures: str | None,
    scheduler: str | None,
    local_cluster: int | None,
    export: bool,
    **given: Any,
) -> None:
    load_numba_without_extras()
    files = MiningFiles(**{name: given.pop(name) for name in MiningFiles._fields})
    mine = partial(
        mine_files, files, Parameters(**given), coherent=coherent, check=check, watch=make_delayed_reporter()
    )
    if scheduler or local_cluster:
        from candor.dask import reader_on_cluster  # late for cost

        with reader_on_cluster(scheduler, local_cluster, report_files) as read:
            mined = mine(read=read)
    else:
        mined = mine(read=_read_export) if export else mine()
    for remark in mined.remarks():
        print(remark, file=sys.stderr)
    print_json(replace(mined, measures=bool(measures)).as_json())


def _read_export(design: Design, path: Path) -> MinedRecords:
    """Reads the records of an export, and says on standard error what gave none."""
    from candor.exports import read_export  # late for cost

    read = read_export(path, design, [])
    print(read, file=sys.stderr)
    return read.records.mined


def load_numba_without_extras() -> None:
    """Loads numba without optional packages that no compiled loop needs, which saves .01 s.

    Only for a process of one thread.
    """
    hidden = [name for name in ("cffi", "scipy", "yaml") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        import numba  # noqa: F401  # late for cost
    finally:
        for name in hidden:
            del sys.modules[name]


def report_files(number: int, total: int) -> None:
    if number in {total, *range(0, total, max(total // 20, 1))}:
        print(f"{number} of {total} files are read ...", file=sys.stderr)


def make_delayed_reporter() -> Watch:
    """Returns a progress callback that reports each count of itemsets once the search takes more than SOON seconds."""
    begin = monotonic()

    def report_level(level: Level) -> None:
        if level.survivors is None and monotonic() - begin > SOON:
            print(f"Itemsets of {level.size} are counted ...", file=sys.stderr)

    return report_level
