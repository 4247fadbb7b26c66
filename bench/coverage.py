"""Do the intervals hold what they promise? Simulated on counts, written to docs/coverage.md.

python -m bench.coverage [--runs 20000] [--searches 1000] [--seed 1] [--alike] [-o docs/coverage.md]
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from bench.covering import (
    LEAST_BASE_OF_RULES,
    LEAST_EXPECTED,
    MOST_OPEN,
    RULE_SUPPORTS,
    SUPPORTS,
    Cell,
    ChanceCell,
    RuleCell,
    SupportCell,
    alike_cells,
    cells,
    chance_cells,
    rule_cells,
    support_cell,
)
from bench.discoveries import Discovered, discovered, situations
from bench.patterns import Setting
from mining.reconstruction.supports import Estimator

OfCell = TypeVar("OfCell", bound=Cell)

LEAST_RUNS = 5_000
ENOUGH_FOR_P = 200
PROMISED = 0.93
RARE = 0.01
CLEAR = 4.0
"""Lift is promised where its denominator is above so many of its errors."""

ALIKE = "## Pooled and combined where the groups are alike"
ASSUMING: tuple[Estimator, ...] = ("pooled", "combined")

INTRODUCTION = """\
# Do the intervals hold what they promise?

Made by `python -m bench.coverage --runs {runs} --searches {searches} --seed {seed}`. Every cell is {runs:,} surveys
simulated on counts (multinomial over the patterns of answers), put through the product's own code with the
`stratified` estimator; the last part is about the other two. A percentage says how many of the 95 % intervals held
the truth. Each number below is the *worse* of two mechanisms (keep .5 and noise .5; keep .3 and noise .6), and for
rules the worst over every split. Runs below the floors ("too few asked") are left out, as are rules whose bounds
are null; a cell with fewer than {least:,} runs left is not shown.

How the options are set: *rotation* asks three of five questions of each section; *show-if* hides the last question
from a fifth of the people; *open* lets 30 % answer openly, who have the itemset .4 times as often as all do;
*plain* makes one of the items a plain one. Columns are respondents: support of the itemset.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--searches", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alike", action="store_true", help="only make the last part anew")
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/coverage.md"))
    asked = parser.parse_args()
    alike = "\n".join(alike_part(asked.runs, asked.seed)) + "\n"
    if asked.alike:
        others, _, _ = asked.output.read_text().partition("\n" + ALIKE)
        asked.output.write_text(others + "\n" + alike)
        return
    rng = np.random.default_rng(asked.seed)
    supports = [support_cell(cell, asked.runs, rng) for cell in cells(SUPPORTS)]
    of_rules = [cell for cell in cells(RULE_SUPPORTS, rules=True) if cell.base >= LEAST_BASE_OF_RULES]
    rules = [found for cell in of_rules for found in rule_cells(cell, asked.runs, rng)]
    chance = [
        found
        for cell in cells(RULE_SUPPORTS, rules=True)
        for found in chance_cells(
            replace(cell, setting=replace(cell.setting, independent=True)), asked.runs, rng
        )
    ]
    discoveries = [discovered(situation, asked.searches, rng) for situation in situations()]
    introduction = INTRODUCTION.format(
        runs=asked.runs, searches=asked.searches, seed=asked.seed, least=LEAST_RUNS
    )
    parts = [introduction, *support_part(supports), *rule_part(rules), *chance_part(chance)]
    asked.output.write_text("\n".join([*parts, *discovery_part(discoveries), "", alike]))


def support_part(found: Sequence[SupportCell]) -> list[str]:
    usable = [cell for cell in found if cell.runs >= LEAST_RUNS]
    covered = [cell.covered for cell in usable]
    narrowest = min(usable, key=lambda cell: cell.least_width)
    return [
        "## Supports\n",
        (
            f"{len(usable)} cells; from {_percent(min(covered))} to {_percent(max(covered))} covered. The "
            f"narrowest of all intervals was {narrowest.least_width:.5f} wide.\n"
        ),
        *_table(usable, SUPPORTS, lambda cell: cell.covered),
    ]


def rule_part(found: Sequence[RuleCell]) -> list[str]:
    lines = []
    for measure in ("confidence", "lift"):
        usable = [
            cell
            for cell in found
            if cell.measure == measure and cell.runs >= LEAST_RUNS and cell.clear > CLEAR
        ]
        covered = [cell.covered for cell in usable]
        where = "" if measure == "confidence" else f", the denominator above {CLEAR:.0f} of its errors"
        lines += [
            f"\n## {measure.capitalize()}\n",
            (
                f"At least {LEAST_BASE_OF_RULES:,} asked all of it{where}: {len(usable)} cells; from "
                f"{_percent(min(covered))} to {_percent(max(covered))} covered.\n"
            ),
            *_table(usable, RULE_SUPPORTS, lambda cell: cell.covered),
        ]
    return lines


