"""The score test and the ends of its intervals in machine code, row by row (docs/mathematics.md, Score test).

Importing this module imports numba. A row of a `Test` is one array, whose parts stand at the places below, by group
where two are kept. The mean of a function of the received cell, over the true cells with the share of S moved to s, is
K + L s + M o, with o the share of C without A. A row ends with K, L and M by group and function: nine powers of z(S)
and z(B), and whether the record is in either cell that may hold few records.
"""

import math

import numpy as np

from privacy import machine_code_cache
from privacy.numba_compilation import compile_cached, compile_kernel_helper

WEIGHT, SHARE, LOW, HIGH, ANTECEDENT, CONSEQUENT, UNIT = 0, 2, 4, 6, 8, 10, 12
TOTAL, ESTIMATE, BELOW, GOAL, MOST, SPREAD, RECORDS, PER_RECORD = 14, 15, 16, 17, 18, 19, 20, 21
ALL_OF_S, LACKING, RECEIVED, LOWERED, MEANS = 22, 23, 24, 29, 39
"""Indexes of the parts of a row."""
UP_TO_2 = 5
"""Number of the powers z(S), z(B), z(S)^2, z(S) z(B) and z(B)^2; those of the third degree come after them."""
IS_ALL_OF_S, IS_LACKING = 9, 10
FUNCTIONS = 11
WIDTH = MEANS + 2 * 3 * FUNCTIONS

NO_VARIANCE, NO_DIFFERENCE = 1e-18, 1e-9
NO_SKEW = 1e-4
FEW = 3
"""Largest number of records of a cell for which the Poisson probability bounds z."""
CUT = 8.0
EXACT, STEPS = 1e-7, 60
BEYOND = 1.25
LARGEST_LIFT = 1000.0
"""Largest lift at which the ends of an interval above 1 are searched, between powers of two."""
HALVINGS, LARGEST_Z = 60, 9.0


@compile_kernel_helper
def _share_with_consequent_alone(row, group, share):
    """Returns o, the share of people with the consequent C but without the antecedent A, in a group in which both
    together have this share."""
    return min(max(row[CONSEQUENT + group] - share, 0.0), 1.0 - row[ANTECEDENT + group])


@compile_kernel_helper
def _group_mean(row, at, share, only_c):
    """Returns the mean of a function, K + L s + M o with K at index `at` of the row, in a group in which S has the
    share s."""
    return row[at] + row[at + FUNCTIONS] * share + row[at + 2 * FUNCTIONS] * only_c


@compile_kernel_helper
def _mean_of_groups(row, function, shares, only_c):
    """Returns the weighted mean of a function over both groups."""
    first, second = MEANS + function, MEANS + 3 * FUNCTIONS + function
    return row[WEIGHT] * _group_mean(row, first, shares[0], only_c[0]) + row[WEIGHT + 1] * _group_mean(
        row, second, shares[1], only_c[1]
    )


@compile_kernel_helper
def _poisson_z(records, mean):
    """Returns the Poisson probability of fewer than `records` records, if `mean` are expected, as a normal z; at least
    0."""
    if records <= 0:
        return 0.0
    term = math.exp(-mean)
    fewer = term
    for k in range(1, int(records)):
        term *= mean / k
        fewer += term
    if fewer <= 0.5:
        return 0.0
    if fewer >= 1.0:
        return np.inf
    low, high = 0.0, LARGEST_Z
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if 0.5 * math.erfc(-middle / math.sqrt(2.0)) < fewer:
            low = middle
        else:
            high = middle
    return high


@compile_kernel_helper
def _standardised_z(difference, square, third):
    """Returns z, or z by Wilson and Hilferty for the skewness gamma = third / e^3, whichever is nearer to 0."""
    if square <= NO_VARIANCE:
        return 0.0 if abs(difference) < NO_DIFFERENCE else math.copysign(np.inf, difference)
    per_error = 1 / math.sqrt(square)
    z = difference * per_error
    gamma = third * per_error * per_error * per_error
    if abs(gamma) < NO_SKEW:
        return z
    skewed = (6 / gamma) * (np.cbrt(1 + gamma * z / 2) - 1) + gamma / 6
    return z if abs(z) <= abs(skewed) else skewed


@compile_kernel_helper
def _group_variance(row, group, t):
    """Returns the variance v_g of psi = z(S) - t z(B) in a group whose share is moved to t."""
    share = _clip_share(t * row[UNIT + group], row, group)
    only_c = _share_with_consequent_alone(row, group, share)
    at = MEANS + 3 * FUNCTIONS * group
    s1, b1 = _group_mean(row, at, share, only_c), _group_mean(row, at + 1, share, only_c)
    s2, sb = _group_mean(row, at + 2, share, only_c), _group_mean(row, at + 3, share, only_c)
    e1 = s1 - t * b1
    return s2 - 2 * t * sb + t * t * _group_mean(row, at + 4, share, only_c) - e1 * e1


