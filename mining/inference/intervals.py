"""Intervals of the values that a score test does not exclude (docs/mathematics.md, Support interval)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.inference.score_test import Test
from mining.special_functions import erfc, ndtr

NORMAL_95 = 1.96
CUT = 8.0
EXACT, STEPS = 1e-7, 60
BEYOND = 1.25
LEAST_LACKING = 10
"""Fewest records without A, and without C, for the interval of a lift: with fewer, nearly everybody has A or C."""

Interval = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class ShareIntervals:
    """Shares with their 95 % intervals; NaN where there is none."""

    share: Floats
    low: Floats
    high: Floats


class TestedParameter(Protocol):
    """Interface: tests of a parameter t, one per row, with a test statistic z(t) that falls as t grows."""

    def __len__(self) -> int: ...

    def take(self, rows: NDArray[Any]) -> Self: ...

    def point_estimate(self) -> Floats: ...

    def z(self, t: Floats) -> Floats: ...


def share_interval(test: Test, critical_z: float = NORMAL_95) -> Interval:
    """Returns the interval of a support or a confidence inside [0, 1]: all t with |z(t)| <= critical_z, to 10^-7.

    Both ends are NaN where the counts contradict each other.
    """
    low, high = share_interval_ends(test, np.full((len(test), 1), critical_z))
    return low[:, 0], high[:, 0]


def share_interval_ends(test: Test, critical_zs: Floats) -> Interval:
    """Returns the low and the high ends of intervals as `share_interval` has, each by row and critical z; NaN where
    that is NaN."""
    ends = share_interval_ends_by_row(test.rows[:, None], np.arange(len(test)), 0, critical_zs)
    return ends[..., 0], ends[..., 1]


def share_interval_ends_by_row(
    rows: Floats, chosen: NDArray[np.intp], test: int, critical_zs: Floats
) -> Floats:
    """Returns interval ends (as in `share_interval`) of test number `test` of each `chosen` row: by row, critical z and
    end."""
    from mining.inference import score_test_kernel  # late for cost

    ends = np.empty((*critical_zs.shape, 2))
    score_test_kernel.fill_share_ends(rows, chosen, test, np.ascontiguousarray(critical_zs), ends)
    return ends


def lift_interval(test: Test, lacking: Floats, critical_z: float = NORMAL_95) -> Interval:
    """Returns the interval of a lift: all values that its score test does not exclude (docs/mathematics.md, Lift
    interval).

    High end NaN: there is no upper end; both NaN: no interval. `lacking` is the number of records without A or of
    those without C, whichever is smaller.
    """
    critical_zs = np.full((len(test), 1), critical_z)
    ends = lift_interval_ends_by_row(test.rows[:, None], np.arange(len(test)), 0, lacking, critical_zs)
    return ends[:, 0, 0], ends[:, 0, 1]


def lift_interval_ends_by_row(
    rows: Floats, chosen: NDArray[np.intp], test: int, lacking: Floats, critical_zs: Floats
) -> Floats:
    """Returns interval ends (as in `lift_interval`) of test number `test` of each `chosen` row: by row, critical z and
    end."""
    from mining.inference import score_test_kernel  # late for cost

    ends = np.empty((*critical_zs.shape, 2))
    wanted = np.where((lacking >= LEAST_LACKING)[:, None], critical_zs, np.nan)
    score_test_kernel.fill_lift_ends(rows, chosen, test, wanted, ends)
    return ends


def intervals_by_critical_z(interval: Callable[[Floats], Interval], critical_zs: Floats) -> Floats:
    """Returns the interval of each row at each critical z of its row: row by critical z by end."""
    return np.stack([np.stack(interval(critical_z), axis=-1) for critical_z in critical_zs.T], axis=1)


def find_interval_ends(
    test: TestedParameter,
    low: NDArray[Any],
    high: NDArray[Any],
    critical_z: float,
    between: tuple[float, float],
    at_start: Floats,
    at_end: Floats,
) -> Interval:
    """Returns the low ends of the rows `low` and the high ends of the rows `high`, found in one search, which is faster
    than two."""
    rows = np.concatenate([low, high])
    targets = np.repeat([critical_z, -critical_z], [len(low), len(high)])
    roots = find_root(test.take(rows), targets, between, at_start[rows], at_end[rows])
    return roots[: len(low)], roots[len(low) :]


def find_root(
    test: TestedParameter, target: Floats, between: tuple[float, float], at_start: Floats, at_end: Floats
) -> Floats:
    """Returns the t with z(t) = target between two values, by Chandrupatla's method (Adv. Eng. Softw. 28, 1997).

    z is 0 at the estimate, so an estimate between the two values narrows the search at once.
    """
    roots, places = np.empty(len(test)), np.arange(len(test))
    a, fa = np.full(len(test), between[0]), np.clip(at_start - target, -CUT, CUT)
    b, fb = np.full(len(test), between[1]), np.clip(at_end - target, -CUT, CUT)
    middle, is_low = test.point_estimate(), target > 0
    inside = (middle > a) & (middle < b)
    first, last = inside & ~is_low, inside & is_low
    a, fa = np.where(first, middle, a), np.where(first, -target, fa)
    b, fb = np.where(last, middle, b), np.where(last, -target, fb)
    far = np.where(is_low, at_start, at_end)
    step = np.where(inside, _first_step_fraction(target, np.where(far == 0, 1.0, far)), 0.5)
    for _ in range(STEPS):
        if not len(places):
            break
        t = a + step * (b - a)
        ft = np.clip(test.z(t) - target, -CUT, CUT)
        same = np.sign(ft) == np.sign(fa)
        # c is the point before a, or the end that a replaces; b stays on the other side of the root.
        c, fc = np.where(same, a, b), np.where(same, fa, fb)
        b, fb = np.where(same, b, a), np.where(same, fb, fa)
        a, fa = t, ft
        nearer = np.where(np.abs(fa) < np.abs(fb), a, b)
        width = np.abs(b - a)
        done = (width < EXACT * np.maximum(1.0, nearer)) | (fa == 0)
        if done.any():
            roots[places[done]] = nearer[done]
            going = np.flatnonzero(~done)
            places, test, target = places[going], test.take(going), target[going]
            a, b, c, fa, fb, fc, width = (values[going] for values in (a, b, c, fa, fb, fc, width))
        step = _next_step_fraction(a, b, c, fa, fb, fc)
        least = EXACT / 2 * np.maximum(1.0, np.abs(a)) / np.maximum(width, EXACT)
        step = np.clip(step, np.minimum(least, 0.5), np.maximum(1 - least, 0.5))
    roots[places] = a
    return roots


def _first_step_fraction(target: Floats, far: Floats) -> Floats:
    """Returns the first step of the search, as a fraction of its range: just beyond the root of a straight line from z
    = 0 at the estimate to `far` at the range's end."""
    beyond = np.minimum(BEYOND * np.abs(target / far), 0.5)
    return np.where(target > 0, 1 - beyond, beyond)


