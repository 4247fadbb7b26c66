"""Weights that match known margins, and weighted shares (docs/mathematics.md, Weights).

Weights belong to cells of plain questions and never to a record. They correct the margins, not why people took part.
Everything is of the disguised records alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95
from mining.reconstruction.intervals import Parabola
from mining.studies.answer_scores import AnswerLaw
from mining.studies.pattern_counts import PatternScores
from privacy.designs import Refusal
from privacy.grammar.refusal import marked as _

MET, MOST_ROUNDS = 1e-8, 200
SAID, REFUSED = 5.0, 20.0
"""A weight above so many times the mean is said, or refused."""
LEAST_SPREAD = 1e-18


@dataclass(frozen=True)
class MarginCells:
    """A margin as `cell` by pattern, and by cell its `share` of the population and its name."""

    cell: NDArray[np.intp]
    share: Floats
    names: tuple[str, ...]


@dataclass(frozen=True)
class PatternWeights:
    """`weight` by pattern, of mean 1 over the records; `largest` is the largest of a record."""

    weight: Floats
    largest: float

    @property
    def is_large(self) -> bool:
        """Whether the page says so."""
        return self.largest > SAID


def rake(records: Floats, margins: Sequence[MarginCells]) -> PatternWeights:
    """Each margin in turn is scaled to its shares until all are met; one margin alone is post-stratification."""
    _check_records(records, margins)
    weight = np.ones(len(records))
    for _round in range(MOST_ROUNDS):
        for margin in margins:
            weight *= _factors(margin, records * weight)[margin.cell]
        if all(_gap(margin, records * weight) <= MET for margin in margins):
            return _scaled(records, weight)
    raise Refusal(
        "margins",
        _("cannot all be met at once after %(rounds)s rounds: leave one margin out, or merge choices"),
        rounds=MOST_ROUNDS,
    )


def _check_records(records: Floats, margins: Sequence[MarginCells]) -> None:
    for margin in margins:
        there = np.bincount(margin.cell, records, len(margin.share))
        for name, share, some in zip(margin.names, margin.share.tolist(), there.tolist(), strict=True):
            if share > 0 and not some:
                raise Refusal(
                    "margins",
                    _(
                        "%(cell)s has the share %(share)s, but no disguised record: merge it with another choice"
                    ),
                    cell=name,
                    share=f"{share:g}",
                )


def _shares(margin: MarginCells, weighted: Floats) -> Floats:
    total = weighted.sum()
    return np.asarray(np.bincount(margin.cell, weighted, len(margin.share)) / (total or 1.0))


def _factors(margin: MarginCells, weighted: Floats) -> Floats:
    now = _shares(margin, weighted)
    return np.where(now > 0, margin.share / np.where(now > 0, now, 1.0), 0.0)


def _gap(margin: MarginCells, weighted: Floats) -> float:
    return float(np.abs(_shares(margin, weighted) - margin.share).max())


def _scaled(records: Floats, weight: Floats) -> PatternWeights:
    weight = weight * records.sum() / (records * weight).sum()
    largest = float(weight[records > 0].max())
    if largest > REFUSED:
        raise Refusal(
            "margins",
            _("a weight is %(times)s times the mean, above %(most)s: merge choices with few records"),
            times=f"{largest:.1f}",
            most=f"{REFUSED:g}",
        )
    return PatternWeights(weight, largest)


@dataclass(frozen=True)
class WeightedShare:
    """P_w with its error and its 95 % interval in [0, 1]; `effective` is n', `rank` that of the indicators."""

    share: float
    se: float
    low: float
    high: float
    effective: float
    rank: int


def weighted_share(
    scores: PatternScores, weight: Floats, margins: Sequence[MarginCells], law: AnswerLaw
) -> WeightedShare:
    """The weighted mean of the scores; its error is that of the residuals of the margins' indicators."""
    used = (scores.records > 0) & (weight > 0)
    n, first, second, w = (values[used] for values in (scores.records, scores.first, scores.second, weight))
    total = (n * w).sum()
    mean, square = float((w * first).sum() / total), float((w * second).sum() / total)
    fitted, rank = _regression([margin.cell[used] for margin in margins], n * w, first / n)
    residual = (w**2 * (second - 2 * fitted * first + n * fitted**2)).sum()
    variance = residual / total**2 * n.sum() / (n.sum() - rank)
    effective = max(square - mean**2, LEAST_SPREAD) / max(variance, LEAST_SPREAD)
    slope = float(law.slope)
    low, high = Parabola(
        np.array([mean]),
        np.array([(square - slope * mean) / effective]),
        np.array([slope / effective]),
        np.array([1 / effective]),
    ).interval(NORMAL_95)
    return WeightedShare(
        mean, float(np.sqrt(variance)), float(low[0]), float(high[0]), float(effective), rank
    )


def _regression(cells: Sequence[NDArray[Any]], weight: Floats, mean: Floats) -> tuple[Floats, int]:
    """The fitted values of a weighted regression on the indicators of all cells, and their rank."""
    indicators = np.concatenate([np.eye(int(cell.max()) + 1)[cell] for cell in cells], axis=1)
    root = np.sqrt(weight)
    solution, _residuals, rank, _values = np.linalg.lstsq(
        root[:, None] * indicators, root * mean, rcond=1e-10
    )
    return indicators @ solution, int(rank)
