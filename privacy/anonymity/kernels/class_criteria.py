"""Compiled checks, for the searches, of whether an equivalence class keeps the anonymity criteria.

privacy/anonymity/criteria_check.py is the independent checker. Entropy and breaches are compared in floats and err
on the safe side; all else is compared in whole numbers.
"""

from typing import NamedTuple

import numpy as np

from privacy.anonymity.kernels.column_penalties import Floats, Integers, Points
from privacy.numba_compilation import compile_inline, compile_kernel_helper

NONE, DISTINCT, ENTROPY, RECURSIVE = 0, 1, 2, 3
WHOLE = 10_000
SAFE = 1e-9
EXACT = 2.0**53


class ClassRules(NamedTuple):
    """The anonymity criteria as arrays, by view (`SensitiveView` of privacy/anonymity/criteria_check.py).

    Cells start[v]..start[v + 1] - 1 of a histogram belong to view v, `width` of them to each of its groups.
    `records`, `totals`: number of records of the table, and by cell. `kind`, `least`, `c`: l-diversity, l and
    its factor c in ten-thousandths. `closeness` (-1: not requested), `cap`, `rho_low`, `rho_high` (0: not
    requested): in ten-thousandths. `ordered`: not 0 if t-closeness is for ordered values.
    """

    k: int
    records: int
    start: Integers
    width: Integers
    kind: Integers
    least: Integers
    c: Integers
    closeness: Integers
    ordered: Integers
    cap: Integers
    rho_low: Integers
    rho_high: Integers
    totals: Integers
    spread: float
    """Penalty added to the loss of a class for each pair of its records, so that large classes are split."""
    stop: Integers
    """One-element array, not 0 if the search has to end. Other threads write it, every long loop reads it."""


@compile_inline
def count_sensitive_values(points: Points, point: int, histogram: Integers) -> None:
    """Adds the sensitive values of the records of one point (equal records) to `histogram`, in place."""
    for record in range(points.start[point], points.start[point + 1]):
        for view in range(points.cells.shape[1]):
            histogram[points.cells[record, view]] += 1


@compile_kernel_helper
def histogram_keeps_criteria(histogram: Integers, records: int, rules: ClassRules) -> bool:
    """Returns True if a class with these counts of sensitive values keeps every anonymity criterion."""
    if records < rules.k:
        return False
    for view in range(rules.width.size):
        for begin in range(rules.start[view], rules.start[view + 1], rules.width[view]):
            end = begin + rules.width[view]
            if not _keeps_diversity(histogram, begin, end, view, rules):
                return False
            if rules.cap[view] and WHOLE * histogram[begin:end].max() > rules.cap[view] * records:
                return False
            if rules.closeness[view] >= 0 and not _keeps_closeness(
                histogram, records, begin, end, view, rules
            ):
                return False
            if rules.rho_high[view] and not _keeps_posterior_limits(
                histogram, records, begin, end, view, rules
            ):
                return False
    return True


@compile_kernel_helper
def _keeps_diversity(histogram: Integers, begin: int, end: int, view: int, rules: ClassRules) -> bool:
    """Returns True if a class, or one group of a class, keeps l-diversity for one sensitive column.

    The cells begin..end - 1 of `histogram` count the values of the column in it.
    """
    kind, least = rules.kind[view], rules.least[view]
    if kind == NONE:
        return True
    values, total = 0, 0
    for cell in range(begin, end):
        values += histogram[cell] > 0
        total += histogram[cell]
    if total == 0:
        return True
    if values < least:
        return False
    if kind == ENTROPY:
        entropy = 0.0
        for cell in range(begin, end):
            if histogram[cell]:
                share = histogram[cell] / total
                entropy -= share * np.log(share)
        return bool(entropy >= np.log(least) - SAFE)
    if kind == RECURSIVE:
        counts = np.sort(histogram[begin:end])[::-1]
        return bool(WHOLE * counts[0] < rules.c[view] * counts[least - 1 :].sum())
    return True


@compile_kernel_helper
def _keeps_closeness(
    histogram: Integers, records: int, begin: int, end: int, view: int, rules: ClassRules
) -> bool:
    """Returns True if a class keeps t-closeness to the whole table for one sensitive column.

    The cells begin..end - 1 of `histogram` count the values of the column in the class. The measure is the earth
    mover's distance: values are equally far apart, or one step each if they are ordered.
    """
    moved, carried = 0, 0
    for cell in range(begin, end):
        difference = histogram[cell] * rules.records - rules.totals[cell] * records
        carried += difference
        moved += abs(carried) if rules.ordered[view] else max(difference, 0)
    steps = max(end - begin - 1, 1) if rules.ordered[view] else 1
    # In doubles, which are exact up to 2^53; beyond that the integers could overflow, and doubles err a little.
    bound = float(rules.closeness[view]) * records * rules.records * steps
    return bool(float(moved) * WHOLE <= (bound if bound < EXACT else bound * (1 - SAFE)))


@compile_kernel_helper
def _keeps_posterior_limits(
    histogram: Integers, records: int, begin: int, end: int, view: int, rules: ClassRules
) -> bool:
    """Returns True if a class keeps the limits (rho1, rho2) of privacy breaches in a sensitive column.

    Values with a share of at most rho1 in the table must stay below rho2 in the class, and conversely. Uses the bound
    of the fractional knapsack, so it may refuse a class that keeps the limits.
    """
    low, high = rules.rho_low[view] / WHOLE, rules.rho_high[view] / WHOLE
    before = rules.totals[begin:end] / rules.records
    after = histogram[begin:end] / records
    ratio = np.zeros(end - begin)
    for cell in range(end - begin):
        if before[cell] > 0:
            ratio[cell] = -after[cell] / before[cell]
    order = np.argsort(ratio)
    return bool(
        _largest_posterior_share(before, after, order, low) < high - SAFE
        and _largest_posterior_share(before, after, order, 1 - high) < 1 - low - SAFE
    )


@compile_kernel_helper
def _largest_posterior_share(before: Floats, after: Floats, order: Integers, room: float) -> float:
    """Returns the largest class share of values whose table share is `room` (fractional knapsack).

    `before`, `after`: shares of each value in the table and in the class; `order`: values by rising -after/before.
    """
    reached = 0.0
    for cell in order:
        if before[cell] > room:
            return reached + after[cell] * room / before[cell]  # type: ignore[no-any-return]
        room -= before[cell]
        reached += after[cell]
    return reached


@compile_kernel_helper
def points_keep_criteria(
    points: Points, order: Integers, begin: int, end: int, histogram: Integers, rules: ClassRules
) -> bool:
    """Returns True if the points order[begin:end], as one class, keep every criterion."""
    histogram[:] = 0
    records = 0
    for index in range(begin, end):
        count_sensitive_values(points, order[index], histogram)
        records += points.sizes[order[index]]
    return histogram_keeps_criteria(histogram, records, rules)
