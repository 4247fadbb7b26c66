"""Shares, classes, mean and quantiles of a number by classes (docs/mathematics.md, Numbers by classes).

`counts` are records by group (open, disguised) and code: intervals of classes, then the bits 0 and 1 of the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, ContingencyTable, Floats, ItemsetPart, ScoredParts
from mining.inference.intervals import share_interval
from mining.inference.score_test import Test, support_test
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares
from mining.kinds.minimum_record_counts import Counts, has_enough_records
from mining.nodes.number_nodes import MeanEstimate, QuantileStatement
from mining.queries_and_counters import VARIANTS, scores_by_group_and_code
from privacy.kinds.number.classes.law import LEAST_CLASSES, LEAST_REST
from privacy.kinds.score_table import ScoreTable


@dataclass(frozen=True, slots=True)
class ItemShares:
    """Estimated share of each item, its standard error and 95 % interval.

    NaN where too few records have a class; the ends are NaN also where the counts contradict each other.
    """

    share: Floats
    se: Floats
    low: Floats
    high: Floats


def item_shares(table: ScoreTable, counts: Counts) -> ItemShares:
    """Estimates the share of every item of the score table, by the estimator `stratified`.

    The last two axes of `counts` are group and code; axes before them are surveys.
    """
    codes, items = table.scores_by_code_and_item.shape
    records = counts[..., :codes].astype(np.float64)
    shape = (*records.shape[:-2], items)
    estimates = np.full((4, *shape), np.nan)
    some = has_enough_records(records.sum(axis=-1))
    if some.any():
        tables = records[some] if records.ndim > 2 else records[None]
        test, products = item_tests_and_score_products(table, tables)
        many = len(tables)
        n = tables.sum(axis=(1, 2))[:, None]
        share = test.estimate.reshape(many, items)
        variance = np.diagonal(products, axis1=1, axis2=2) / n - share**2
        se = np.sqrt(np.maximum(variance, 0.0) / n)
        columns = (share, se, *(end.reshape(many, items) for end in share_interval(test)))
        estimates[:, some] = np.stack(columns).reshape(estimates[:, some].shape)
    return ItemShares(*estimates)


def item_tests_and_score_products(table: ScoreTable, records: Floats) -> tuple[Test, Floats]:
    """Returns the score tests of all items, survey by survey, and for each survey and pair of items the sum of the
    products of their scores.

    `records` is survey by group by code.
    """
    many, items = len(records), table.scores_by_code_and_item.shape[1]
    columns = scores_by_group_and_code(table)
    sums = np.stack([records[:, group] @ columns[group] for group in (0, 1)])
    z, squares, touched = (
        sums[:, :, variant * items : (variant + 1) * items].reshape(2, -1) for variant in range(VARIANTS)
    )
    n = np.repeat(records.sum(axis=2).T, items, axis=1)
    classes = np.maximum(records[:, 1] @ table.scores, 0.0)
    total = classes.sum(axis=1, keepdims=True)
    classes = classes / np.where(total > 0, total, 1.0)
    moments = table.moments(np.tile(np.arange(items), many), np.repeat(classes.T, items, axis=1))
    scores = ScoredParts((0,), np.stack([n, squares]), np.stack([n, touched]), moments[None])
    law = np.ones((1, 1)), np.zeros((1, 1))
    tested = ContingencyTable((ItemsetPart(ANTECEDENT, 0),), np.stack([n, z]), *law, scores)
    own = columns[:, :, :items]
    products = sum(np.einsum("sc,ci,cj->sij", records[:, group], own[group], own[group]) for group in (0, 1))
    return support_test(tested), np.asarray(products)


def estimate_mean(
    table: ScoreTable,
    counts: Counts,
    starts: Sequence[int],
    high: int,
    span: int,
    rest_keep: Fraction | None,
) -> MeanEstimate | None:
    """Estimates a number's mean: the mean start of the classes plus, if a class has more than one value, the mean rest
    (difference to the start).

    Both are estimated from different records. `starts` are the limits t_0 .. t_N; `span` is D, the largest difference
    of a number to the start of its class. None below the floors, and where the counts contradict each other.
    """
    records = counts[:, : len(table.scores)].sum(axis=1)
    bits = counts[:, len(table.scores) :].sum()
    if records.sum() < LEAST_CLASSES or not has_enough_records(records) or (span and bits < LEAST_REST):
        return None
    test = scaled_mean_tests(table, counts[None], starts, high, span, rest_keep)
    columns = test.point_estimate(), test.standard_error(), *test.interval()
    value, se, low, most = ((high - starts[0]) * float(column[0]) for column in columns)
    if np.isnan(low):
        return None
    return MeanEstimate(starts[0] + value, se, starts[0] + low, starts[0] + most)


def scaled_mean_tests(
    table: ScoreTable,
    counts: Counts,
    starts: Sequence[int],
    high: int,
    span: int,
    rest_keep: Fraction | None,
) -> SumOfShares:
    """Returns the tests of the scaled mean (mean - t_0) / (high - t_0), a row per survey.

    `counts` are survey by group by code; `starts` are the limits t_0 .. t_N, and `span` is D as in `estimate_mean`.
    """
    codes, width = len(table.scores), high - starts[0]
    # Shifted, so that nothing large cancels.
    above = (np.array(starts, np.float64) - starts[0]) / width
    opened = np.where(table.true_class >= 0, above[table.true_class], 0.0)
    scores = np.stack([opened, table.scores @ above])
    records = counts[:, :, :codes].astype(np.float64)
    n = records.sum(axis=(1, 2))
    value, square = ((records * scores**power).sum(axis=(1, 2)) / n for power in (1, 2))
    variance = np.maximum(square - value**2, 0.0) / n
    # By group and survey. Of a number whose classes are its values there are no bits.
    bits = counts[:, :, codes:].sum(axis=2).T
    having = counts[:, :, codes + 1].T if span else np.zeros_like(bits)
    p = 1.0 if rest_keep is None else float(rest_keep)
    side = ReceivedSide(bits, having, np.array([[1.0], [p]]), np.array([[0.0], [(1 - p) / 2]]))
    factor = span / width * bits / np.maximum(bits.sum(axis=0), 1)
    return SumOfShares.with_factors(side, factor, (0.0, 1.0), added=(value, variance))


def quantile_statement(q: float, limits: Sequence[int], low: Floats, high: Floats) -> QuantileStatement:
    """Returns the statement between which of the limits t_1 .. t_N the q-quantile lies, with 95 % confidence.

    `low` and `high` are the ends of 95 % intervals of P(x >= t_i). The limits are tested in order from each end, each
    at 97.5 % one-sided, up to the first that fails (as NaN does). So at most one error is made from either end.
    """
    from_below = _count_leading_passes(low > 1 - q)
    from_above = _count_leading_passes(high[::-1] < 1 - q)
    return QuantileStatement(
        q,
        limits[from_below - 1] if from_below else None,
        limits[len(limits) - from_above] if from_above else None,
    )


def _count_leading_passes(tests: NDArray[np.bool_]) -> int:
    """Returns the number of tests that pass in a row, from the first on."""
    return int(np.logical_and.accumulate(tests).sum())
