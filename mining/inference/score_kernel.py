"""The score test and the ends of its intervals in machine code, row by row (docs/mathematics.md, Score test).

Importing this module imports numba. A row of a `Test` is one array, whose parts stand at the places below; after them
come its moments (9 by class by group) and, by class and group, the chances of both cells that may hold few records.
"""

import math

import numpy as np
from numpy.typing import NDArray

from privacy import kernel_cache
from privacy.cached_function import compiled

Floats = NDArray[np.float64]

N, SHARE, LOW, HIGH, ANTECEDENT, CONSEQUENT, UNIT = 0, 2, 4, 6, 8, 10, 12
TOTAL, ESTIMATE, BELOW, GOAL, MOST, SPREAD = 14, 15, 16, 17, 18, 19
RECEIVED, LOWERED, ALL_OF_S, LACKING, MOMENTS = 20, 25, 35, 36, 37
POWERS, UP_TO_2 = 9, 5
OF_SUPPORT, OF_RULE = 2, 4
"""The classes of the true records."""

NO_VARIANCE, NO_DIFFERENCE = 1e-18, 1e-9
NO_SKEW = 1e-4
FEW = 3
"""With at most so many records of a cell the Poisson probability bounds z."""
CUT = 8.0
EXACT, STEPS = 1e-7, 60
BEYOND = 1.25
LARGEST_LIFT = 1000.0
"""The ends of a lift's interval above 1 are searched between powers of two up to this."""
HALVINGS, LARGEST_Z = 60, 9.0


@compiled
def _true_class_mean(row, classes, group, share, at):  # type: ignore[no-untyped-def]
    """Returns the mean over the true classes of a group in which S has this share.

    The values of the classes start at index `at` of the row.
    """
    at += group
    if classes == OF_SUPPORT:
        return share * row[at] + (1.0 - share) * row[at + 2]
    antecedent = row[ANTECEDENT + group]
    only_c = min(max(row[CONSEQUENT + group] - share, 0.0), 1.0 - antecedent)
    return (
        share * row[at]
        + (antecedent - share) * row[at + 2]
        + only_c * row[at + 4]
        + (1.0 - antecedent - only_c) * row[at + 6]
    )


@compiled
def _weighted_group_mean(row, classes, weight, shares, at):  # type: ignore[no-untyped-def]
    """Returns the weighted sum of `_true_class_mean` over the groups that have a weight."""
    total = 0.0
    for group in range(2):
        if weight[group] > 0:
            total += weight[group] * _true_class_mean(row, classes, group, shares[group], at)
    return total


@compiled
def _z_of_fewer(records, mean):  # type: ignore[no-untyped-def]
    """Returns the normal z of the Poisson probability of fewer than `records` where `mean` are expected; at least 0."""
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


@compiled
def _standardised(difference, square, third):  # type: ignore[no-untyped-def]
    """Returns z, or z by Wilson and Hilferty for the skewness gamma = third / e^3, whichever is nearer to 0."""
    if square <= NO_VARIANCE:
        return 0.0 if abs(difference) < NO_DIFFERENCE else math.copysign(np.inf, difference)
    error = math.sqrt(square)
    z = difference / error
    gamma = third / error**3
    if abs(gamma) < NO_SKEW:
        return z
    skewed = (6 / gamma) * (np.cbrt(1 + gamma * z / 2) - 1) + gamma / 6
    return z if abs(z) <= abs(skewed) else skewed


@compiled
def share_steps(row, classes, t, weight):  # type: ignore[no-untyped-def]
    """Returns u_g: how much each group's share changes if their weighted sum changes by 1."""
    variance_0, variance_1 = 0.0, 0.0
    power = 2 * classes
    for group in range(2):
        if weight[group] <= 0:
            # A group without records has no variance; what is computed for it may be huge beside the other's.
            continue
        share = min(max(t * row[UNIT + group], row[LOW + group]), row[HIGH + group])
        m0 = _true_class_mean(row, classes, group, share, MOMENTS)
        m1 = _true_class_mean(row, classes, group, share, MOMENTS + power)
        m2 = _true_class_mean(row, classes, group, share, MOMENTS + 2 * power)
        m3 = _true_class_mean(row, classes, group, share, MOMENTS + 3 * power)
        m4 = _true_class_mean(row, classes, group, share, MOMENTS + 4 * power)
        variance = m2 - 2 * t * m3 + t * t * m4 - (m0 - t * m1) ** 2
        if group == 0:
            variance_0 = variance
        else:
            variance_1 = variance
    total = weight[0] * variance_0 + weight[1] * variance_1
    if total == 0:
        return 1.0, 1.0
    return variance_0 / total, variance_1 / total


