"""Randomised response in other surveys: estimates from counted answers, by the law of their technique."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from candor.laws import ResponseLaw
from privacy.grammar.input_error import InputError, mark_for_translation as _

if TYPE_CHECKING:
    import pandas as pd

    from mining.inference.intervals import TestedParameter

Floats = NDArray[np.float64]
DIFFERENCE = ("first", "second", "difference", "low", "high", "z", "p")


def count_shares(
    having: ArrayLike, records: ArrayLike, law: ResponseLaw, level: float = 0.95
) -> "pd.DataFrame":
    """Estimates true shares of yes from the number `having` of yes among `records`; returns `share`,
    `se` and intervals.

    An interval holds all shares that the score test does not exclude at the confidence `level`; its critical value is
    1.96 for .95. Both ends are NaN where the counts contradict each other. A law without disguise has Clopper and
    Pearson's interval.
    """
    import pandas as pd  # late for cost

    from mining.inference.intervals import exact_interval, share_interval  # late for cost
    from mining.inference.score_test import support_test  # late for cost
    from mining.studies.single_answer_score_moments import AnswerLaw, answer_table  # late for cost

    critical_z = critical_z_of_level(level)
    yes, n = _counts(_broadcast(having, records), law)
    if law.keep == 1:
        low, high = exact_interval(yes, n, critical_z)
    else:
        of = AnswerLaw(law.keep, law.chance)
        test = support_test(answer_table(_among_disguised(n), _among_disguised(yes), of))
        low, high = share_interval(test, critical_z)
        low, high = refined_end(test, low, critical_z), refined_end(test, high, -critical_z)
    received = yes / n
    se = np.sqrt(received * (1 - received) / n) / law.keep
    share = (received - law.chance) / law.keep
    return pd.DataFrame({"n": n, "share": share, "se": se, "low": low, "high": high})


def critical_z_of_level(level: float) -> float:
    """Returns the critical value of intervals with this confidence level."""
    from mining.inference.intervals import NORMAL_95  # late for cost
    from mining.special_functions import ndtri  # late for cost

    if isinstance(level, bool) or not 0 < level < 1:
        raise InputError("level", _("must be a confidence level such as .95, above 0 and below 1"))
    return NORMAL_95 if level == 0.95 else -float(ndtri((1 - level) / 2))


def refined_end(
    test: "TestedParameter", end: Floats, z: float, between: tuple[float, float] = (0.0, 1.0)
) -> Floats:
    """Returns the ends of intervals at which a test has this z to nine digits, from those that are exact to 10^-7, by a
    step of the secant method."""
    near = 1e-7
    at, beyond = test.z(end), test.z(end + near)
    with np.errstate(divide="ignore", invalid="ignore"):
        step = near * (z - at) / (beyond - at)
    inside = (end > between[0]) & (end < between[1]) & (np.abs(step) < 2 * near)
    return np.where(inside, end + step, end)


def compare_shares(
    having_1: ArrayLike,
    records_1: ArrayLike,
    having_2: ArrayLike,
    records_2: ArrayLike,
    law: ResponseLaw,
    law_2: ResponseLaw | None = None,
    *,
    shared: bool = False,
) -> "pd.DataFrame":
    """Compares the true shares of yes on two sides, each given by its counts as in `count_shares`: second less first.

    The 95 % interval, z and two-sided p are of one score test. `law` is that of both sides, unless the second has
    `law_2`. `shared`: the same people may be on both sides, which widens the interval.
    """
    import pandas as pd  # late for cost

    from mining.inference.share_differences import compare_side_shares  # late for cost
    from mining.studies.single_answer_score_moments import AnswerLaw, answer_side  # late for cost

    counts = _broadcast(having_1, records_1, having_2, records_2)
    first, second = (
        answer_side(_among_disguised(n), _among_disguised(yes), AnswerLaw(of.keep, of.chance))
        for side, of in ((counts[:2], law), (counts[2:], law_2 or law))
        for yes, n in [_counts(side, of)]
    )
    found = compare_side_shares(first, second, np.ones(len(counts[0]), np.bool_), shared=shared)
    return pd.DataFrame({name: getattr(found, name) for name in DIFFERENCE})


def _among_disguised(counts: Floats) -> Floats:
    """Returns counts by group, of which nobody is in the first, the open one."""
    return np.stack([np.zeros(len(counts)), counts])


def _counts(counts: Sequence[Floats], law: ResponseLaw) -> tuple[Floats, Floats]:
    """Returns the numbers of records that count as yes in the law, and of all records; refuses impossible `counts` of
    those that say yes, and of all."""
    having, records = counts
    if np.isnan(law.chance):
        raise InputError(
            "unrelated_question: yes", _("is unknown: give it, or the frame of two samples to `shares`")
        )
    if not ((having >= 0) & (having <= records) & (records > 0)).all():
        raise InputError("having", _("must be from 0 to the number of records, which is above 0"))
    if not all(np.allclose(count, np.rint(count), rtol=0, atol=1e-6) for count in (having, records)):
        raise InputError("having", _("must be whole numbers of records, not shares"))
    return (records - having if law.turned else having), records


def _broadcast(*counts: ArrayLike) -> tuple[Floats, ...]:
    """Returns the counts as arrays of one length; one number goes with each of the others."""
    try:
        return tuple(np.broadcast_arrays(*(np.atleast_1d(np.asarray(part, np.float64)) for part in counts)))
    except ValueError:
        raise InputError("having", _("its numbers and those of records differ in length")) from None
