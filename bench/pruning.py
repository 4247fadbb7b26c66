"""What does pruning lose? Simulated surveys searched with and without proof, written to bench/figures/pruning.md.

python -m bench.pruning [--surveys 200] [--seed 1] [-o bench/figures/pruning.md]
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
from mining.itemsets.frequent import Frequent, search
from mining.parameters import ERRORS, Parameters
from mining.reconstruction import CachedCounter
from privacy.records.columns import Columns, pack, read
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Answers, Independent, LatentClasses, Population
from tests.privacy import questionnaires

QUESTIONS = 8
RESPONDENTS = (100, 300, 1_000, 10_000, 100_000)
KEEPS = ("0.2", "0.5")
THRESHOLDS = (0.02, 0.1)
OPEN_SHARE = 0.2

ALLOWANCES = (2.0, 3.0, 4.0)
"""Standard errors that a candidate is given before it is dropped."""
ONE_IN_A_HUNDRED = 0.01

INTRODUCTION = """\
# What does pruning lose?

Made by `python -m bench.pruning --surveys {surveys} --seed {seed}`. A run that need not miss nothing drops a candidate
when its estimate and some standard errors do not reach the smallest support; {errors:g} unless somebody asks for
others. Here surveys of {questions} yes/no questions in one section (noise .5, a fifth answers openly) are simulated,
{surveys} in each row, and searched so and with every candidate kept that could provably matter. Answers are as frequent
as the smallest support or half as frequent again; in half of the surveys they are independent, in the other half two
kinds of people give them. Itemsets of up to three answers.

*Lost* is the share of a survey's itemsets that the faster search does not report: in nine of ten surveys at most the
first number, in the worst survey the second. Below them is in how many of the surveys one in a hundred or more was
lost.

| respondents | keep | smallest support | itemsets | {heads} |
|--:|--:|--:|--:|{lines}
"""


@dataclass(frozen=True)
class Setting:
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
    result = Lost(setting, 0, {allowance: [] for allowance in ALLOWANCES})
    wanted = Parameters(setting.min_support, 0.5, exact=True)
    itemsets = 0
    with TemporaryDirectory() as cache:
        for number in range(surveys):
            rng = np.random.default_rng([seed, setting.n, number])
            columns = survey(setting, number, rng)
            known = CachedCounter(counter_of(columns.design, [columns], Path(cache)))
            proved = reported(search(known, wanted))
            itemsets += len(proved)
            for allowance, shares in result.shares.items() if proved else ():
                pruned = reported(search(known, replace(wanted, exact=False, errors=allowance)))
                shares.append(len(proved - pruned) / len(proved))
    return replace(result, itemsets=itemsets)


def survey(setting: Setting, number: int, rng: np.random.Generator) -> Columns:
    questions = (questionnaires.question(f"q{index}", *questionnaires.HALF) for index in range(QUESTIONS))
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


def reported(of: Frequent) -> set[tuple[int, ...]]:
    return {tuple(number for number in row if number != NONE) for row in of.itemsets.tolist()}


def written(result: Iterable[Lost]) -> Iterator[str]:
    for of in result:
        at = of.setting
        cells = [
            f"{_percent(np.quantile(shares, 0.9))}, {_percent(max(shares))}; "
            f"{sum(share >= ONE_IN_A_HUNDRED for share in shares)}"
            if shares
            else ""
            for shares in of.shares.values()
        ]
        yield f"| {at.n:,} | {at.keep} | {at.min_support:g} | {of.itemsets:,} | {' | '.join(cells)} |"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--surveys", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=Path("bench/figures/pruning.md"))
    asked = parser.parse_args()
    introduction = INTRODUCTION.format(
        surveys=asked.surveys,
        seed=asked.seed,
        errors=ERRORS,
        questions=QUESTIONS,
        heads=" | ".join(f"lost with {allowance:g} errors" for allowance in ALLOWANCES),
        lines="--:|" * len(ALLOWANCES),
    )
    rows = written(lost(setting, asked.surveys, asked.seed) for setting in settings())
    asked.output.write_text(introduction + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
