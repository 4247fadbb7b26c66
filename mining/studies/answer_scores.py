"""The scores of one answer: their moments by group, and the mapped bounds (docs/mathematics.md, Scores of one answer).

Arrays are group by row, a row per answer. Group 0 answers plainly (openly or directly), group 1 is disguised.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, ContingencyTable, Floats, ItemsetPart
from mining.inference.intervals import NORMAL_95, Interval
from mining.inference.sums_of_shares import Side
from mining.reconstruction.contingency import quotient
from mining.reconstruction.intervals import Parabola
from mining.reconstruction.moments import LEAST_BASE, LEAST_GROUP, Moments


@dataclass(frozen=True)
class AnswerLaw:
    """`keep` is p; `chance` is c = (1-p) q, how often noise alone shows the answer. A plain answer: 1 and 0."""

    keep: Floats | float
    chance: Floats | float

    @classmethod
    def of(cls, keep: Floats | float, noise: Floats | float) -> "AnswerLaw":
        """`noise` is q, how often a random answer is this one."""
        return cls(keep, (1 - keep) * noise)

    @property
    def with_answer(self) -> Floats | float:
        """z of a record that has the answer."""
        return (1 - self.chance) / self.keep

    @property
    def without_answer(self) -> Floats | float:
        """z of a record that was shown the question and has another answer."""
        return -self.chance / self.keep

    @property
    def slope(self) -> Floats | float:
        """B of E z^2 = A + B P."""
        return (1 - 2 * self.chance) / self.keep


UNDISGUISED = AnswerLaw(1.0, 0.0)


def answer_moments(records: NDArray[Any], having: NDArray[Any], law: AnswerLaw) -> Moments:
    """From the records of E and those that have the answer; `law` is that of the disguised group."""
    laws = (UNDISGUISED, law)
    shares = [quotient(some, group_law) for some, group_law in zip(having, records, strict=True)]
    both = list(zip(shares, laws, strict=True))
    there = np.asarray(records > 0, np.float64)
    return Moments(
        there
        * np.stack(
            [
                share * group_law.with_answer + (1 - share) * group_law.without_answer
                for share, group_law in both
            ]
        ),
        there
        * np.stack(
            [
                share * group_law.with_answer**2 + (1 - share) * group_law.without_answer**2
                for share, group_law in both
            ]
        ),
        np.stack(
            [
                np.broadcast_to(np.asarray(group_law.slope, np.float64), share.shape)
                for share, group_law in both
            ]
        ),
        records,
    )


def answer_side(records: NDArray[Any], having: NDArray[Any], law: AnswerLaw) -> Side:
    """The received answers of both groups; `law` is that of the disguised group."""
    laws = (UNDISGUISED, law)
    keep, chance = (
        np.stack(
            [
                np.broadcast_to(np.asarray(getattr(group_law, name), np.float64), records[0].shape)
                for group_law in laws
            ]
        )
        for name in ("keep", "chance")
    )
    return Side(records, having, keep, chance)


def group_sides(records: NDArray[Any], having: NDArray[Any], law: AnswerLaw) -> tuple[Side, Side]:
    """Each group as a side of its own."""
    both = answer_side(records, having, law)
    return Side(*(column[:1] for column in both)), Side(*(column[1:] for column in both))


def mapped_bounds(moments: Moments, level: float = NORMAL_95) -> Interval:
    """l and u of each group's mean, not cut to [0, 1]; Wilson's interval through the inverse for one answer."""
    n = np.maximum(moments.records, 1)
    return Parabola(moments.mean, moments.constant / n, moments.slope / n, 1 / n).bounds(level)


def enough_of_both(records: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether both groups are large enough to be compared (docs/mathematics.md, Floors)."""
    return np.asarray((records.sum(axis=0) >= LEAST_BASE) & (records >= LEAST_GROUP).all(axis=0))


def answer_table(records: NDArray[Any], having: NDArray[Any], law: AnswerLaw) -> ContingencyTable:
    """Counts of single answers as a table for `support_test`.

    `records` and `having`: group (open, disguised) by answer, the records asked and those of them with the answer;
    `law` is that of the disguised group.
    """
    keep = np.atleast_2d(np.asarray(law.keep, np.float64))
    noise = quotient(np.atleast_2d(np.asarray(law.chance, np.float64)), 1 - keep)
    return ContingencyTable(
        (ItemsetPart(ANTECEDENT, 0),), np.stack([records, having]).astype(np.float64), keep, noise
    )
