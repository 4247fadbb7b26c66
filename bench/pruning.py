"""What does pruning lose? Simulated surveys searched with and without proof, written to bench/figures/pruning.md.

python -m bench.pruning [--surveys 100] [--seed 1]
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np

from bench.markdown import FIGURES, table, with_table
from mining.counting import make_counter
from mining.itemsets.frequent import Frequent, search_itemsets_without_intervals
from mining.parameters import Parameters
from mining.queries_and_counters import NONE
from mining.reconstruction import CachedCounter
from privacy.records.batch_bit_columns import Columns, columns_from_bytes, pack_batch
from privacy.simulation.disguise import disguise
from privacy.simulation.population import AnswerDistribution, Independent, LatentClasses, Population
from tests.privacy import questionnaires

QUESTIONS = 8
RESPONDENTS = (100, 300, 1_000, 10_000, 100_000)
KEEPS = ("0.2", "0.5")
THRESHOLDS = (0.02, 0.1)
OPEN_SHARE = 0.2

ALLOWANCES = (2.0, 3.0, 4.0)
"""Standard errors that a candidate is given before it is dropped."""
ONE_IN_A_HUNDRED = 0.01


class Setting(NamedTuple):
    n: int
    keep: str
    min_support: float


@dataclass(frozen=True)
class Lost:
    """`shares`: by allowance, of every survey with an itemset the share that was lost; `itemsets` of all surveys."""

    setting: Setting
    itemsets: int
    shares: dict[float, list[float]]


def settings() -> Iterator[Setting]:
    return (Setting(*of) for of in product(RESPONDENTS, KEEPS, THRESHOLDS))


def lost(setting: Setting, surveys: int, seed: int) -> Lost:
    lost_shares: dict[float, list[float]] = {allowance: [] for allowance in ALLOWANCES}
    exact, itemsets = Parameters(setting.min_support, 0.5, exact=True), 0
    for number in range(surveys):
        rng = np.random.default_rng([seed, setting.n, number])
        columns = survey(setting, number, rng)
        known = CachedCounter(make_counter(columns.design, [columns]))
        proved = reported(search_itemsets_without_intervals(known, exact))
        itemsets += len(proved)
        for allowance, shares in lost_shares.items() if proved else ():
            pruned = reported(
                search_itemsets_without_intervals(known, replace(exact, exact=False, errors=allowance))
            )
            shares.append(len(proved - pruned) / len(proved))
    return Lost(setting, itemsets, lost_shares)


def survey(setting: Setting, number: int, rng: np.random.Generator) -> Columns:
    questions = (questionnaires.question(f"q{index}", *questionnaires.HALF) for index in range(QUESTIONS))
    design = questionnaires.design(questionnaires.sensitive(setting.keep, *questions))
    people = kinds(setting.min_support * (1 if number // 2 % 2 else 1.5), alike=bool(number % 2))
    group, truth = Population(people, people, OPEN_SHARE).draw(design, setting.n, rng)
    return columns_from_bytes(design, pack_batch(design, group, disguise(design, group, truth, rng)))


def kinds(share: float, *, alike: bool) -> AnswerDistribution:
    """People of whom so many give each answer: all alike, or a quarter of them three times as often as that."""
    if alike:
        return Independent(((1 - share, share),) * QUESTIONS)
    often, seldom = (Independent(((1 - of, of),) * QUESTIONS) for of in (3 * share, share / 3))
    return LatentClasses((1.0, 3.0), (often, seldom))


def reported(of: Frequent) -> set[tuple[int, ...]]:
    return {tuple(number for number in row if number != NONE) for row in of.itemsets.tolist()}


def row_of(of: Lost) -> list[object]:
    cells = []
    for shares in of.shares.values():
        most = ", ".join(
            f"{100 * share:.1f} %" for share in (np.quantile(shares or [0], 0.9), max(shares, default=0))
        )
        cells.append(f"{most}; {sum(share >= ONE_IN_A_HUNDRED for share in shares)}" if shares else "")
    at = of.setting
    return [f"{at.n:,}", at.keep, f"{at.min_support:g}", f"{of.itemsets:,}", *cells]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--surveys", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    errors = [f"lost with {allowance:g} errors" for allowance in ALLOWANCES]
    heads = ["respondents", "keep", "smallest support", "itemsets", *errors]
    rows = (row_of(lost(setting, asked.surveys, asked.seed)) for setting in settings())
    document = FIGURES / "pruning.md"
    document.write_text(with_table(document, table(heads, rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
