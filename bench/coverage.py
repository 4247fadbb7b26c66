"""Do the intervals and badges hold what they promise? Simulated on counts, written to docs/coverage.md.

python -m bench.coverage [--runs 1500] [--again 20000] [--rules 20000] [--searches 300] [--seed 1] [--processes 2]
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bench import options, searches
from bench.covering import (
    AGAIN_BELOW,
    LEAST_USED,
    Chance,
    Measured,
    chance_cell,
    chance_cells,
    is_ordinary,
    itemset_cells,
    rule_cell,
    rule_cells,
    support_cell,
)

T = TypeVar("T")
Row = Measured | options.Measured

P_AT_MOST = 0.06
WORST = 8
"""So many of the cells that fall short are listed."""

INTRODUCTION = """\
# Do the intervals and the badges hold what they promise?

Made by `python -m bench.coverage --runs {runs} --again {again} --itemsets {itemsets} --rules {rules} --searches
{searches} --seed {seed}`:
surveys drawn from known laws on counts, put through the product's own code. A percentage says how many of the 95 %
intervals held the truth. Surveys below the floors ("too few asked") are left out, and so are cells of which fewer
than {used:.0f} % of the surveys are above them. A cell below {least:.0f} % after {runs:,} surveys was drawn again with
{again:,}. The laws are in `bench/covering.py`, `bench/options.py` and `bench/searches.py`.

The promise ends where this page shows that it does: the cells that fall short are listed. No interval covers who took
part or who lied.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1_500)
    parser.add_argument("--again", type=int, default=20_000)
    parser.add_argument(
        "--itemsets", type=int, default=0, help="so many cells of supports, drawn by lot; 0: all"
    )
    parser.add_argument(
        "--rules", type=int, default=20_000, help="cells of rules, and half as many of p, by lot"
    )
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/coverage.md"))
    asked = parser.parse_args()
    text = INTRODUCTION.format(
        runs=asked.runs,
        again=asked.again,
        itemsets=asked.itemsets,
        rules=asked.rules,
        searches=asked.searches,
        seed=asked.seed,
        used=100 * LEAST_USED,
        least=100 * AGAIN_BELOW,
    )
    with ProcessPoolExecutor(asked.processes) as pool:
        parts = [
            text,
            *support_part(asked, pool),
            *rule_part(asked, pool),
            *chance_part(asked, pool),
            *search_part(asked, pool),
            *option_part(asked, pool),
            *assuming_part(asked, pool),
        ]
    asked.output.write_text("\n".join(parts) + "\n")


def chosen(cells: Sequence[T], many: int, seed: int) -> list[T]:
    """So many of them by lot, in their order; 0: all."""
    if not many or many >= len(cells):
        return list(cells)
    rows = np.sort(np.random.default_rng(seed).choice(len(cells), many, replace=False))
    return [cells[row] for row in rows.tolist()]


def again_if_short(
    measure: Callable[[Any, int, np.random.Generator], Iterable[Row]],
    runs: int,
    again: int,
    seed: int,
    numbered: tuple[int, Any],
) -> list[Row]:
    """What is measured of one cell; drawn anew with more surveys where it falls short."""
    number, cell = numbered
    found = list(measure(cell, runs, np.random.default_rng((seed, number))))
    if any(_usable(row, runs) and row.covered < AGAIN_BELOW for row in found):
        found = list(measure(cell, again, np.random.default_rng((seed, number, 1))))
        return [row for row in found if _usable(row, again)]
    return [row for row in found if _usable(row, runs)]


def _usable(row: Row, runs: int) -> bool:
    return row.used >= LEAST_USED * runs


