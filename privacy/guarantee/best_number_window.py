"""Finds the window of a number question that shows the shape of a distribution with the least error (law R3).

The paper on privacy breaches asks how to construct a law for given conditions, and leaves it open. For R3
gamma is 1 + u V / ((1-u) (2h+1)), so the window of 2h + 1 values decides the largest u. Narrow windows show
finer detail with more error (docs/mathematics.md, Numbers).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd, sqrt

import numpy as np
from numpy.typing import NDArray

from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import PARTS
from privacy.grammar.number_range import NumberRange
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import NORMAL_95
from privacy.guarantee.number_distribution import Floats
from privacy.kinds.number.window.law import LEAST_EIGENVALUE, WindowLaw
from privacy.kinds.number.window.section import MOST_VALUES

Integers = NDArray[np.int64]

READABLE = 0.25
"""Largest half width of a readable 95 % band, as a part of the mean share 1/V."""


@dataclass(frozen=True, slots=True)
class ShapeError:
    """A window law, the number of modes that it shows, and the expected error of the shares of the distribution.

    `error`: the root of the mean of n se^2 over all numbers if these are equally likely; with any other distribution it
    is smaller.
    """

    law: WindowLaw
    modes: int
    error: float

    def half_width(self, respondents: int) -> float:
        """Returns half the width of the 95 % band of a share."""
        return NORMAL_95 * self.error / sqrt(respondents)

    def relative_half_width(self, respondents: int) -> float:
        """Returns half the width of the 95 % band, relative to the mean share 1/V."""
        return self.law.values * self.half_width(respondents)


def window_for_shape(
    numbers: NumberRange, limit: GammaLimit, respondents: int, modes: int | None = None
) -> ShapeError:
    """Returns the window with the least error that shows at least `modes` modes of the distribution.

    `modes` None: as many modes as have a band of at most `READABLE`, or 1 if even one mode has a wider band.
    """
    if numbers.values > MOST_VALUES:
        raise InputError(
            "values",
            _("%(values)s numbers; a window has at most %(most)s. Take larger steps"),
            values=numbers.values,
            most=MOST_VALUES,
        )
    errors = best_windows_by_modes(numbers.values, limit)
    if not errors:
        raise InputError("limit", _("no window within this limit shows anything of the shape"))
    target = _readable_modes(errors, respondents) if modes is None else modes
    best = _window_of_least_error(errors, target)
    if best is None:
        raise InputError(
            "modes",
            _("no window within this limit shows %(wanted)s modes; at most %(most)s can be shown"),
            wanted=target,
            most=max(error.modes for error in errors),
        )
    return best


def best_window(values: int, limit: GammaLimit, modes: int) -> ShapeError | None:
    """Returns the window with the least error that shows at least `modes` modes; None if no window does."""
    return _window_of_least_error(best_windows_by_modes(values, limit), modes)


def _window_of_least_error(errors: Iterable[ShapeError], modes: int) -> ShapeError | None:
    """Returns the window of least error that shows at least `modes` modes; None if no window does."""
    return min(
        (error for error in errors if error.modes >= modes), key=lambda error: error.error, default=None
    )


def _readable_modes(errors: Iterable[ShapeError], respondents: int) -> int:
    """Returns the largest number of modes with a readable band for so many respondents; 1 if none has."""
    return max(
        (error.modes for error in errors if error.relative_half_width(respondents) <= READABLE), default=1
    )


def best_windows_by_modes(values: int, limit: GammaLimit) -> tuple[ShapeError, ...]:
    """Returns for each number of modes shown the admissible window with the least error.

    A report shows as many modes as it can. So two laws of a window count: the one with the largest u, and for
    fewer modes M the one with the largest u that hides mode M + 1. For 65,000 values about a second.
    """
    laws = list(best_laws_by_window_width(values, limit))
    if not laws:
        return ()
    widths = np.array([2 * law.half + 1 for law in laws], dtype=np.float64)
    most = np.array([PARTS - law.uniform_parts for law in laws])
    sums = np.zeros((3, len(laws)))  # of m^0, m^1 and m^2 over the squared waves
    smallest = np.full(len(laws), np.inf)
    shown = np.arange(len(laws))
    errors = []
    for m in range(1, values // 2 + 1):
        waves = np.abs(np.sin(widths[shown] * np.pi * m / values) / np.sin(np.pi * m / values))
        waves /= widths[shown]
        # Each law so far shows m - 1 modes or more; the largest u, in ten-thousandths, with which it shows no more.
        parts = np.minimum(
            np.ceil(LEAST_EIGENVALUE * PARTS / np.maximum(waves, LEAST_EIGENVALUE / 2)) - 1, most[shown]
        )
        errors += _best_window_for_modes(laws, shown, parts, smallest[shown], sums[:, shown], m - 1)
        seen = waves * most[shown] / PARTS >= LEAST_EIGENVALUE
        shown, waves = shown[seen], waves[seen]
        smallest[shown] = np.minimum(smallest[shown], waves)
        # The last frequency of an even number of values has no twin: its cosine's mean square is 1, not 1/2.
        weight = 2 if 2 * m == values else 1
        sums[:, shown] += np.array([[1], [m], [m**2]]) / waves**2 * weight
        if not len(shown):
            return tuple(errors)
    errors += _best_window_for_modes(laws, shown, most[shown], smallest[shown], sums[:, shown], values // 2)
    return tuple(errors)


def _best_window_for_modes(
    laws: Sequence[WindowLaw], places: Integers, parts: Floats, smallest: Floats, sums: Floats, modes: int
) -> list[ShapeError]:
    """Returns the law with the least error among windows that show `modes` modes, in a list; empty if there is none.

    `parts`: u of each window, in ten-thousandths. The variance is 2 SUM_m (1 - m/(M+1))^2 / lambda_m^2 / V^2.
    """
    shows = parts * smallest >= LEAST_EIGENVALUE * PARTS
    if not modes or not shows.any():
        return []
    faded = sums[0] - 2 * sums[1] / (modes + 1) + sums[2] / (modes + 1) ** 2
    errors = np.where(shows, np.sqrt(2 * np.maximum(faded, 0)) * PARTS / np.maximum(parts, 1), np.inf)
    best = int(errors.argmin())
    law = laws[places[best]]
    least = replace(law, uniform_parts=PARTS - int(parts[best]))
    return [ShapeError(least, modes, float(errors[best]) / law.values)]


def best_laws_by_window_width(values: int, limit: GammaLimit) -> Iterator[WindowLaw]:
    """Yields for each window width the law with the largest u that the limit admits.

    Widths that share a factor with V are left out, since they hide frequencies completely. gamma < Gamma
    means (1-u) ((Gamma-1)(2h+1) + V) > V, and so for "at most".
    """
    excess = limit.gamma - 1
    for half in range(values // 2):
        width = 2 * half + 1
        if gcd(width, values) > 1 or width >= values:
            continue
        least, over = divmod(
            PARTS * values * excess.denominator, excess.numerator * width + values * excess.denominator
        )
        parts = least + (over > 0 or limit.strict)
        if 0 < parts < PARTS:
            yield WindowLaw(values, half, parts)
