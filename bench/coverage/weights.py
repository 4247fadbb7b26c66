"""Weighted shares with weights of 1.1 to 17, with two margins and with three of five choices."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from bench.coverage.section import Measures, Value, grid, held
from mining.inference.contingency_table import Floats
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares
from mining.studies.population_margins_csv import MarginCells
from mining.studies.population_weights import (
    effective_records_or_refusal,
    rake_with_largest_weight,
    weight_class_sides,
)
from mining.studies.single_answer_score_moments import AnswerLaw
from privacy.designs import InputError

TWO = ((0.5, 0.3, 0.2), (0.4, 0.3, 0.2, 0.1))
THREE = ((0.3, 0.25, 0.2, 0.15, 0.1),) * 3
LAWS = ((0.9, 0.5), (0.47, 0.05), (0.3, 0.0238), (0.6, 0.0834), (0.75, 1 / 6))
SHAPES = ("nobody", ".02", ".3", "interaction", "all yes in the heaviest")
SIZES, FEWER = (100, 300, 1_000, 2_000, 4_000), (300, 1_000, 4_000)


@dataclass(frozen=True)
class Weighted:
    """People with the first choices take part exp(tilt) times as often; the weights undo it."""

    margins: tuple[tuple[float, ...], ...]
    law: tuple[float, float]
    n: int
    tilt: float
    shape: str

    @property
    def codes(self) -> Floats:
        """Margin by pattern."""
        return np.array(list(product(*(range(len(of)) for of in self.margins)))).T

    @property
    def population(self) -> Floats:
        shares = [np.array(of)[codes] for of, codes in zip(self.margins, self.codes, strict=True)]
        return np.asarray(np.prod(shares, axis=0))

    @property
    def takes_part(self) -> Floats:
        drawn = self.population * np.exp(self.tilt * (self.codes == 0).sum(axis=0) / len(self.margins) * 2)
        return np.asarray(drawn / drawn.sum())

    @property
    def shares(self) -> Floats:
        """By pattern."""
        first = (self.codes == 0).sum(axis=0)
        if self.shape == "interaction":
            return np.where(first == len(self.margins), 0.4, np.where(first == 0, 0.3, 0.1))
        if self.shape == SHAPES[-1]:
            heaviest = np.argmax(self.population / self.takes_part)
            return np.where(np.arange(len(first)) == heaviest, 1.0, 0.1)
        return np.full(len(first), 0.0 if self.shape == "nobody" else float(self.shape))

    def __str__(self) -> str:
        law = f"keep {self.law[0]:g}, noise {self.law[1]:.3g}"
        tilt = f"tilt {self.tilt:g}, {self.shape}"
        return f"margins of {len(self.margins)}, {tilt}, {law}, {self.n:,} respondents"


def weighted(of: Weighted, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    margins = [
        MarginCells(codes.astype(np.intp), np.array(shares), ("",) * len(shares))
        for codes, shares in zip(of.codes, of.margins, strict=True)
    ]
    groups = accepted(
        of.n, of.takes_part, of.shares, margins, AnswerLaw.from_probabilities(*of.law), surveys, rng
    )
    if groups:
        yield held("weighted share", of, together(groups).interval(), float(of.population @ of.shares))


def accepted(
    n: int,
    takes_part: Floats,
    shares: Floats,
    margins: Sequence[MarginCells],
    law: AnswerLaw,
    surveys: int,
    rng: np.random.Generator,
) -> list[tuple[ReceivedSide, Floats]]:
    """Classes of weights of the surveys whose weights are not refused; who takes part, and shares, by pattern."""
    received = law.keep * shares + law.chance
    groups = []
    for _survey in range(surveys):
        records = rng.multinomial(n, takes_part).astype(np.float64)
        having = rng.binomial(records.astype(np.int64), received).astype(np.float64)
        try:
            weight, _largest = rake_with_largest_weight(records, margins)
            used = (records > 0) & (weight > 0)
            effective_records_or_refusal(records[used], weight[used])
        except InputError:
            continue
        groups.append(weight_class_sides(records[used], having[used], weight[used], law))
    return groups


def together(groups: Sequence[tuple[ReceivedSide, Floats]]) -> SumOfShares:
    """Surveys as rows; those with fewer classes of weights than others have empty groups."""
    most = max(len(factor) for _side, factor in groups)

    def rows(values: Iterable[Floats], nothing: float) -> Floats:
        padded = [np.pad(of.ravel(), (0, most - of.size), constant_values=nothing) for of in values]
        return np.stack(padded, axis=1)

    columns = zip(*(side for side, _factor in groups), strict=True)
    received = ReceivedSide(
        *(rows(of, nothing) for of, nothing in zip(columns, (0.0, 0.0, 1.0, 0.0), strict=True))
    )
    return SumOfShares.with_factors(received, rows((factor for _side, factor in groups), 0.0), (0.0, 1.0))


MEASURES: Measures = {
    "weights": (grid(Weighted, [TWO], LAWS, SIZES, (0.0, 0.6, 0.95, 1.15), SHAPES), weighted),
    "weights-three": (grid(Weighted, [THREE], LAWS[:4], FEWER, (0.2, 0.4), SHAPES[1:4]), weighted),
}
