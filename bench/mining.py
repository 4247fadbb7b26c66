"""How the time of mining grows, and what it costs to mine a run again by mlxtend; `bench.speed` compares with peers.

python -m bench.mining [growth|check ...] [--repeats 7] [--figures bench/figures]

One process, one thread, processor time (a clock would measure what else the machine does), medians. Yes/no questions in
one section, theta 1/2, keep .5; min_support .1. `growth` measures how time grows with records and items, and writes its
figure into the folder `--figures`. `check` compares the rows of runs, makes the reference list and has
mlxtend search, beside what was predicted of that.
"""

import argparse
import json
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counting import MinedRecords, load_counting_loop, make_counter
from mining.counting.mined_records import pack_columns
from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine, mlxtend_check_duration, mlxtend_engine
from mining.engines.record_means import RecordBits
from mining.engines.reference_list import find_reference
from mining.engines.row_comparison import CheckedRows, compare_rows
from mining.itemsets.frequent import find_frequent_itemsets
from mining.parameters import MAX_SIZE, Parameters
from mining.queries_and_counters import Counter
from mining.reconstruction import CachedCounter
from papers.publishing.adult_data import adult_table
from privacy.records.batch_bit_columns import Columns
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, LatentClasses, Population
from tests.privacy.questionnaires import HALF, design, question, sensitive

MIN_SUPPORT, MIN_CONFIDENCE = 0.1, 0.6
GROWTH = [(40, n) for n in (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)]
GROWTH += [(items, 100_000) for items in (10, 20, 80, 160)]
CHECKED = ((9, 1_000), (24, 20_000), (40, 20_000), (20, 200_000), (9, 1_000_000))
"""Questions and records of checks."""
KINDS = (0.4, 0.3, 0.2, 0.1)
OPEN_SHARE = 0.2
ADULT_ITEMS, ADULT_OPEN = 40, 0.5
INK = "#1f3a5f"
Codes = NDArray[np.uint8]
"""Question by record."""


@dataclass(frozen=True)
class Survey:
    group: Codes
    truth: Codes
    codes: Codes
    columns: Columns

    @classmethod
    def send(
        cls, people: Population | tuple[Codes, Codes], items: int, n: int, rng: np.random.Generator
    ) -> "Survey":
        """By so many people, or by the groups and true answers of them."""
        form = design(sensitive("0.5", *(question(f"q{index}", *HALF) for index in range(items))))
        group, truth = people.draw(form, n, rng) if isinstance(people, Population) else people
        codes = disguise(form, group, truth, rng)
        return cls(group, truth, codes, pack_columns(form, group, codes))

    def counter(self) -> Counter:
        return make_counter(self.columns.design, [self.columns])


def four_kinds(items: int, n: int) -> Survey:
    """Four kinds of people with five habits each; whoever has one likely has the others."""
    rng = np.random.default_rng(items)
    kinds = []
    for first in range(0, 5 * len(KINDS), 5):
        shares = np.clip(rng.beta(1.2, 4.0, items), 0.01, 0.95)
        shares[first : first + 5] = rng.uniform(0.5, 0.8, len(shares[first : first + 5]))
        kinds.append(Independent(tuple((1 - share, share) for share in shares)))
    return Survey.send(Population(LatentClasses(KINDS, tuple(kinds)), open_share=OPEN_SHARE), items, n, rng)


def adult(n: int, seed: int = ADULT_ITEMS) -> Survey:
    """The 40 most common values of the Adult table as yes/no items, its rows drawn with replacement."""
    table = adult_table()
    columns = (*table.quasi, *table.sensitive, *table.other)
    has = [column.codes == code for column in columns for code in range(len(column.texts))]
    common = sorted(has, key=lambda rows: -int(rows.sum()))[:ADULT_ITEMS]
    rng = np.random.default_rng(seed)
    truth = np.stack(common)[:, rng.integers(0, table.records, n)].astype(np.uint8)
    return Survey.send(((rng.random(n) >= ADULT_OPEN).astype(np.uint8), truth), ADULT_ITEMS, n, rng)


def parameters(max_size: int, *, exact: bool = False) -> Parameters:
    return Parameters(MIN_SUPPORT, MIN_CONFIDENCE, exact=exact, max_size=max_size, most=10**6)


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The median of several times."""
    spent = []
    for _ in range(repeats):
        started = process_time()
        work()
        spent.append(process_time() - started)
    return median(spent)


# --- growth ---------------------------------------------------------------------------------------


def growth(asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Itemsets of up to three items, as a run looks for them unless asked otherwise, and their figure."""
    rows: list[dict[str, Any]] = []
    for items, n in GROWTH:
        survey = four_kinds(items, n)
        for exact, pruning in enumerate(("default", "exact")):
            search = parameters(MAX_SIZE, exact=bool(exact))
            spent = seconds(lambda: find_frequent_itemsets(survey.counter(), search), asked.repeats)  # noqa: B023
            rows.append({"items": items, "records": n, "pruning": pruning, "ms": round(1e3 * spent, 2)})
            yield rows[-1]
    asked.figures.mkdir(exist_ok=True)
    draw(rows, asked.figures / "mining-speed.svg")


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


# --- the check of a run by mlxtend ----------------------------------------------------------------


def check(asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Each in a process of its own, because memory that was once used is counted until a process ends."""
    for questions, n in CHECKED:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as beside:
            yield beside.submit(check_once, questions, n).result()


def check_once(questions: int, n: int) -> dict[str, Any]:
    survey, wanted = four_kinds(questions, n), Parameters(0.05, MIN_CONFIDENCE)
    load_counting_loop()
    known = CachedCounter(survey.counter())
    records, verdict = MinedRecords(known.design, [survey.columns]), Verdict(known.design)
    start = process_time()
    found = candor_engine.mine_rules(known, wanted)
    searched = process_time() - start
    proved = find_frequent_itemsets(known, replace(wanted, exact=True)).levels
    speed = mlxtend_check_duration.measure_speed(records, known, wanted, verdict)
    cost = mlxtend_check_duration.predict_cost(speed, known.design, found.frequent.levels, proved)
    start = process_time()
    bits = RecordBits.from_columns(known.design, [survey.columns])
    rows = compare_rows(CheckedRows.from_mining_result(found), [bits], known.design, wanted)
    compared = process_time() - start
    start = process_time()
    reference = find_reference(bits, wanted, verdict)
    listed = process_time() - start
    before = most_memory()
    start = process_time()
    theirs = mlxtend_engine.find_itemsets_by_mlxtend(records, known, wanted)
    return {
        "questions": questions,
        "records": n,
        "itemsets": rows.itemsets,
        "rules": rows.rules,
        "equal": not rows.differences and theirs.keys() <= reference.listed.keys(),
        "search_s": round(searched, 3),
        "rows_s": round(compared, 2),
        "reference_s": round(listed, 2),
        "mlxtend_s": round(process_time() - start, 2),
        "predicted_s": round(cost.seconds(n), 2),
        "mlxtend_mb": round((most_memory() - before) / 1e6),
        "predicted_mb": round(cost.record_bytes * n / 1e6),
    }


def most_memory() -> int:
    return getrusage(RUSAGE_SELF).ru_maxrss * 1024


PARTS = {"growth": growth, "check": check}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="*", choices=[*PARTS, []], help="default: all of them")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--figures", type=Path, default=Path("bench/figures"))
    asked = parser.parse_args()
    chosen = asked.part or list(PARTS)
    load_counting_loop()
    for name in chosen:
        print(json.dumps({name: list(PARTS[name](asked))}, indent=1), flush=True)


if __name__ == "__main__":
    main()
