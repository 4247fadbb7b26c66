"""mlxtend's measures of a rule A -> C, from its three supports; not clipped, NaN where a measure has no value."""

import numpy as np
from numpy.typing import NDArray

from mining.reconstruction.disguise_probabilities import Floats

NOTHING = 1e-9
"""An estimate of the antecedent closer to 0 than this counts as 0, and the rule has no confidence."""


CERTAIN = 1e-12
"""A confidence closer to 1 than this counts as 1."""


def confidence(s: Floats, a: Floats) -> Floats:
    return np.where(is_zero(a), np.nan, _quotient(s, a))


def is_zero(a: Floats) -> NDArray[np.bool_]:
    """Returns True for supports A that are 0, up to rounding, so that nothing can be divided by them."""
    return np.asarray(np.abs(a) < NOTHING)


def lift(s: Floats, a: Floats, c: Floats) -> Floats:
    return _quotient(confidence(s, a), c)


def conviction(confidence: Floats, c: Floats) -> Floats:
    """Returns the conviction; NaN where the confidence is 1, or outside [0, 1] by noise, or the consequent is above
    1."""
    defined = (confidence >= 0) & (confidence < 1 - CERTAIN) & (c <= 1)
    return np.where(defined, _quotient(1 - c, 1 - confidence), np.nan)


def zhangs_metric(s: Floats, a: Floats, c: Floats) -> Floats:
    below = np.maximum(s * (1 - a), a * (c - s))
    return np.where(below == 0, 0.0, _quotient(s - a * c, below))


def jaccard(s: Floats, a: Floats, c: Floats) -> Floats:
    return _quotient(s, a + c - s)


def certainty(confidence: Floats, c: Floats) -> Floats:
    return np.where(c == 1, 0.0, _quotient(confidence - c, 1 - c))


def kulczynski(s: Floats, a: Floats, c: Floats) -> Floats:
    return np.asarray((_quotient(s, a) + _quotient(s, c)) / 2)


def _quotient(above: Floats, below: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below == 0, np.nan, above / below)
