"""What a report says about a sensitive number, and its JSON: estimates of everybody and by class of plain questions.

Estimates by class join a plain and a sensitive answer, so they are of the disguised records alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mining.finite_numbers import finite
from mining.numbers.floors import Counts, enough
from mining.numbers.thresholds import (
    MeanEstimate,
    QuantileStatement,
    estimate_mean,
    quantile_statement,
    threshold_shares,
)
from mining.numbers.window import WindowEstimate, estimate_window
from privacy.kinds.number.form import ThresholdsSection, WindowSection
from privacy.kinds.number.inverse import blurred

QUANTILES = (0.25, 0.5, 0.75)
MOST_CELLS, MOST_CELLS_OF_CLASS = 1_024, 256
"""The most cells of a distribution that is stored."""
PLACES = 9
"""Decimal places of what is stored."""

Floats = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ThresholdShare:
    """P(x >= threshold) among the `base` records that answered it; None: too few, or withheld by a publication."""

    threshold: int
    base: int | None
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class NumberDistribution:
    """Shares of cells of `width` neighbouring values each; the last cell may have fewer.

    `received` and `illustration` are sums over the cell, None by class. `blurred` and its 95 % band `low` to `high` are
    those of its middle value times the number of its values; of too few records there is no band. `modes` is the M of
    the Fejer kernel.
    """

    width: int
    blurred: Floats
    low: Floats | None
    high: Floats | None
    modes: int
    received: Floats | None = None
    illustration: Floats | None = None


@dataclass(frozen=True, slots=True)
class NumberEstimates:
    """Estimates among `base` records, `opened` of them open.

    None or empty: not promised by the law, too few records, or withheld by a publication.
    """

    base: int | None
    opened: int | None
    mean: MeanEstimate | None = None
    quantiles: tuple[QuantileStatement, ...] = ()
    shares: tuple[ThresholdShare, ...] = ()
    distribution: NumberDistribution | None = None


@dataclass(frozen=True, slots=True)
class NumberClasses:
    """The estimates in each class, a choice of a plain `question`, by code; of the disguised records alone."""

    question: str
    classes: tuple[NumberEstimates, ...]


@dataclass(frozen=True, slots=True)
class NumberTruth:
    """What simulated respondents truly answered: the mean; of a window the shares of the cells of its distribution,
    and that distribution blurred as the estimate is. None: nothing is estimated that it could stand beside.
    """

    mean: float | None = None
    distribution: Floats | None = None
    blurred: Floats | None = None


@dataclass(frozen=True, slots=True)
class NumberFinding:
    """A number `question` by name.

    `truth` only in reports, of rehearsals.
    """

    question: str
    law: str
    everybody: NumberEstimates
    groups: tuple[NumberClasses, ...] = ()
    truth: NumberTruth | None = None


def estimates(
    section: WindowSection | ThresholdsSection,
    counts: Counts,
    quantiles: Sequence[float] = QUANTILES,
    *,
    of_class: bool = False,
) -> NumberEstimates:
    """From the records by group (open, disguised) and code, to which the number applies."""
    opened, base = int(counts[0].sum()), int(counts.sum())
    if isinstance(section, WindowSection):
        found = estimate_window(section.law, counts, illustrated=not of_class)
        if found is None:
            return NumberEstimates(base, opened)
        return NumberEstimates(base, opened, distribution=distribution(found, of_class=of_class))
    return _of_thresholds(section, counts.reshape(2, -1, 2), quantiles)


def _of_thresholds(section: ThresholdsSection, counts: Counts, quantiles: Sequence[float]) -> NumberEstimates:
    question, keep = section.question, section.law.keep
    found = threshold_shares(counts, keep)
    answered = counts.sum(axis=(0, 2))
    columns = (question.thresholds, answered.tolist(), *map(_finite, (found.share, found.low, found.high)))
    shares = tuple(ThresholdShare(*row) for row in zip(*columns, strict=True))
    stated = (
        quantile_statement(q, question.points, found.low, found.high, moved=question.mean) for q in quantiles
    )
    return NumberEstimates(
        base=int(counts.sum()),
        opened=int(counts[0].sum()),
        mean=estimate_mean(counts, keep, question.points) if question.mean else None,
        quantiles=tuple(stated) if enough(counts.sum(axis=(1, 2))) else (),
        shares=shares,
    )


def distribution(found: WindowEstimate, *, of_class: bool) -> NumberDistribution:
    """In so few cells that it can be stored and drawn."""
    values = len(found.received)
    width = -(-values // (MOST_CELLS_OF_CLASS if of_class else MOST_CELLS))
    banded = bool(np.isfinite(found.low).all())
    return NumberDistribution(
        width,
        _at_middles(found.blurred, width),
        _at_middles(found.low, width) if banded else None,
        _at_middles(found.high, width) if banded else None,
        found.modes,
        None if of_class else _summed(found.received, width),
        None if of_class else _summed(found.illustration, width),
    )


def true_distribution(section: WindowSection, counts: Sequence[int], width: int) -> NumberTruth:
    """Of true numbers, by value, in cells of so many values."""
    true = np.array(counts, np.float64)
    if not true.any():
        return NumberTruth()
    like_estimate = blurred(section.law, np.zeros_like(true), true).share
    return NumberTruth(None, _summed(true / true.sum(), width), _at_middles(like_estimate, width))


def _at_middles(column: Any, width: int) -> Floats:
    """By cell the value in its middle, times the number of its values."""
    starts = np.arange(0, len(column), width)
    sizes = np.diff(np.append(starts, len(column)))
    return _rounded(column[starts + sizes // 2] * sizes)


def _summed(column: Any, width: int) -> Floats:
    return _rounded(np.add.reduceat(column, np.arange(0, len(column), width)))


def as_json(of: NumberFinding) -> dict[str, Any]:
    return asdict(of)


def from_json(data: Mapping[str, Any]) -> NumberFinding:
    return NumberFinding(
        data["question"],
        data["law"],
        _estimates(data["everybody"]),
        tuple(NumberClasses(of["question"], tuple(map(_estimates, of["classes"]))) for of in data["groups"]),
        NumberTruth(**_columns(data["truth"])) if data.get("truth") else None,
    )


def _estimates(data: Mapping[str, Any]) -> NumberEstimates:
    drawn = data["distribution"]
    return NumberEstimates(
        data["base"],
        data["opened"],
        MeanEstimate(**data["mean"]) if data["mean"] else None,
        tuple(QuantileStatement(**one) for one in data["quantiles"]),
        tuple(ThresholdShare(**one) for one in data["shares"]),
        NumberDistribution(**_columns(drawn)) if drawn else None,
    )


def _columns(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}


def _rounded(values: Any) -> Floats:
    return tuple(np.round(values, PLACES).tolist())


def _finite(values: Any) -> list[float | None]:
    return [finite(value) for value in np.round(values, PLACES).tolist()]
