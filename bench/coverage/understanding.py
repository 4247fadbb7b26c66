"""Answers of those who understood the disguise, and of the others: shares on both sides, and their difference."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.coverage.section import Measures, Value, grid, held
from mining.inference.intervals import share_interval
from mining.inference.score import support_test
from mining.studies.answer_scores import AnswerLaw, answer_side, answer_table
from mining.studies.waves import differences


@dataclass(frozen=True)
class Sides:
    law: tuple[float, float]
    n: int
    understood: float
    share: float
    moved: float

    def __str__(self) -> str:
        keep, noise = self.law
        law = f"keep {keep:g}, noise {noise:g}, {self.n:,} disguised"
        return f"share {self.share:g}, difference {self.moved:g}, {law}, {self.understood:.0%} understood"


def sides(setting: Sides, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    law = AnswerLaw.of(*setting.law)
    understood = rng.binomial(setting.n, setting.understood, surveys)
    shares = setting.share, setting.share + setting.moved
    drawn = []
    for count, share in zip((setting.n - understood, understood), shares, strict=True):
        having = rng.binomial(count, np.asarray(law.chance + law.keep * share))
        records, positive = (np.stack([np.zeros_like(count), disguised]) for disguised in (count, having))
        drawn.append(answer_side(records, positive, law))
        interval = share_interval(support_test(answer_table(records, positive, law)))
        yield held("share of a side", f"{share:g}: {setting}", interval, share)
    tested = differences(*drawn, shared=False)
    known = np.isfinite(tested.difference)
    used = int(known.sum())
    if not used:
        return
    missed = ~((tested.low <= setting.moved) & (setting.moved <= tested.high))[known]
    yield Value("missed by the interval", str(setting), float(missed.mean()), used)
    if not setting.moved:
        yield Value("size of the test", str(setting), float((tested.p[known] <= 0.05).mean()), used)


LAWS = ((0.9, 0.5), (0.5, 0.5), (0.47, 0.05), (0.3, 0.0238))
MEASURES: Measures = {
    "understanding": (grid(Sides, LAWS, (300, 2_000), (0.5, 0.9), (0.0, 0.05, 0.3), (0.0, 0.1)), sides),
}
