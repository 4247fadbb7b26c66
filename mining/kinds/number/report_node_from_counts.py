"""Makes the report node of a sensitive number from counts of records by group and code."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mining.finite_numbers_for_json import PLACES, round_or_none
from mining.kinds.minimum_record_counts import Counts, has_enough_records
from mining.kinds.number.estimates_by_classes import estimate_mean, item_shares, quantile_statement
from mining.kinds.number.falling_shares import SharesWithEnds, falling_shares
from mining.kinds.number.window_distribution import WindowEstimate, estimate_window
from mining.nodes.number_nodes import (
    Floats,
    NumberDistribution,
    NumberEstimates,
    NumberNode,
    NumberShare,
    NumberTruth,
)
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection
from privacy.kinds.number.window.smoothed_distribution_estimate import estimate_distribution
from privacy.kinds.score_table_by_law import find_score_table
from privacy.kinds.section import Section
from privacy.kinds.simulation import TrueNumber

QUANTILES = (0.25, 0.5, 0.75)
MOST_CELLS, MOST_CELLS_OF_CLASS = 1_024, 256
"""Largest number of cells of a stored distribution: of everybody, and of one class."""


def estimate_number(
    section: WindowSection | ClassesSection,
    counts: Counts,
    quantiles: Sequence[float] = QUANTILES,
    *,
    of_class: bool = False,
) -> NumberEstimates:
    """Returns the estimates of a number, of either kind (window or classes), from counts by group (open, disguised) and
    code."""
    opened, base = int(counts[0].sum()), int(counts.sum())
    if isinstance(section, WindowSection):
        estimate = estimate_window(section.law, counts, illustrated=not of_class)
        if estimate is None:
            return NumberEstimates(base, opened)
        return NumberEstimates(base, opened, distribution=summarise_distribution(estimate, of_class=of_class))
    return _estimate_classes(section, counts, quantiles)


def _estimate_classes(section: ClassesSection, counts: Counts, quantiles: Sequence[float]) -> NumberEstimates:
    question, items = section.question, section.as_mined().questions[0]
    shares = item_shares(find_score_table(items), counts)
    limits, records = question.limits, counts[:, : question.n_intervals].sum(axis=1)

    def part(chosen: Sequence[int]) -> SharesWithEnds:
        return SharesWithEnds(*(column[list(chosen)] for column in (shares.share, shares.low, shares.high)))

    above, classes = falling_shares(part(range(len(limits))), part(items.class_items))

    def stated(
        of: SharesWithEnds, chosen: Sequence[int], at_least: Sequence[int | None], below: Sequence[int | None]
    ) -> tuple[NumberShare, ...]:
        se = round_or_none(shares.se[list(chosen)])
        columns = [round_or_none(column) for column in (of.share, of.low, of.high)]
        rows = zip(at_least, below, columns[0], se, columns[1], columns[2], strict=True)
        return tuple(NumberShare(least, limit, int(records.sum()), *row) for least, limit, *row in rows)

    law = section.law
    return NumberEstimates(
        n_asked=int(counts.sum()),
        n_open=int(counts[0].sum()),
        mean=estimate_mean(
            find_score_table(items),
            counts,
            question.starts,
            question.high,
            question.widest_class_span,
            law.rest_keep,
        )
        if question.has_mean
        else None,
        quantiles=tuple(quantile_statement(q, limits, above.low, above.high) for q in quantiles)
        if has_enough_records(records)
        else (),
        shares=stated(above, range(len(limits)), limits, [None] * len(limits)),
        classes=stated(classes, items.class_items, (None, *limits), (*limits, None)),
    )


def summarise_distribution(estimate: WindowEstimate, *, of_class: bool) -> NumberDistribution:
    """Returns the estimated distribution in cells of several values, few enough to be stored and drawn."""
    values = len(estimate.received)
    width = -(-values // (MOST_CELLS_OF_CLASS if of_class else MOST_CELLS))
    banded = bool(np.isfinite(estimate.low).all())
    return NumberDistribution(
        width,
        _middle_shares_times_size(estimate.blurred, width),
        _middle_shares_times_size(estimate.low, width) if banded else None,
        _middle_shares_times_size(estimate.high, width) if banded else None,
        estimate.modes,
        None if of_class else _cell_sums(estimate.received, width),
        None if of_class else _cell_sums(estimate.illustration, width),
    )


def true_distribution(section: WindowSection, counts: Sequence[int], width: int) -> NumberTruth:
    """Returns the distribution of true numbers (`counts` by value) in cells of `width` values: as it is, and blurred
    like the estimate."""
    true = np.array(counts, np.float64)
    if not true.any():
        return NumberTruth()
    like_estimate = estimate_distribution(section.law, np.zeros_like(true), true).share
    return NumberTruth(
        None, _cell_sums(true / true.sum(), width), _middle_shares_times_size(like_estimate, width)
    )


def number_truth(node: NumberNode, section: Section, true: TrueNumber) -> NumberTruth:
    drawn = node.all_records.distribution
    if isinstance(section, WindowSection) and drawn:
        return true_distribution(section, true.counts, drawn.width)
    return NumberTruth(true.mean if node.all_records.mean else None)


def _middle_shares_times_size(column: Any, width: int) -> Floats:
    """Returns, for each cell of `width` values, the share of its middle value times the number of its values."""
    starts = np.arange(0, len(column), width)
    sizes = np.diff(np.append(starts, len(column)))
    return _round_values(column[starts + sizes // 2] * sizes)


def _cell_sums(column: Any, width: int) -> Floats:
    return _round_values(np.add.reduceat(column, np.arange(0, len(column), width)))


def _round_values(values: Any) -> Floats:
    return tuple(np.round(values, PLACES).tolist())