@compile_cached
def share_change_by_group(row, t):
    """Returns, for each group, how much its share changes if the weighted sum of the shares changes by 1 (u_g)."""
    # A group without records has no variance; what is computed for it may be huge beside the other's.
    if row[WEIGHT] <= 0:
        return 0.0, 1.0
    if row[WEIGHT + 1] <= 0:
        return 1.0, 0.0
    variance_0 = _group_variance(row, 0, t)
    variance_1 = _group_variance(row, 1, t)
    total = row[WEIGHT] * variance_0 + row[WEIGHT + 1] * variance_1
    if total == 0:
        return 1.0, 1.0
    return variance_0 / total, variance_1 / total


@compile_kernel_helper
def _clip_share(value, row, group):
    return min(max(value, row[LOW + group]), row[HIGH + group])


@compile_cached
def constrained_shares(row, t, step):
    """Returns the shares s_g of S by group that the test assumes if their weighted sum is t."""
    weight_0, weight_1 = row[WEIGHT], row[WEIGHT + 1]
    least = weight_0 * row[LOW] + weight_1 * row[LOW + 1]
    most = weight_0 * row[HIGH] + weight_1 * row[HIGH + 1]
    wanted = min(max(t * row[TOTAL], least), most)
    gap = weight_0 * row[SHARE] + weight_1 * row[SHARE + 1] - wanted
    wanted_0, wanted_1 = row[SHARE] - gap * step[0], row[SHARE + 1] - gap * step[1]
    moved_0, moved_1 = _clip_share(wanted_0, row, 0), _clip_share(wanted_1, row, 1)
    if moved_0 == wanted_0 and moved_1 == wanted_1 and weight_0 > 0 and weight_1 > 0:
        return moved_0, moved_1
    if weight_1 > 0:
        moved_1 = _clip_share((wanted - weight_0 * moved_0) / weight_1, row, 1)
    if weight_0 > 0:
        moved_0 = _clip_share((wanted - weight_1 * moved_1) / weight_0, row, 0)
    return moved_0, moved_1


@compile_cached
def received_variance(row, t, step):
    """Returns the variance of psi = z(S) - t z(B) among the received records, after the number of records with all of S
    is lowered to what t implies."""
    lowering = row[ESTIMATE] - min(t * row[GOAL], row[MOST])
    lowered = (lowering * row[WEIGHT] * step[0], lowering * row[WEIGHT + 1] * step[1])
    s1, b1, s2 = (
        _moment_with_lowered_counts(row, 0, lowered),
        _moment_with_lowered_counts(row, 1, lowered),
        _moment_with_lowered_counts(row, 2, lowered),
    )
    e1 = s1 - t * b1
    return (
        s2
        - 2 * t * _moment_with_lowered_counts(row, 3, lowered)
        + t * t * _moment_with_lowered_counts(row, 4, lowered)
        - e1 * e1
    )


@compile_kernel_helper
def _moment_with_lowered_counts(row, power, lowered):
    at = LOWERED + power
    return row[RECEIVED + power] - row[at] * lowered[0] - row[at + UP_TO_2] * lowered[1]


@compile_kernel_helper
def z_at(row, t):
    """Returns by how many standard errors the estimate is above t, corrected for skewness and for few records."""
    step = share_change_by_group(row, t)
    moved = constrained_shares(row, t, step)
    only_c = (_share_with_consequent_alone(row, 0, moved[0]), _share_with_consequent_alone(row, 1, moved[1]))
    s1, b1 = _mean_of_groups(row, 0, moved, only_c), _mean_of_groups(row, 1, moved, only_c)
    s2, sb, b2 = (
        _mean_of_groups(row, 2, moved, only_c),
        _mean_of_groups(row, 3, moved, only_c),
        _mean_of_groups(row, 4, moved, only_c),
    )
    s3, s2b = _mean_of_groups(row, 5, moved, only_c), _mean_of_groups(row, 6, moved, only_c)
    sb2, b3 = _mean_of_groups(row, 7, moved, only_c), _mean_of_groups(row, 8, moved, only_c)
    e1 = s1 - t * b1
    e2 = s2 - 2 * t * sb + t * t * b2
    e3 = s3 - 3 * t * s2b + 3 * t * t * sb2 - t * t * t * b3
    received = received_variance(row, t, step)
    third = (e3 - 3 * e1 * e2 + 2 * e1 * e1 * e1) * row[PER_RECORD] * row[PER_RECORD]
    square = max(e2 - e1 * e1, received) * row[PER_RECORD] + t * t * row[SPREAD]
    z = _standardised_z(row[ESTIMATE] - t * row[BELOW], square, third)
    if row[ALL_OF_S] <= FEW and z > 0:
        expected = row[RECORDS] * _mean_of_groups(row, IS_ALL_OF_S, moved, only_c)
        z = min(z, _poisson_z(round(row[ALL_OF_S]), max(expected, 0.0)))
    if row[LACKING] <= FEW and z < 0:
        expected = row[RECORDS] * _mean_of_groups(row, IS_LACKING, moved, only_c)
        z = -min(-z, _poisson_z(round(row[LACKING]), max(expected, 0.0)))
    return z


@compile_kernel_helper
def _clipped_z_above(z, target):
    return min(max(z - target, -CUT), CUT)


