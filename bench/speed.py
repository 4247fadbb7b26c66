"""How fast Candor is where people wait, beside its peers: the table of docs/operations.md.

./run bench speed [PART ...] [--turns 7] [--short]

Each part runs the same work by Candor and by its peers in turns, so that what else the machine does hits all of them. A
figure is the processor time of a turn, children included: the smallest, the median and the largest. A ratio says how
many times as long the peer takes, turn by turn; below 1 Candor is slower. Peers get the records as they like them best;
on the disguised table they search at the one threshold that guarantees the answer, and are not charged for inverting
what they find. `--short`: less of everything, to see whether it runs.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import process_time

import numpy as np
import pandas as pd
from mlxtend.frequent_patterns import apriori, association_rules

import candor
from bench.mining import ADULT_ITEMS, Survey, adult
from mining.counting import load_counting_loop
from mining.itemsets.frequent import ROUNDING, find_frequent_itemsets
from mining.parameters import Parameters
from mining.queries_and_counters import NONE
from mining.reconstruction import CachedCounter, Supports, least_count
from mining.rules import Rules, reconstruct_rules as make_rules
from privacy.simulation.disguise import disguise
from tests.privacy.questionnaires import HALF, design, question, sensitive
from tests.servers import ROOT

Work = Mapping[str, Callable[[], object]]
MIN_CONFIDENCE = 0.6
LIBRARY_SUPPORT = 0.2
SIZE = 3
RULE_SIZE, RULE_SUPPORTS = 4, (0.25, 0.07, 0.0045)
"""Itemsets of so many items, at supports at which there are about 200, 1,000 and 8,000 rules."""
PEERS = ("mlxtend", "pandas", "pyfim", "numpy", "numba", "Django")
GET_PYFIM = (
    "pyfim is missing; with gcc: pip install --target FOLDER pyfim, then PYTHONPATH=FOLDER ./run bench speed"
)
PEER_COMMAND = """
import sys
import pandas as pd
from mlxtend.frequent_patterns import apriori, association_rules
table = pd.read_csv(sys.argv[1]).drop(columns="group") == sys.argv[3]
sets = apriori(table, float(sys.argv[2]), use_colnames=True, max_len=3, low_memory=True)
association_rules(sets, metric="confidence", min_threshold=0.6)
"""


@dataclass(frozen=True)
class Row:
    """One line of the table: what is done, Candor's figures, and those of each peer, turn by turn."""

    work: str
    unit: str
    turns: Mapping[str, list[float]]
    """Of `candor` and of each peer."""

    def __str__(self) -> str:
        ours = self.turns["candor"]
        lines = [f"{self.work}: {spread(ours)} {self.unit}"]
        for peer, theirs in self.turns.items():
            if peer != "candor":
                ratios = [their / our for their, our in zip(theirs, ours, strict=True)]
                lines.append(f"    {peer}: {spread(theirs)} {self.unit}, {spread(ratios)} times")
        return "\n".join(lines)


def spread(figures: list[float]) -> str:
    return f"{median(figures):.3g} ({min(figures):.3g} to {max(figures):.3g})"


def in_turns(work: Work, turns: int) -> dict[str, list[float]]:
    """Milliseconds of processor time by name and turn; the first turn, which loads what is late, is not counted."""
    spent: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(turns + 1):
        for name, call in work.items():
            before = process_time() + children_seconds()
            call()
            if turn:
                spent[name].append(1e3 * (process_time() + children_seconds() - before))
    return spent


