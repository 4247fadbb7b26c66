"""Supports of itemsets, reconstructed from counts, with their errors (docs/mathematics.md, Estimators)."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import pi
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import exact_counts_from_at_least
from mining.inference.intervals import NORMAL_95
from mining.queries_and_counters import Counter, Item, Numbers
from mining.reconstruction.cached_counter import CachedCounter, Counts, as_cached
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.itemsets_grouped_by_shape import (
    CHUNK,
    ItemsetGroup,
    as_item_numbers,
    divide_or_zero,
    group_by_shape,
    sum_of_groups,
)
from mining.reconstruction.pooled_estimator import pooled_influences_by_cell, pooled_supports_of_subsets
from mining.reconstruction.score_moments_by_group import (
    SupportCounts,
    count_for_supports,
    restrict_to_shown,
    score_moments,
)
from mining.reconstruction.score_queries import count_support_tables
from mining.reconstruction.support_intervals import (
    IntervalsByCriticalZ,
    VarianceParabola,
    combined_parabola,
    combined_support,
    pooled_parabola,
)

Estimator = Literal["stratified", "pooled", "combined"]
ESTIMATORS: tuple[Estimator, ...] = ("stratified", "pooled", "combined")


@dataclass(frozen=True)
class Supports:
    """Estimated supports of itemsets, one row each, in the order they were given.

    Estimates are NaN where not `enough`, and are not clipped to [0, 1]; intervals are. Ends are NaN until computed.
    """

    itemsets: Numbers
    support: Floats
    se: Floats
    pooled: Floats
    expected_w: Floats
    observed: Floats  # P*(S)
    base: Counts  # records that were asked all of S, base(S)
    groups: Counts  # the open and the disguised of these
    enough: NDArray[np.bool_]
    shown: Counts  # records of base(S) to which all of S applies, E(S)
    share_shown: Floats  # the support among these, if a rule may hide S
    low: Floats  # of an itemset that was chosen before the survey
    high: Floats
    low_listed: Floats  # at its place in the list of all that a search found
    high_listed: Floats
    low_shown: Floats
    high_shown: Floats
    heads: Floats  # ends in shorter lists (`critical_z_by_rank`), by itemset, head and end; no columns if not asked for

    def __len__(self) -> int:
        return len(self.support)

    def take(self, rows: NDArray[Any]) -> "Supports":
        """Returns the supports of these `rows` (indexes or a mask)."""
        if rows.dtype == np.bool_ and rows.all():
            return self
        places = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return Supports(*(getattr(self, name)[places] for name in COLUMNS))


COLUMNS = tuple(column.name for column in fields(Supports))
ESTIMATED = ("support", "se", "pooled", "expected_w", "observed", "share_shown")
KINDS: dict[str, type] = {"base": np.int64, "groups": np.int64, "shown": np.int64, "enough": np.bool_}


def reconstruct_supports(
    counter: Counter | CachedCounter,
    itemsets: Sequence[tuple[Item, ...]] | Numbers,
    estimator: Estimator = "stratified",
) -> Supports:
    """Estimates the supports of these itemsets, with intervals; no itemset has two items of one question.

    An item is the index of its question in the mined design and the code of a choice; `Numbers` are rows of numbers of
    items. `estimator`: `pooled` and `combined` assume that open and disguised people are alike. Counts all in one call;
    with a `CachedCounter` only what no earlier call has counted.
    """
    cache = as_cached(counter)
    points = estimate_supports_without_intervals(cache, itemsets, estimator)
    ends, shown = support_intervals(cache, points, estimator, np.full((len(points), 1), NORMAL_95))
    return replace(
        points,
        **interval_columns(("low", "high"), ends),
        **interval_columns(("low_shown", "high_shown"), shown),
    )


def interval_columns(names: Sequence[str], ends: Floats) -> dict[str, Any]:
    """Returns the ends of each row's intervals as columns with these names, for `Supports`: two names for each
    interval."""
    return {name: ends[:, index // 2, index % 2] for index, name in enumerate(names)}


def estimate_supports_without_intervals(
    counter: CachedCounter, itemsets: Sequence[tuple[Item, ...]] | Numbers, estimator: Estimator
) -> Supports:
    """Estimates supports and their standard errors without intervals, as a search needs them."""
    numbers = as_item_numbers(counter.numbering, itemsets)
    groups = list(group_by_shape(counter, numbers))
    pieces = []
    for group, tally in zip(groups, count_for_supports(counter, groups), strict=True):
        for start in range(0, len(tally), CHUNK):
            rows = slice(start, start + CHUNK)
            part = tally if len(tally) <= CHUNK else tally.take(rows)
            pieces.append((group.rows[rows], _support_columns(group, part, estimator, counter.n)))
    return _join_support_columns(numbers, pieces)


def support_intervals(
    counter: CachedCounter, supports: Supports, estimator: Estimator, critical_zs: Floats
) -> tuple[Floats, Floats]:
    """Returns two arrays of intervals, by itemset, critical z and end: of the supports among the records asked all of S
    (base(S)), and among those to which all of S applies (E(S)).

    The second array has the first critical z only, and only itemsets that a rule may hide. NaN where there is no
    estimate.
    """
    groups = list(group_by_shape(counter, supports.itemsets))
    estimated = _groups_with(supports.enough, groups)
    hidden = [group for group in estimated if group.shape.hidden]
    estimated_shown = _groups_with(~np.isnan(supports.share_shown), hidden)
    return (
        _group_intervals(counter, estimated, estimator, critical_zs),
        _group_intervals(counter, estimated_shown, estimator, critical_zs[:, :1], shown=True),
    )


def _groups_with(chosen: NDArray[np.bool_], groups: Sequence[ItemsetGroup]) -> list[ItemsetGroup]:
    """Returns the groups reduced to the `chosen` itemsets (a mask over all itemsets), without groups that would be
    empty."""
    reduced = [group.take(chosen[group.rows]) for group in groups]
    return [group for group in reduced if len(group.rows)]


def _group_intervals(
    counter: CachedCounter,
    groups: Sequence[ItemsetGroup],
    estimator: Estimator,
    critical_zs: Floats,
    *,
    shown: bool = False,
) -> Floats:
    result = IntervalsByCriticalZ.empty_at(critical_zs)
    if not groups:
        return result.ends
    tested, others = list[ItemsetGroup](), list[ItemsetGroup]()
    for group in groups:
        by_test = group.shape.sections and (estimator == "stratified" or group.shape.scored)
        (tested if by_test else others).append(group)
    for group, counted in zip(others, count_for_supports(counter, others), strict=True):
        tally = restrict_to_shown(counted) if shown else counted
        if group.shape.sections:
            result.add_parabola_intervals(group.rows, weighted_estimates(tally, estimator)[1])
        else:
            result.add_exact_intervals(group.rows, tally)
    tables = count_support_tables(counter, tested, shown=shown)
    result.add_score_intervals([(group.rows, table) for group, table in zip(tested, tables, strict=True)])
    return result.ends


def _support_columns(
    group: ItemsetGroup, tally: SupportCounts, estimator: Estimator, n: tuple[int, int]
) -> dict[str, NDArray[Any]]:
    """Returns columns of `Supports` for itemsets of one shape, from their counts among n records."""
    base, applying = sum_of_groups(tally.base), sum_of_groups(tally.applying)
    support, se, by_inversion = _support_error_and_pooled(tally, estimator)
    # The variance due to the disguise and the drawing of questions alone, without that of sampling people.
    records = n[1] if group.shape.uses_disguised_only or group.shape.withheld else sum(n)
    disguise = np.maximum(se**2 - support * (1 - support) / max(records, 1), 0.0)
    columns = {"support": support, "se": se, "pooled": by_inversion, "expected_w": np.sqrt(2 / pi * disguise)}
    columns = {name: np.where(tally.has_enough_records, values, np.nan) for name, values in columns.items()}
    if group.shape.hidden:
        estimated_shown = tally.has_enough_records & restrict_to_shown(tally).has_enough_records
        columns["share_shown"] = np.where(estimated_shown, divide_or_zero(support * base, applying), np.nan)
    return columns | {
        "observed": divide_or_zero(sum_of_groups(tally.supersets[-1]), base),
        "base": base,
        "groups": tally.base.T,
        "enough": tally.has_enough_records,
        "shown": applying,
    }


def _support_error_and_pooled(tally: SupportCounts, estimator: Estimator) -> tuple[Floats, Floats, Floats]:
    """Returns the supports and their standard errors by this estimator, and the supports by the paper's inversion
    (`pooled`)."""
    if estimator == "stratified" or tally.scores:
        estimated_moments = score_moments(tally)
        support = sum_of_groups(estimated_moments.weight * estimated_moments.mean)
        square = sum_of_groups(estimated_moments.weight * estimated_moments.second) - support**2
        se = np.sqrt(np.maximum(square, 0.0) / np.maximum(estimated_moments.total_record_count, 1))
        if tally.scores:
            # The other estimators leave what is made of scores as it is.
            return support, se, support
        parts = pooled_supports_of_subsets(tally.supersets, tally.applying, tally.keep, tally.chance)
        return (
            support,
            se,
            parts[-1] * divide_or_zero(sum_of_groups(tally.applying), estimated_moments.total_record_count),
        )
    (support, se, by_inversion), _parabola = weighted_estimates(tally, estimator)
    return support, se, by_inversion


def weighted_estimates(
    tally: SupportCounts, estimator: Estimator
) -> tuple[tuple[Floats, Floats, Floats], VarianceParabola]:
    """Returns the `pooled` or `combined` estimates (support, standard error, support by the inversion), and their
    variance at each true value."""
    tally_moments = score_moments(tally)
    parts = pooled_supports_of_subsets(tally.supersets, tally.applying, tally.keep, tally.chance)
    by_inversion = parts[-1] * divide_or_zero(sum_of_groups(tally.applying), tally_moments.total_record_count)
    if estimator == "pooled":
        se = _pooled_error(tally, parts)
        return (by_inversion, se, by_inversion), pooled_parabola(by_inversion, se, tally.keep, tally_moments)
    support, variance = combined_support(
        sum_of_groups(tally_moments.weight * tally_moments.mean), tally_moments
    )
    se = np.sqrt(divide_or_zero(np.ones(len(support)), (1 / variance).sum(axis=0)))
    return (support, se, by_inversion), combined_parabola(support, variance, tally_moments)


def _join_support_columns(
    itemsets: Numbers, pieces: Sequence[tuple[NDArray[np.intp], dict[str, NDArray[Any]]]]
) -> Supports:
    rows = len(itemsets)
    values_by_name: dict[str, NDArray[Any]] = {
        name: np.zeros((rows, 2) if name == "groups" else rows, KINDS[name])
        if name in KINDS
        else np.full(rows, np.nan)
        for name in (*KINDS, *ESTIMATED)
    }
    for rows_of_piece, columns in pieces:
        for name, values in columns.items():
            values_by_name[name][rows_of_piece] = values
    values_by_name["heads"] = np.empty((rows, 0, 2))
    nothing = np.broadcast_to(np.nan, rows)
    return Supports(
        itemsets, **values_by_name, **{name: nothing for name in COLUMNS[1:] if name not in values_by_name}
    )


def _pooled_error(tally: SupportCounts, parts: Floats) -> Floats:
    """Returns the standard error of the `pooled` support: sqrt(mean psi^2 / n), with the variance of the share of
    people to whom S applies if that is not all."""
    psi = pooled_influences_by_cell(parts, tally.applying, tally.keep, tally.chance)
    without = tally.applying - tally.supersets[0]
    records = np.concatenate([exact_counts_from_at_least(tally.supersets), without[None]])
    base, applying = sum_of_groups(tally.base), sum_of_groups(tally.applying)
    shown = parts[-1]
    hidden = shown * divide_or_zero(applying, base)
    squares = (records * (psi + shown - hidden) ** 2).sum(axis=(0, 1))
    squares += (base - applying) * hidden**2
    return np.asarray(np.sqrt(squares) / np.maximum(base, 1))