@compiled
def _clip_share(value, row, group):  # type: ignore[no-untyped-def]
    return min(max(value, row[LOW + group]), row[HIGH + group])


@compiled
def moved_shares(row, t, weight, step):  # type: ignore[no-untyped-def]
    """Returns s_g: the shares of S by group when their weighted sum is moved to t."""
    least = weight[0] * row[LOW] + weight[1] * row[LOW + 1]
    most = weight[0] * row[HIGH] + weight[1] * row[HIGH + 1]
    wanted = min(max(t * row[TOTAL], least), most)
    gap = weight[0] * row[SHARE] + weight[1] * row[SHARE + 1] - wanted
    moved_0 = _clip_share(row[SHARE] - gap * step[0], row, 0)
    moved_1 = _clip_share(row[SHARE + 1] - gap * step[1], row, 1)
    if weight[1] > 0:
        moved_1 = _clip_share((wanted - weight[0] * moved_0) / weight[1], row, 1)
    if weight[0] > 0:
        moved_0 = _clip_share((wanted - weight[1] * moved_1) / weight[0], row, 0)
    return moved_0, moved_1


@compiled
def received_variance(row, t, weight, step):  # type: ignore[no-untyped-def]
    """Returns the variance of psi among the records as received, with the count of all of S lowered to the goal."""
    lowering = row[ESTIMATE] - min(t * row[GOAL], row[MOST])
    y0 = _lowered_moment(row, 0, weight, step, lowering)
    y1 = _lowered_moment(row, 1, weight, step, lowering)
    y2 = _lowered_moment(row, 2, weight, step, lowering)
    y3 = _lowered_moment(row, 3, weight, step, lowering)
    y4 = _lowered_moment(row, 4, weight, step, lowering)
    return y2 - 2 * t * y3 + t * t * y4 - (y0 - t * y1) ** 2


@compiled
def _lowered_moment(row, power, weight, step, lowering):  # type: ignore[no-untyped-def]
    at = LOWERED + 2 * power
    change = row[at] * weight[0] * step[0] + row[at + 1] * weight[1] * step[1]
    return row[RECEIVED + power] - change * lowering


@compiled
def z_at(row, classes, t):  # type: ignore[no-untyped-def]
    """Returns by how many standard errors the estimate is above t, corrected for skewness and for few records."""
    n = row[N] + row[N + 1]
    weight = (row[N] / n, row[N + 1] / n)
    step = share_steps(row, classes, t, weight)
    moved = moved_shares(row, t, weight, step)
    power, squared = 2 * classes, t * t
    s1 = _weighted_group_mean(row, classes, weight, moved, MOMENTS)
    b1 = _weighted_group_mean(row, classes, weight, moved, MOMENTS + power)
    s2 = _weighted_group_mean(row, classes, weight, moved, MOMENTS + 2 * power)
    sb = _weighted_group_mean(row, classes, weight, moved, MOMENTS + 3 * power)
    b2 = _weighted_group_mean(row, classes, weight, moved, MOMENTS + 4 * power)
    s3 = _weighted_group_mean(row, classes, weight, moved, MOMENTS + 5 * power)
    s2b = _weighted_group_mean(row, classes, weight, moved, MOMENTS + 6 * power)
    sb2 = _weighted_group_mean(row, classes, weight, moved, MOMENTS + 7 * power)
    b3 = _weighted_group_mean(row, classes, weight, moved, MOMENTS + 8 * power)
    e1 = s1 - t * b1
    e2 = s2 - 2 * t * sb + squared * b2
    e3 = s3 - 3 * t * s2b + 3 * squared * sb2 - squared * t * b3
    skew = e3 - 3 * e1 * e2 + 2 * e1**3
    received = received_variance(row, t, weight, step)
    square = max(e2 - e1**2, received) / n + squared * row[SPREAD]
    z = _standardised(row[ESTIMATE] - t * row[BELOW], square, skew / n**2)
    cell = MOMENTS + 2 * POWERS * classes
    if row[ALL_OF_S] <= FEW and z > 0:
        mean = 0.0
        for group in range(2):
            mean += row[N + group] * _true_class_mean(row, classes, group, moved[group], cell)
        z = min(z, _z_of_fewer(round(row[ALL_OF_S]), max(mean, 0.0)))
    if row[LACKING] <= FEW and z < 0:
        mean = 0.0
        for group in range(2):
            mean += row[N + group] * _true_class_mean(row, classes, group, moved[group], cell + 2 * classes)
        z = -min(-z, _z_of_fewer(round(row[LACKING]), max(mean, 0.0)))
    return z