def children_seconds() -> float:
    usage = getrusage(RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def sets(asked: argparse.Namespace) -> Iterator[Row]:
    """Itemsets with intervals, of Adult as 40 items, beside peers on the disguised and on the true table."""
    sizes = [(10_000, 0.2)] if asked.short else [(100_000, 0.1), (100_000, 0.2), (1_000_000, 0.2)]
    for n, support in sizes:
        survey = adult(n)
        items = [(question, 1) for question in range(ADULT_ITEMS)]
        known = CachedCounter(survey.counter())
        least = least_count(known, items, ADULT_ITEMS, "stratified", support - ROUNDING)
        work: dict[str, Callable[[], object]] = {
            "candor": partial(search, survey, support),
        }
        for table, codes, threshold in (
            ("disguised", survey.codes, (least - 0.5) / n),
            ("true", survey.truth, support),
        ):
            frame = pd.DataFrame(codes.T.astype(bool))
            work[f"mlxtend, {table}"] = partial(apriori, frame, threshold, low_memory=True, max_len=SIZE)
            if find_spec("fim"):
                from fim import eclat  # type: ignore[import-not-found]

                baskets = [np.flatnonzero(row).tolist() for row in codes.T]
                percent = 100 * threshold
                work[f"pyfim eclat, {table}"] = partial(eclat, baskets, supp=percent, report="a", zmax=SIZE)
        yield Row(
            f"itemsets with intervals, {n:,} records, support {support}", "ms", in_turns(work, asked.turns)
        )


def search(survey: Survey, support: float) -> object:
    return find_frequent_itemsets(survey.counter(), parameters(support, SIZE))


def parameters(support: float, size: int) -> Parameters:
    return Parameters(support, MIN_CONFIDENCE, max_size=size, most=10**6)


def rules(asked: argparse.Namespace) -> Iterator[Row]:
    """Rules with intervals, p and q, beside mlxtend's without, of the same itemsets.

    Of long lists Candor computes the ends of the first 2,000 splits, and the others when they are read.
    """
    survey = adult(10_000 if asked.short else 100_000)
    counter = CachedCounter(survey.counter())
    for support in RULE_SUPPORTS[: 1 if asked.short else None]:
        supports = with_all_subsets(find_frequent_itemsets(counter, parameters(support, RULE_SIZE)).supports)
        itemsets = [frozenset(row) - {NONE} for row in supports.itemsets.tolist()]
        frame = pd.DataFrame({"support": supports.support, "itemsets": itemsets})
        ours = partial(make_rules, counter, supports, MIN_CONFIDENCE, max_size=RULE_SIZE)
        theirs = partial(association_rules, frame, min_threshold=MIN_CONFIDENCE)

        def with_all_ends(ours: Callable[[], Rules] = ours) -> object:
            return ours().splits.interval_ends

        work: Work = {
            "candor": ours,
            "candor, all ends read": with_all_ends,
            "mlxtend, without intervals": theirs,
        }
        title = f"{len(ours()):,} rules of {len(supports):,} itemsets"
        yield Row(title, "ms", in_turns(work, asked.turns))


def with_all_subsets(supports: Supports) -> Supports:
    """Without itemsets that lack a subset, which mlxtend needs: reconstructed supports may grow with an item."""
    while True:
        itemsets = [frozenset(row) - {NONE} for row in supports.itemsets.tolist()]
        known = {*itemsets, frozenset[int]()}
        kept = np.array([all(itemset - {item} in known for item in itemset) for itemset in itemsets])
        if kept.all():
            return supports
        supports = supports.take(np.flatnonzero(kept))


def command(asked: argparse.Namespace) -> Iterator[Row]:
    """`candor mine` on a file, beside pandas and mlxtend on the same file, as processes."""
    with tempfile.TemporaryDirectory() as folder:
        for n, support in (
            [(1_000, 0.2)] if asked.short else [(1_000, 0.2), (1_000_000, 0.2), (1_000_000, 0.1)]
        ):
            survey = adult(n)
            design, records = write_files(survey, Path(folder))
            item = survey.columns.design.questions[0].choices[1].name
            words = ["-m", "candor", "mine", str(design), str(records), "--min-support", str(support)]
            work: Work = {
                "candor": partial(process, [*words, "--min-confidence", str(MIN_CONFIDENCE)]),
                "pandas and mlxtend": partial(
                    process, ["-c", PEER_COMMAND, str(records), str(support), item]
                ),
            }
            yield Row(
                f"the command mine on {n:,} records, support {support}", "ms", in_turns(work, asked.turns)
            )


def process(words: list[str]) -> None:
    subprocess.run([sys.executable, *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def write_files(survey: Survey, folder: Path) -> tuple[Path, Path]:
    """Writes the design and the records, as the command reads them."""
    form = survey.columns.design
    written, records = folder / "design.json", folder / "records.csv"
    written.write_text(form.canonical)
    names = [question.name for question in form.questions]
    choices = np.array([choice.name for choice in form.questions[0].choices])
    table = pd.DataFrame(dict(zip(names, choices[survey.codes], strict=True)))
    table.insert(0, "group", np.where(survey.group, "disguised", "open"))
    table.to_csv(records, index=False)
    return written, records


def library(asked: argparse.Namespace) -> Iterator[Row]:
    """The library's functions on tables of yes and no beside mlxtend's, and those on records of a survey alone."""
    survey = adult(10_000 if asked.short else 100_000)
    for columns in (8, 12) if asked.short else (8, 12, 16, ADULT_ITEMS):
        names = [f"q{number}" for number in range(columns)]
        asked_design = design(sensitive("0.5", *(question(name, *HALF) for name in names)))
        people = len(survey.group)
        truth, random = survey.truth[:columns], np.random.default_rng(1)
        sent = disguise(asked_design, np.ones(people, np.uint8), truth, random)
        frame = pd.DataFrame(sent.T.astype(bool), columns=names)
        found = candor.apriori(frame, LIBRARY_SUPPORT, design=asked_design)
        sets: Work = {
            "candor": partial(candor.apriori, frame, LIBRARY_SUPPORT, design=asked_design),
            "mlxtend": partial(
                apriori, frame, LIBRARY_SUPPORT, max_len=SIZE, low_memory=columns == ADULT_ITEMS
            ),
        }
        yield Row(f"candor.apriori, {columns} columns, {len(found)} sets", "ms", in_turns(sets, asked.turns))
        complete = found[found["itemsets"].map(len) < SIZE]
        singles = set().union(*complete["itemsets"][complete["itemsets"].map(len) == 1])
        complete = complete[complete["itemsets"].map(singles.issuperset)]
        rules: Work = {
            "candor": partial(
                candor.association_rules,
                complete,
                df_orig=frame,
                min_threshold=MIN_CONFIDENCE,
                design=asked_design,
            ),
            "mlxtend": partial(association_rules, complete, min_threshold=MIN_CONFIDENCE),
        }
        yield Row(f"candor.association_rules of {len(complete)} sets", "ms", in_turns(rules, asked.turns))
    with tempfile.TemporaryDirectory() as folder:
        written, file = write_files(survey, Path(folder))
        records = candor.read_records(file, candor.read_design(written))
        first, second, third = (f"{one.name}={one.code_names[1]}" for one in records.design.questions[:3])
        calls: Work = {
            "read_records": partial(candor.read_records, file, records.design),
            "audit": partial(candor.audit, records.design),
            "shares": lambda: candor.shares(candor.Records(records.design, records.mined)),
            "supports": lambda: candor.supports(
                candor.Records(records.design, records.mined), [[first, second], [first, third]]
            ),
            "itemsets": partial(candor.itemsets, records, LIBRARY_SUPPORT),
            "rules": partial(candor.rules, records, LIBRARY_SUPPORT, MIN_CONFIDENCE),
            "count_shares": partial(candor.count_shares, range(1000), 1000, candor.warner(0.8)),
            "breaches": partial(candor.breaches, np.full((300, 300), 1 / 300), np.full(300, 1 / 300)),
            "square_mechanism": partial(candor.square_mechanism, 2000, 2000, epsilon=5),
        }
        for name, call in calls.items():
            yield Row(f"candor.{name}", "ms", in_turns({"candor": call}, asked.turns))


PARTS = {"sets": sets, "rules": rules, "command": command, "library": library}


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench speed", description=__doc__)
    parser.add_argument("part", nargs="*", choices=[*PARTS, []], help="default: all of them")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--short", action="store_true")
    asked = parser.parse_args()
    if asked.short:
        asked.turns = 1
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; " + ", ".join(map(versioned, PEERS)))
    if find_spec("fim") is None:
        print(GET_PYFIM)
    load_counting_loop()
    for name in asked.part or PARTS:
        for row in PARTS[name](asked):
            print(row, flush=True)


def versioned(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} missing"


if __name__ == "__main__":
    main()
