"""What does the default pruning lose? Simulated surveys mined with and without proof, written to docs/pruning.md.

python -m bench.pruning [--surveys 200] [--seed 1] [-o docs/pruning.md]
"""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from mining.counting import counter_of
from mining.counts import NONE
from mining.engines import bitmap
from mining.engines.found import Found
from mining.parameters import ERRORS, Parameters
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Answers, Independent, LatentClasses, Population
from surveys.intake.columns import Columns, pack, read
from tests.privacy import questionnaires

QUESTIONS = 8
RESPONDENTS = (100, 300, 1_000, 10_000, 100_000)
KEEPS = ("0.2", "0.5")
THRESHOLDS = (0.02, 0.1)
OPEN_SHARE = 0.2

INTRODUCTION = """\
# What does the default pruning lose?

Made by `python -m bench.pruning --surveys {surveys} --seed {seed}`. A run that need not miss nothing drops a candidate
when its estimate and {errors:g} standard errors do not reach the smallest support. Here surveys of {questions} yes/no
questions in one section (noise .5, a fifth answers openly) are simulated, {surveys} in each row, and mined once so and
once with every candidate kept that could provably matter. Answers are as frequent as the smallest support or half as
frequent again; in half of the surveys they are independent, in the other half two kinds of people give them. Itemsets
of up to three answers, rules from a confidence of .5.

| respondents | keep | smallest support | surveys that lost something | itemsets | lost | rules | lost |
|--:|--:|--:|--:|--:|--:|--:|--:|
"""


@dataclass(frozen=True)
class Setting:
    n: int
    keep: str
    min_support: float


@dataclass(frozen=True)
class Lost:
    """Over `surveys` surveys: of how many itemsets and rules the default pruning lost how many, and in how many."""

    setting: Setting
    surveys: int
    in_surveys: int
    itemsets: int
    lost_itemsets: int
    rules: int
    lost_rules: int


def settings() -> Iterator[Setting]:
    return (Setting(*of) for of in product(RESPONDENTS, KEEPS, THRESHOLDS))


def lost(setting: Setting, surveys: int, seed: int) -> Lost:
    totals = np.zeros(5, np.int64)
    wanted = Parameters(setting.min_support, 0.5, exact=True)
    with TemporaryDirectory() as cache:
        for number in range(surveys):
            rng = np.random.default_rng([seed, setting.n, number])
            columns = survey(setting, number, rng)
            counter = counter_of(columns.design, [columns], Path(cache))
            proved = reported(bitmap.find(counter, wanted))
            pruned = reported(bitmap.find(counter, replace(wanted, exact=False)))
            itemsets, rules = len(proved[0] - pruned[0]), len(proved[1] - pruned[1])
            totals += [bool(itemsets or rules), len(proved[0]), itemsets, len(proved[1]), rules]
    return Lost(setting, surveys, *totals.tolist())


def survey(setting: Setting, number: int, rng: np.random.Generator) -> Columns:
    questions = (questionnaires.question(f"q{place}", *questionnaires.HALF) for place in range(QUESTIONS))
    design = questionnaires.design(questionnaires.sensitive(setting.keep, *questions))
    people = kinds(setting.min_support * (1 if number // 2 % 2 else 1.5), alike=bool(number % 2))
    group, truth = Population(people, people, OPEN_SHARE).draw(design, setting.n, rng)
    return read(design, pack(design, group, disguise(design, group, truth, rng)))


def kinds(share: float, *, alike: bool) -> Answers:
    """People of whom so many give each answer: all alike, or a quarter of them three times as often as that."""
    if alike:
        return Independent(((1 - share, share),) * QUESTIONS)
    often, seldom = 3 * share, share / 3
    return LatentClasses(
        (1.0, 3.0), tuple(Independent(((1 - of, of),) * QUESTIONS) for of in (often, seldom))
    )


def reported(of: Found) -> tuple[set[tuple[int, ...]], set[tuple[tuple[int, ...], tuple[int, ...]]]]:
    itemsets = {tuple(number for number in row if number != NONE) for row in of.frequent.itemsets.tolist()}
    return itemsets, {of.rules.sides(row) for row in range(len(of.rules))}


def written(found: Iterable[Lost]) -> Iterator[str]:
    for of in found:
        at = of.setting
        yield (
            f"| {at.n:,} | {at.keep} | {at.min_support:g} | {of.in_surveys} of {of.surveys} | {of.itemsets:,} "
            f"| {of.lost_itemsets} | {of.rules:,} | {of.lost_rules} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--surveys", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/pruning.md"))
    asked = parser.parse_args()
    introduction = INTRODUCTION.format(
        surveys=asked.surveys, seed=asked.seed, errors=ERRORS, questions=QUESTIONS
    )
    rows = written(lost(setting, asked.surveys, asked.seed) for setting in settings())
    asked.output.write_text(introduction + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