@compile_kernel_helper
def _find_root(row, target, a, b, at_a, at_b):
    """Returns the t between a and b with z(t) = target, by Chandrupatla's method (Adv. Eng. Softw. 28, 1997). z is 0 at
    the estimate, so an estimate between a and b narrows the search at once."""
    fa, fb = _clipped_z_above(at_a, target), _clipped_z_above(at_b, target)
    step = 0.5
    estimate = row[ESTIMATE] / row[BELOW] if row[BELOW] != 0 else np.inf
    if a < estimate < b:
        if target > 0:
            step = 1 - min(BEYOND * abs(target / at_a), 0.5)
            b, fb = estimate, -target
        else:
            step = min(BEYOND * abs(target / at_b), 0.5)
            a, fa = estimate, -target
    for _ in range(STEPS):
        t = a + step * (b - a)
        ft = _clipped_z_above(z_at(row, t), target)
        # c is the point before a, or the end that a replaces; b stays on the other side of the root.
        if (ft > 0) == (fa > 0) and (ft < 0) == (fa < 0):
            c, fc = a, fa
        else:
            c, fc = b, fb
            b, fb = a, fa
        a, fa = t, ft
        nearer = a if abs(fa) < abs(fb) else b
        width = abs(b - a)
        if width < EXACT * max(1.0, nearer) or fa == 0:
            return nearer
        step = 0.5
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        if phi**2 < xi and (1 - phi) ** 2 < 1 - xi:
            root = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            if math.isfinite(root):
                step = root
        least = EXACT / 2 * max(1.0, abs(a)) / max(width, EXACT)
        step = min(max(step, min(least, 0.5)), max(1 - least, 0.5))
    return a


@compile_cached
def fill_zs(rows, chosen, test, t, result):
    """Fills `result` with z at the value `t` of each `chosen` row, for test number `test`."""
    for index in range(len(chosen)):
        result[index] = z_at(rows[chosen[index], test], t[index])


@compile_cached
def fill_share_ends(rows, chosen, test, critical_zs, ends):
    """Fills `ends` with the ends of intervals of shares, in [0, 1], by `chosen` row, critical z and end; `rows` are by
    row and test.

    NaN where the counts contradict each other, or where that is NaN.
    """
    for index in range(len(chosen)):
        row = rows[chosen[index], test]
        at_0, at_1 = z_at(row, 0.0), z_at(row, 1.0)
        for number in range(critical_zs.shape[1]):
            critical_z = critical_zs[index, number]
            if not critical_z > 0 or at_1 > critical_z or at_0 < -critical_z:
                ends[index, number, 0] = ends[index, number, 1] = np.nan
                continue
            low = _find_root(row, critical_z, 0.0, 1.0, at_0, at_1) if at_0 > critical_z else 0.0
            high = _find_root(row, -critical_z, 0.0, 1.0, at_0, at_1) if at_1 < -critical_z else 1.0
            ends[index, number, 0], ends[index, number, 1] = low, high


@compile_kernel_helper
def _end_above_one(row, target, at_1):
    """Returns the t above 1 with z(t) = target, searched up to the first power of two at which z is below it; NaN:
    none."""
    start, before = 1.0, at_1
    while start < LARGEST_LIFT:
        end = min(2 * start, LARGEST_LIFT)
        after = z_at(row, end)
        if after <= target if target > 0 else after < target:
            return _find_root(row, target, start, end, before, after)
        start, before = end, after
    return np.nan


@compile_cached
def fill_lift_ends(rows, chosen, test, critical_zs, ends):
    """Fills `ends` with the ends of lift intervals by `chosen` row, critical z and end; `rows` are by row and test.

    High end NaN: there is no upper end; both NaN: no interval.
    """
    for index in range(len(chosen)):
        row = rows[chosen[index], test]
        at_0, at_1 = z_at(row, 0.0), z_at(row, 1.0)
        for number in range(critical_zs.shape[1]):
            critical_z = critical_zs[index, number]
            low = high = np.nan
            if critical_z > 0 and at_0 >= -critical_z:
                if at_1 > critical_z:
                    low = _end_above_one(row, critical_z, at_1)
                elif at_0 > critical_z:
                    low = _find_root(row, critical_z, 0.0, 1.0, at_0, at_1)
                else:
                    low = 0.0
                if at_1 < -critical_z:
                    high = _find_root(row, -critical_z, 0.0, 1.0, at_0, at_1)
                elif not math.isnan(low):
                    high = _end_above_one(row, -critical_z, at_1)
            ends[index, number, 0], ends[index, number, 1] = low, high


def load_machine_code() -> None:
    """Loads the machine code of these loops; compiles it if no process has done so yet."""
    rows, critical_zs, ends = np.ones((0, 1, WIDTH)), np.ones((0, 1)), np.ones((0, 1, 2))
    with machine_code_cache.compile_once("score-test"):
        fill_zs(rows, np.arange(0), 0, np.ones(0), np.ones(0))
        fill_share_ends(rows, np.arange(0), 0, critical_zs, ends)
        fill_lift_ends(rows, np.arange(0), 0, critical_zs, ends)
