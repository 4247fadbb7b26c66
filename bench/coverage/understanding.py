"""Answers of those who understood the disguise, and of the others: shares on both sides, and their difference."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from bench.coverage.section import Bar, Section, Value
from mining.inference.intervals import share_interval
from mining.inference.score import support_test
from mining.studies.answer_scores import AnswerLaw, answer_side, answer_table
from mining.studies.waves import differences

LAWS = ((0.9, 0.5), (0.5, 0.5), (0.47, 0.05), (0.3, 0.0238))


@dataclass(frozen=True)
class Sides:
    law: tuple[float, float]
    n: int
    understood: float
    share: float
    moved: float

    def __str__(self) -> str:
        keep, noise = self.law
        return (
            f"share {self.share:g}, difference {self.moved:g}, keep {keep:g}, noise {noise:g}, {self.n:,} disguised, "
            f"{self.understood:.0%} understood"
        )


def sides_cells() -> list[Sides]:
    return [Sides(*cell) for cell in product(LAWS, (300, 2_000), (0.5, 0.9), (0.0, 0.05, 0.3), (0.0, 0.1))]


def sides(setting: Sides, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    law = AnswerLaw.of(*setting.law)
    understood = rng.binomial(setting.n, setting.understood, surveys)
    shares = setting.share, setting.share + setting.moved
    sides_drawn = []
    for count, share in zip((setting.n - understood, understood), shares, strict=True):
        records = np.stack([np.zeros_like(count), count])
        having = np.stack(
            [np.zeros_like(count), rng.binomial(count, np.asarray(law.chance + law.keep * share))]
        )
        sides_drawn.append(answer_side(records, having, law))
        low, high = share_interval(support_test(answer_table(records, having, law)))
        known = np.isfinite(low)
        held = float(((low <= share) & (share <= high))[known].mean()) if known.any() else np.nan
        yield Value(
            "share of a side", f"{share:g}: {setting}", held, int(known.sum()), float(1 - known.mean())
        )
    others, who_understood = sides_drawn
    tested = differences(others, who_understood, shared=False)
    known = np.isfinite(tested.difference)
    if not known.any():
        return
    used = int(known.sum())
    missed = ~((tested.low <= setting.moved) & (setting.moved <= tested.high))[known]
    yield Value("missed by the interval", str(setting), float(missed.mean()), used)
    if not setting.moved:
        yield Value("size of the test", str(setting), float((tested.p[known] <= 0.05).mean()), used)


SECTIONS = (
    Section(
        "understanding",
        "Those who understood and the others",
        "300 and 2,000 disguised records, half or 90 % of them understood, shares of 0 to .3, differences of 0 and .1.",
        sides_cells,
        sides,
        2_000,
        20_000,
        {
            "share of a side": Bar(0.93),
            "missed by the interval": Bar(0.065, most=True),
            "size of the test": Bar(0.065, most=True),
        },
    ),
)
