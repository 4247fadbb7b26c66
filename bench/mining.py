"""Itemsets of disguised records: ours beside mlxtend and pyfim's eclat.

python -m bench.mining [adult|growth ...] [--repeats 7] [--figures bench/figures]

One process, one thread, processor time (a clock would measure what else the machine does). Yes/no questions in one
section, theta 1/2, keep .5; min_support .1. `adult` is the Adult table as 40 yes/no items of which half answer openly,
itemsets of up to three. A peer finds what is observed often enough, at the one threshold that guarantees the answer,
and is not charged for inverting it; ours counts, reconstructs and knows every interval. Beside these figures stand what
the counting alone would allow, and the peers on the undisguised table. Peers get the records as they like them best (a
boolean table, lists of items), ours the columns of a batch; making these is not timed. Times are medians. `growth`
measures how time grows with records and items, and writes its table and its figure into the folder `--figures`.
"""

import argparse
import csv
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from mlxtend.frequent_patterns import apriori
from numpy.typing import NDArray

from mining.counting import counter_of, warm
from mining.counts import CounterWrapper, Counts, Queries, Query
from mining.itemsets.frequent import ROUNDING, Frequent, frequent
from mining.parameters import MAX_SIZE, Parameters
from mining.reconstruction import CachedCounter, least_count
from papers.publishing.adult import adult_table
from privacy.designs import Design
from privacy.records.columns import pack, read
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, LatentClasses, Population
from tests.privacy.questionnaires import HALF, design, question, sensitive

MIN_SUPPORT, MIN_CONFIDENCE = 0.1, 0.6
GROWTH = [(40, n) for n in (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)]
GROWTH += [(items, 100_000) for items in (10, 20, 80, 160)]
KINDS = (0.4, 0.3, 0.2, 0.1)
OPEN_SHARE = 0.2
TURN = {"ours_ms": 7, "mlxtend_ms": 1, "eclat_ms": 1, "mlxtend_raw_ms": 1, "eclat_raw_ms": 1}
"""Calls of a turn, of which the median counts: ours is over before a processor is at its pace."""
ADULT_SIZES, ADULT_OPEN, ADULT_SIZE = (100_000, 1_000_000), 0.5, 3
INK = "#1f3a5f"


def main() -> int:
    parts = {
        "adult": on_adult,
        "growth": growth,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="*", choices=[*parts, []], help="default: all of them")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--figures", type=Path, default=Path("bench/figures"))
    asked = parser.parse_args()
    chosen = asked.part or list(parts)
    if "adult" in chosen and find_spec("fim") is None:
        print(
            "bench mining: pyfim is missing; with gcc at hand: pip install --target FOLDER pyfim,"
            " then PYTHONPATH=FOLDER ./run bench mining",
            file=sys.stderr,
        )
        return 1
    with TemporaryDirectory() as folder:
        cache = Path(folder)
        warm(cache)
        for name in chosen:
            figures = parts[name](cache, asked)
            print(json.dumps({name: figures}, indent=1), flush=True)
    return 0


class Survey:
    """Four kinds of people with five habits each; whoever has one likely has the others."""

    def __init__(self, items: int, n: int) -> None:
        self.items, self.n = items, n
        self.design = yes_no_design(items)
        rng = np.random.default_rng(items)
        kinds = []
        for index in range(len(KINDS)):
            shares = np.clip(rng.beta(1.2, 4.0, items), 0.01, 0.95)
            shares[index * 5 : index * 5 + 5] = rng.uniform(0.5, 0.8, len(shares[index * 5 : index * 5 + 5]))
            kinds.append(Independent(tuple((1 - share, share) for share in shares)))
        people = Population(LatentClasses(KINDS, tuple(kinds)), open_share=OPEN_SHARE)
        self._send(*people.draw(self.design, n, rng), rng)

    def _send(self, group: NDArray[np.uint8], truth: NDArray[np.uint8], rng: np.random.Generator) -> None:
        self.truth = truth
        self.codes = disguise(self.design, group, truth, rng)
        self.packed = pack(self.design, group, self.codes)
        self.columns = read(self.design, self.packed)

    def ours(self, cache: Path, *, exact: bool = False, max_size: int | None = None) -> Frequent:
        return frequent(counter_of(self.design, [self.columns], cache), wanted(max_size or self.items, exact))

    @cached_property
    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.codes.T.astype(bool))

    @cached_property
    def transactions(self) -> list[list[int]]:
        return [np.flatnonzero(record).tolist() for record in self.codes.T]

    def least(self, cache: Path) -> int:
        """The count that every itemset reconstructed at min_support is sure to have."""
        known = CachedCounter(counter_of(self.design, [self.columns], cache))
        items = [(question, 1) for question in range(self.items)]
        return least_count(known, items, self.items, "stratified", MIN_SUPPORT - ROUNDING)


class Adult(Survey):
    """The 40 most common values of the Adult table as yes/no items, its rows drawn with replacement."""

    def __init__(self, n: int) -> None:
        self.items, self.n = 40, n
        self.design = yes_no_design(self.items)
        table = adult_table()
        has = [
            column.codes == code
            for column in (*table.quasi, *table.sensitive, *table.other)
            for code in range(len(column.texts))
        ]
        common = sorted(has, key=lambda rows: -int(rows.sum()))[: self.items]
        rng = np.random.default_rng(self.items)
        truth = np.stack(common)[:, rng.integers(0, table.records, n)].astype(np.uint8)
        self._send((rng.random(n) >= ADULT_OPEN).astype(np.uint8), truth, rng)