def _next_step_fraction(a: Floats, b: Floats, c: Floats, fa: Floats, fb: Floats, fc: Floats) -> Floats:
    """Returns the next step from a, as a fraction of the way to b: by inverse quadratic interpolation where that is
    safe, else 1/2."""
    with np.errstate(divide="ignore", invalid="ignore"):
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        good = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
        step = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    return np.where(good & np.isfinite(step), step, 0.5)


def two_sided_p(z: Floats) -> Floats:
    """Returns the two-sided p-value of a standard normal z."""
    return np.asarray(erfc(np.abs(z) / np.sqrt(2)))


def exact_interval(
    containing: NDArray[Any], records: NDArray[Any], critical_z: float | Floats = NORMAL_95
) -> Interval:
    """Returns Clopper and Pearson's exact interval of a counted share; NaN where `critical_z` is NaN."""
    from scipy.special import betaincinv  # late for cost

    tail = np.where(np.asarray(critical_z) == NORMAL_95, 0.025, ndtr(-np.asarray(critical_z)))
    containing, records, tail = np.broadcast_arrays(containing, records, tail)
    with np.errstate(invalid="ignore"):
        low = np.where(containing > 0, betaincinv(containing, records - containing + 1, tail), 0.0 * tail)
        high = np.where(
            containing < records, betaincinv(containing + 1, records - containing, 1 - tail), 1.0 + 0.0 * tail
        )
    return low, high
