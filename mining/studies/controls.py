"""Control items: how many answer at random, shares corrected for it, and preferred words of crosswise questions.

docs/mathematics.md, Control items, Crosswise.

A person who answers at random takes each choice alike. That is an assumption: carelessness that favours a choice cannot
be told from the truth.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, ContingencyTable, Floats
from mining.inference.intervals import NORMAL_95, Interval, ShareIntervals, exact_interval, two_sided
from mining.inference.score import SplitTests
from mining.inference.sums_of_shares import SumOfShares
from mining.studies.answer_scores import AnswerLaw, answer_side

ROUNDING = 1 + 1e-7
"""Probabilities that differ by rounding alone count as equal in the exact test."""


ControlColumns = dict[str, Floats]
"""By name: `known` is pi_c, `seen` P_c with the ends `low` and `high` of its interval; `p` tests P_c = pi_c, `careless`
is L."""


def disguised_control(
    records: NDArray[Any], having: NDArray[Any], law: AnswerLaw, known: Floats | float
) -> ControlColumns:
    """A control item in a sensitive section, from the records of E and those with *yes*: group by row.

    Test and interval are those of a sum of shares.
    """
    share = SumOfShares.share(answer_side(records, having, law))
    known = np.broadcast_to(np.asarray(known, np.float64), len(share))
    return _columns(known, share.at_zero(), share.interval(), two_sided(share.z(known)))


def plain_control(records: NDArray[Any], having: NDArray[Any], known: Floats | float) -> ControlColumns:
    """A plain control item, which is counted among the disguised: Clopper and Pearson, and an exact binomial test."""
    known = np.broadcast_to(np.asarray(known, np.float64), records.shape)
    seen = having / records
    rows = zip(having.tolist(), records.tolist(), known.tolist(), strict=True)
    p = np.array([binomial_p(*row) for row in rows])
    return _columns(known, seen, exact_interval(having, records), p)


def _columns(known: Floats, seen: Floats, interval: Interval, p: Floats) -> ControlColumns:
    low, high = interval
    careless = careless_share(seen, known)
    return {"known": known, "seen": seen, "low": low, "high": high, "p": p, "careless": careless}


def careless_share(seen: Floats, known: Floats | float) -> Floats:
    """L = (P_c - pi_c) / (1/2 - pi_c)."""
    return np.asarray((seen - known) / (0.5 - known))


def corrected_share(share: Floats, careless: Floats, choices: Floats | int) -> Floats:
    """(P_j - L/m) / (1 - L); not finite where everybody answers at random."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((share - careless / choices) / (1 - careless))


def binomial_p(having: int, records: int, share: float) -> float:
    """Two-sided exact p: the probability of all counts that are no more probable than this one."""
    from scipy.special import gammaln, xlog1py, xlogy  # late for cost

    k = np.arange(records + 1)
    ways = gammaln(records + 1) - gammaln(k + 1) - gammaln(records - k + 1)
    chance = np.exp(ways + xlogy(k, share) + xlog1py(records - k, -share))
    return float(min(chance[chance <= chance[having] * ROUNDING].sum(), 1.0))


@dataclass(frozen=True)
class JointEstimates:
    """P_j of an answer and P_c of the control item among the same records, with the variances of both estimates."""

    share: Floats
    control: Floats
    variance: Floats
    control_variance: Floats
    covariance: Floats


def joint_estimates(table: ContingencyTable) -> JointEstimates:
    """From the table of the control item (antecedent) and the answer (consequent), among those shown both.

    With a plain control item its records are the disguised alone.
    """
    tests = SplitTests(table)
    control, share, _both = tests.supports
    variance, control_variance = (tests.covariance(side, side) for side in (CONSEQUENT, ANTECEDENT))
    return JointEstimates(
        share, control, variance, control_variance, tests.covariance(ANTECEDENT, CONSEQUENT)
    )


def corrected_shares(
    joint: JointEstimates, known: Floats | float, choices: Floats | int, level: float = NORMAL_95
) -> ShareIntervals:
    """Among those who do not answer at random: (P_j - L/m) / (1 - L) with Fieller's interval; m is the number of
    `choices` of the answer's question."""
    to_half = 0.5 - np.asarray(known, np.float64)
    step = 1 / (to_half * choices)
    careless = careless_share(joint.control, known)
    above, below = joint.share - careless / choices, 1 - careless
    above_variance = joint.variance + step**2 * joint.control_variance - 2 * step * joint.covariance
    below_variance = joint.control_variance / to_half**2
    covariance = (step * joint.control_variance - joint.covariance) / to_half
    low, high = fieller(above, below, above_variance, below_variance, covariance, level)
    return ShareIntervals(corrected_share(joint.share, careless, choices), low, high)


def fieller(
    above: Floats,
    below: Floats,
    above_variance: Floats,
    below_variance: Floats,
    covariance: Floats,
    level: float,
) -> tuple[Floats, Floats]:
    """All t with (above - t below)^2 <= level^2 of its variance; NaN where that has not an end on both sides."""
    square = level**2
    curve = below**2 - square * below_variance
    middle = above * below - square * covariance
    root = middle**2 - curve * (above**2 - square * above_variance)
    bounded = (curve > 0) & (root >= 0)
    curve, root = np.where(bounded, curve, np.nan), np.sqrt(np.where(bounded, root, np.nan))
    return (middle - root) / curve, (middle + root) / curve


def word_preference(
    records: NDArray[Any], having: NDArray[Any], keep: float
) -> tuple[Floats, Floats, Floats]:
    """The difference of the estimated shares, first version less second; z and p of no difference.

    In one version *same* is recorded as *yes*, in the other, with the opposite secret, *different* is. The law of the
    record is the same, so a preference for one of the words shows as a difference. Random answers do not. From the
    disguised records and those recorded as *yes*, version by row; `keep` is |1 - 2u|. NaN where a version has no
    record.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        received = having / records
        common = having.sum(axis=0) / records.sum(axis=0)
        error = np.sqrt(common * (1 - common) * (1 / records).sum(axis=0)) / keep
    difference = (received[0] - received[1]) / keep
    # All have answered alike: there is no difference, and no error.
    z = difference / np.where(error == 0, 1.0, error)
    return difference, z, two_sided(z)