@compiled
def _clip_z(z, level):  # type: ignore[no-untyped-def]
    return min(max(z - level, -CUT), CUT)


@compiled
def _find_root(row, classes, level, a, b, at_a, at_b):  # type: ignore[no-untyped-def]
    """Returns the t between a and b with z(t) = level, by Chandrupatla's method (Adv. Eng. Softw. 28, 1997). At
    the estimate z is 0, so where that lies between, it halves the interval at once.
    """
    fa, fb = _clip_z(at_a, level), _clip_z(at_b, level)
    step = 0.5
    estimate = row[ESTIMATE] / row[BELOW] if row[BELOW] != 0 else np.inf
    if a < estimate < b:
        if level > 0:
            step = 1 - min(BEYOND * abs(level / at_a), 0.5)
            b, fb = estimate, -level
        else:
            step = min(BEYOND * abs(level / at_b), 0.5)
            a, fa = estimate, -level
    for _ in range(STEPS):
        t = a + step * (b - a)
        ft = _clip_z(z_at(row, classes, t), level)
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


@compiled
def fill_zs(rows, classes, t, result):  # type: ignore[no-untyped-def]
    for index in range(len(rows)):
        result[index] = z_at(rows[index], classes, t[index])


@compiled
def share_ends(rows, classes, levels, low, high):  # type: ignore[no-untyped-def]
    """Fills in `low` and `high`, in place: the ends in [0, 1] by row and critical z.

    NaN where the counts contradict each other, or where a level is NaN.
    """
    for index in range(len(rows)):
        row = rows[index]
        at_0, at_1 = z_at(row, classes, 0.0), z_at(row, classes, 1.0)
        for number in range(levels.shape[1]):
            level = levels[index, number]
            if not level > 0 or at_1 > level or at_0 < -level:
                low[index, number] = high[index, number] = np.nan
                continue
            low[index, number] = (
                _find_root(row, classes, level, 0.0, 1.0, at_0, at_1) if at_0 > level else 0.0
            )
            high[index, number] = (
                _find_root(row, classes, -level, 0.0, 1.0, at_0, at_1) if at_1 < -level else 1.0
            )


@compiled
def _end_above_one(row, classes, level, at_1):  # type: ignore[no-untyped-def]
    """Returns the t above 1 with z(t) = level, searched up to the first power of two at which z is below it; NaN:
    none.
    """
    start, before = 1.0, at_1
    while start < LARGEST_LIFT:
        end = min(2 * start, LARGEST_LIFT)
        after = z_at(row, classes, end)
        if after <= level if level > 0 else after < level:
            return _find_root(row, classes, level, start, end, before, after)
        start, before = end, after
    return np.nan


@compiled
def lift_ends(rows, classes, levels, low, high):  # type: ignore[no-untyped-def]
    """Fills in `low` and `high`, in place: the ends of lift intervals by row and critical z.

    High end NaN: there is no upper end; both NaN: no interval.
    """
    for index in range(len(rows)):
        row = rows[index]
        at_0, at_1 = z_at(row, classes, 0.0), z_at(row, classes, 1.0)
        for number in range(levels.shape[1]):
            level = levels[index, number]
            low[index, number] = high[index, number] = np.nan
            if not level > 0 or at_0 < -level:
                continue
            if at_1 > level:
                low[index, number] = _end_above_one(row, classes, level, at_1)
            elif at_0 > level:
                low[index, number] = _find_root(row, classes, level, 0.0, 1.0, at_0, at_1)
            else:
                low[index, number] = 0.0
            if at_1 < -level:
                high[index, number] = _find_root(row, classes, -level, 0.0, 1.0, at_0, at_1)
            elif not math.isnan(low[index, number]):
                high[index, number] = _end_above_one(row, classes, -level, at_1)


def load_machine_code() -> None:
    """Loads the machine code; compiles it where no process has done so yet."""
    rows, ends = np.ones((0, 1)), np.ones((0, 1))
    with kernel_cache.compile_once("score-test"):
        for classes in (OF_SUPPORT, OF_RULE):
            fill_zs(rows, classes, np.ones(0), np.ones(0))
            share_ends(rows, classes, ends, ends, ends)
            lift_ends(rows, classes, ends, ends, ends)