@dataclass(frozen=True)
class Timed(CounterWrapper):
    """`spent`: the seconds of each count."""

    spent: list[float] = field(default_factory=list)

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        start = process_time()
        counts = self.counter.count(queries)
        self.spent.append(process_time() - start)
        return counts


def on_adult(cache: Path, asked: argparse.Namespace) -> list[dict[str, Any]]:
    return [adult_row(Adult(n), cache, asked.repeats) for n in ADULT_SIZES]


def adult_row(survey: Adult, cache: Path, repeats: int) -> dict[str, Any]:
    """Ours and both peers in turns, on what was received; the peers also on the truth, at the smallest support."""
    from fim import eclat  # type: ignore[import-not-found]

    least = survey.least(cache)
    wants = wanted(ADULT_SIZE, exact=False)
    raw = pd.DataFrame(survey.truth.T.astype(bool))
    baskets = [np.flatnonzero(record).tolist() for record in survey.truth.T]
    counting = []

    def ours() -> Frequent:
        timed = Timed(counter_of(survey.design, [survey.columns], cache))
        result = frequent(timed, wants)
        counting.append(sum(timed.spent))
        return result

    work: dict[str, Callable[[], object]] = {
        "ours_ms": ours,
        "mlxtend_ms": lambda: apriori(
            survey.frame, (least - 0.5) / survey.n, low_memory=True, max_len=ADULT_SIZE
        ),
        "eclat_ms": lambda: eclat(survey.transactions, supp=-least, report="a", zmax=ADULT_SIZE),
        "mlxtend_raw_ms": lambda: apriori(raw, MIN_SUPPORT, low_memory=True, max_len=ADULT_SIZE),
        "eclat_raw_ms": lambda: eclat(baskets, supp=100 * MIN_SUPPORT, report="a", zmax=ADULT_SIZE),
    }
    # In turns, so that what else the machine does hits all of them.
    rounds = [{name: seconds(count, TURN[name]) for name, count in work.items()} for _round in range(repeats)]
    figures = {name: 1e3 * median(one[name] for one in rounds) for name in work}
    alone = 1e3 * median(counting)
    return {
        "records": survey.n,
        "itemsets": len(ours().supports),
        "peers_threshold": least / survey.n,
        **{name: round(figure, 2) for name, figure in figures.items()},
        "times_mlxtend": round(figures["mlxtend_ms"] / figures["ours_ms"]),
        "times_eclat": round(figures["eclat_ms"] / figures["ours_ms"], 1),
        "counting_ms": round(alone, 2),
        "counting_times_mlxtend": round(figures["mlxtend_ms"] / alone),
        "counting_times_eclat": round(figures["eclat_ms"] / alone, 1),
    }


def yes_no_design(items: int) -> Design:
    return design(sensitive("0.5", *(question(f"q{index}", *HALF) for index in range(items))))


def wanted(max_size: int, exact: bool) -> Parameters:
    return Parameters(MIN_SUPPORT, MIN_CONFIDENCE, exact=exact, max_size=max_size, most=10**6)


def growth(cache: Path, asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Itemsets of up to three items, as a run looks for them unless asked otherwise."""
    rows: list[dict[str, Any]] = []
    for items, n in GROWTH:
        survey = Survey(items, n)
        for exact in (False, True):
            spent = seconds(lambda: survey.ours(cache, exact=exact, max_size=MAX_SIZE), asked.repeats)  # noqa: B023
            pruning = "exact" if exact else "default"
            rows.append({"items": items, "records": n, "pruning": pruning, "ms": round(1e3 * spent, 2)})
    write(rows, asked.figures, "mining-speed.csv")
    return rows


def write(rows: list[dict[str, Any]], folder: Path, name: str) -> None:
    """The table, and its figure."""
    folder.mkdir(exist_ok=True)
    with (folder / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    draw(rows, (folder / name).with_suffix(".svg"))


def draw(rows: list[dict[str, Any]], file: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    # Text stays text, and the same figures give the same bytes.
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "candor", "font.size": 11})
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained", sharey=True)
    panels = (("records", "items", 40), ("items", "records", 100_000))
    for axis, (along, fixed, value) in zip(axes, panels, strict=True):
        for pruning, style in (("default", "o-"), ("exact", "s--")):
            chosen = [row for row in rows if row[fixed] == value and row["pruning"] == pruning]
            points = sorted((row[along], row["ms"]) for row in chosen)
            axis.plot(*zip(*points, strict=True), style, color=INK, label=pruning)
        axis.set(xscale="log", yscale="log", xlabel=along, title=f"{value:,} {fixed}")
        for ticks in (axis.xaxis, axis.yaxis):
            ticks.set_major_formatter("{x:,.0f}")
    axes[0].set_ylabel("milliseconds of one thread")
    axes[1].legend(frameon=False)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, metadata={"Date": None})


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The median of several times."""
    spent = []
    for _ in range(repeats):
        started = process_time()
        work()
        spent.append(process_time() - started)
    return median(spent)


if __name__ == "__main__":
    sys.exit(main())