def one_support(cell: Any, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    yield support_cell(cell, runs, rng)


def measured(
    asked: argparse.Namespace, pool: ProcessPoolExecutor, cells: Sequence[Any], measure: Callable[..., Any]
) -> list[Any]:
    work = partial(again_if_short, measure, asked.runs, asked.again, asked.seed)
    return [row for rows in pool.map(work, enumerate(cells), chunksize=32) for row in rows]


def support_part(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> list[str]:
    cells = chosen(list(itemset_cells()), asked.itemsets, asked.seed)
    found = measured(asked, pool, cells, one_support)
    return [
        "## Supports\n",
        (
            "Keep .1 to .9, noise .05 to .95, 60 to 5,000 respondents, supports of .003 to .999, 0, 30 and 90 % open "
            "who have the itemset .4 times as often; where a plain item stands in it, of those who chose disguise."
        ),
        *_summary("support", found),
    ]


def rule_part(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> list[str]:
    found = measured(asked, pool, chosen(rule_cells(), asked.rules, asked.seed), rule_cell)
    lines = [
        "\n## Confidence and lift\n",
        (
            f"{asked.rules:,} cells by lot of all combinations of the same mechanisms with P(A) of .05 to .95, "
            "confidences of .05 to 1 and P(C) without A of .05 to .9."
        ),
    ]
    for measure in ("confidence", "lift"):
        lines += [
            f"\n### {measure.capitalize()}",
            *_summary(measure, [m for m in found if m.measure == measure]),
        ]
    return lines


def _summary(measure: str, found: Sequence[Measured]) -> list[str]:
    covered = np.array([row.covered for row in found])
    before = [row for row in found if row.former_covered >= AGAIN_BELOW and row.former_width > 0]
    ratio = np.array([row.width / row.former_width for row in before])
    short = sorted((row for row in found if row.covered < AGAIN_BELOW), key=lambda row: row.covered)
    null = sum(row.null > 0.01 for row in found)
    lines = [
        (
            f"\n{len(found):,} cells; {_percent(covered.min())} to {_percent(covered.max())} covered, in the median "
            f"{_percent(float(np.median(covered)))}. Below {_percent(AGAIN_BELOW)}: {len(short)}; below 85 %: "
            f"{sum(row.covered < 0.85 for row in found)}. In {null:,} cells more than 1 % of the surveys have no "
            "interval (the counts contradict each other, or nearly everybody has it). The plug-in intervals used "
            f"before covered {_percent(AGAIN_BELOW)} in {len(before):,} of these cells; there the new ones are "
            f"{np.median(ratio):.3f} times as wide in the median.\n"
        ),
        "| | " + " | ".join(f"{n:,}" for n in _records(found)) + " |",
        "|---|" + "--:|" * len(_records(found)),
    ]
    for name in dict.fromkeys(row.cell.layout.name for row in found):
        of = [row for row in found if row.cell.layout.name == name]
        least = (
            min((row.covered for row in of if row.cell.mechanism.n == n), default=None)
            for n in _records(found)
        )
        lines.append(
            f"| {name} | " + " | ".join("" if at is None else f"{100 * at:.1f}" for at in least) + " |"
        )
    lines.append("\nThe table shows the worst cell of each layout, by respondents.")
    return [*lines, *_short(measure, short)]


def _records(found: Sequence[Measured]) -> list[int]:
    return sorted({row.cell.mechanism.n for row in found})


def _short(measure: str, short: Sequence[Measured]) -> list[str]:
    if not short:
        return []
    lines = [
        f"\nThe {min(WORST, len(short))} worst of the {len(short)} that fall short:\n",
        f"| {measure} of | layout | keep | noise | respondents | open | covered | surveys | before |",
        "|--:|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in short[:WORST]:
        of = row.cell.mechanism
        lines.append(
            f"| {row.truth:.3f} | {row.cell.layout.name} | {of.keep:g} | {of.noise:g} | {of.n:,} | "
            f"{100 * of.open:.0f} % | {_percent(row.covered)} | {row.used:,} | {_percent(row.former_covered)} |"
        )
    return lines


def chance_part(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> list[str]:
    cells = chosen(chance_cells(), asked.rules // 2, asked.seed)
    work = partial(one_chance, asked.runs, asked.again, asked.seed)
    found = [row for row in pool.map(work, enumerate(cells), chunksize=32) if row]
    ordinary = [row.below for row in found if is_ordinary(row.cell)]
    bold = sorted((row for row in found if row.below > P_AT_MOST), key=lambda row: -row.below)
    lines = [
        "\n## p where the two sides are independent\n",
        (
            f"{len(found):,} cells by lot; {_percent(min(row.below for row in found))} to "
            f"{_percent(max(row.below for row in found))} of the p values were below .05; more than 6 % in "
            f"{len(bold)}. In the {len(ordinary):,} ordinary ones (noise .2 to .8, keep .2 and more, 200 respondents "
            f"and more) {_percent(min(ordinary))} to {_percent(max(ordinary))}, in the median "
            f"{_percent(float(np.median(ordinary)))}: p is too cautious where few have both sides."
        ),
    ]
    for row in bold[:WORST]:
        of = row.cell.mechanism
        lines.append(
            f"\n* {_percent(row.below)} of {row.used:,}: {row.cell.layout.name}, keep {of.keep:g}, noise "
            f"{of.noise:g}, {of.n:,} respondents, {100 * of.open:.0f} % open."
        )
    return lines


def one_chance(runs: int, again: int, seed: int, numbered: tuple[int, Any]) -> Chance | None:
    number, of = numbered
    found = chance_cell(of, runs, np.random.default_rng((seed, number, 2)))
    if found.used >= LEAST_USED * runs and found.below > P_AT_MOST:
        runs, found = again, chance_cell(of, again, np.random.default_rng((seed, number, 3)))
    return found if found.used >= LEAST_USED * runs else None


def search_part(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> list[str]:
    work = partial(searches.judged, searches=asked.searches, seed=asked.seed)
    found = list(pool.map(work, searches.situations()))
    lines = [
        "\n## Whole searches: heads of lists and badges\n",
        (
            f"{asked.searches} searches a row, up to three items. *False* is the mean share of false badges of "
            "association among those given, *missed* that of the intervals (of lift or of confidence, whichever miss "
            "more) among the first 1, 5, 10 pairs of the list and among all; *q* is the mean share of independent "
            "pairs among those with q below .05. Each should be at most 5 %. In the last rows nothing is associated, "
            "and no badge is right."
        ),
        (
            "\n| questions | keep | respondents | what is true | pairs | badges | false | missed: first 1 | 5 | 10 "
            "| all | supports | q |"
        ),
        "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in found:
        of = row.situation
        true = "nothing is associated" if of.on_threshold else "half go together"
        true += ", 30 % open" if of.some_open else ""
        numbers = (
            *(row.false_badges, row.missed_first, row.missed_5, row.missed_10, row.missed_all),
            *(row.missed_support, row.false_discoveries),
        )
        lines.append(
            f"| {'+'.join(map(str, of.sections))} | {of.keep} | {of.n:,} | {true} | {row.pairs:.1f} | "
            f"{row.badges:.1f} | " + " | ".join(map(_percent, numbers)) + " |"
        )
    return lines


def option_part(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> list[str]:
    supports = measured(asked, pool, list(options.cells(options.SUPPORTS)), options.support_cell)
    rules = measured(asked, pool, list(options.cells(options.RULE_SUPPORTS, rules=True)), options.rule_cell)
    lines = [
        "\n## Rotation and show-if\n",
        (
            "*Rotation* asks three of five questions of each section, *show-if* hides the last question from a fifth; "
            "open answerers differ. Keep .5 and noise .5, keep .3 and noise .6; 200 to 10,000 respondents; rules among "
            "those shown all of their answers.\n"
        ),
        "| measure | cells | least covered | median | most |",
        "|---|--:|--:|--:|--:|",
    ]
    for measure in ("support", "share among those shown", "confidence", "lift"):
        covered = [row.covered for row in (*supports, *rules) if row.measure == measure]
        lines.append(
            f"| {measure} | {len(covered):,} | {_percent(min(covered))} | {_percent(float(np.median(covered)))} | "
            f"{_percent(max(covered))} |"
        )
    return lines


def assuming_part(asked: argparse.Namespace, pool: ProcessPoolExecutor) -> list[str]:
    lines = [
        "\n## Pooled and combined where the groups are alike\n",
        (
            "Both take those who answer openly to be like the others, and here they are. *Listed*: one or two items "
            f"that at least {options.LEAST_EXPECTED} respondents have, all asked, 10 to 50 % open. *Elsewhere*: three "
            "of five asked, or three items, or 80 % open, or fewer have it.\n"
        ),
        "| estimator | where | cells | least covered | median | most | below 93 % |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for estimator in ("pooled", "combined"):
        for where, elsewhere in (("listed", False), ("elsewhere", True)):
            cells = list(options.alike_cells(elsewhere=elsewhere))
            found = measured(asked, pool, cells, partial(one_assuming, estimator))
            covered = [row.covered for row in found]
            lines.append(
                f"| {estimator} | {where} | {len(covered)} | {_percent(min(covered))} | "
                f"{_percent(float(np.median(covered)))} | {_percent(max(covered))} | "
                f"{sum(share < AGAIN_BELOW for share in covered)} |"
            )
    return lines


def one_assuming(estimator: Any, cell: Any, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    yield options.assuming_cell(cell, runs, rng, estimator)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


if __name__ == "__main__":
    main()