def chance_part(found: Sequence[ChanceCell]) -> list[str]:
    usable = [cell for cell in found if cell.runs >= LEAST_RUNS]
    many = [cell.below for cell in usable if cell.base >= ENOUGH_FOR_P]
    few = [cell.below for cell in usable if cell.base < ENOUGH_FOR_P]
    return [
        "\n## p where the two sides are independent\n",
        (
            f"{len(usable)} cells; from {_percent(min(many))} to {_percent(max(many))} of the p values were below .05 "
            f"where at least {ENOUGH_FOR_P} were asked all of it. The promise of 4 to 6 % is made for these. Where "
            f"fewer were asked, from {_percent(min(few))} to {_percent(max(few))}: too cautious, if anything. Here "
            "*open* makes the first item alone rarer among those who answer openly.\n"
        ),
        *_table(usable, RULE_SUPPORTS, lambda cell: cell.below, nominal=0.05),
    ]


def discovery_part(found: Sequence[Discovered]) -> list[str]:
    lines = [
        "\n## False discoveries\n",
        (
            "Whole searches over ten yes/no questions (keep .5, noise .5; support from .05, confidence from .1, up to "
            "three items). *False* is the mean share of independent pairs of sides among those with q below .05; it "
            "should be at most 5 %.\n"
        ),
        "| what is true | respondents | searches | found on average | false |",
        "|---|--:|--:|--:|--:|",
    ]
    for cell in found:
        of = cell.situation
        lines.append(
            f"| {of.name} | {of.n:,} | {cell.runs:,} | {cell.found:.1f} | {_percent(cell.false_rate)} |"
        )
    return lines


def alike_part(runs: int, seed: int) -> list[str]:
    """Drawn from a source of its own, so that it comes to the same alone."""
    rng = np.random.default_rng((seed, 1))
    lines = [
        f"{ALIKE}\n",
        (
            "Both take those who answer openly to be like the others, and here they are. Each row says how many "
            f"answer openly; of the itemsets, those that at least {LEAST_EXPECTED} of the respondents have. "
            f"*Elsewhere* three of five are asked, or it is three items, or {100 * MOST_OPEN:.0f} % answer openly, or "
            "fewer have it."
        ),
    ]
    for estimator in ASSUMING:
        listed, elsewhere = (
            [support_cell(cell, runs, rng, estimator) for cell in alike_cells(elsewhere=is_elsewhere)]
            for is_elsewhere in (False, True)
        )
        rare = [cell for cell in elsewhere if cell.support < RARE]
        others = [cell for cell in elsewhere if cell.support >= RARE]
        lines += [
            (
                f"\n`{estimator}`: {_covered(listed)}. Elsewhere: {_covered(others)}; of supports below {RARE:g}, "
                f"{_covered(rare)}.\n"
            ),
            *_table(_usable(listed), SUPPORTS, lambda cell: cell.covered),
        ]
    return lines


def _usable(found: Sequence[SupportCell]) -> list[SupportCell]:
    return [cell for cell in found if cell.runs >= LEAST_RUNS]


def _covered(found: Sequence[SupportCell]) -> str:
    covered = [cell.covered for cell in _usable(found)]
    low = sum(share < PROMISED for share in covered)
    below = f", {low} of them less than {_percent(PROMISED)}" if low else ""
    return f"{len(covered)} cells, from {_percent(min(covered))} to {_percent(max(covered))} covered{below}"


def _table(
    found: Iterable[OfCell],
    supports: Sequence[float],
    value: Callable[[OfCell], float],
    nominal: float = 0.95,
) -> list[str]:
    """A row for each setting, a column for each number of respondents and support."""
    worst: dict[str, dict[tuple[int, float], float]] = {}
    for cell in found:
        row = worst.setdefault(_named(cell.setting), {})
        at = (cell.n, cell.support)
        row[at] = max(row.get(at, nominal), value(cell), key=lambda share: abs(share - nominal))
    columns = sorted({at for row in worst.values() for at in row})
    lines = [
        "| | " + " | ".join(f"{n:,}: {support:g}" for n, support in columns) + " |",
        "|---|" + "--:|" * len(columns),
    ]
    for name, row in worst.items():
        shown = (f"{100 * row[at]:.1f}" if at in row else "" for at in columns)
        lines.append(f"| {name} | " + " | ".join(shown) + " |")
    return lines


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _named(setting: Setting) -> str:
    options = {
        "rotation": setting.rotation,
        "show-if": setting.hidden,
        "open": setting.opened and not setting.alike,
        f"{setting.share:.0%} open".replace("%", " %"): setting.alike,
        "plain": setting.plain,
    }
    chosen = ", ".join(name for name, is_on in options.items() if is_on)
    items = "1 item" if setting.size == 1 else f"{setting.size} items"
    sections = "one section" if setting.sections == 1 else "two sections"
    return f"{items}, {sections}" + (f"; {chosen}" if chosen else "")


if __name__ == "__main__":
    main()
