"""Scores of single answers: their moments by group, laws, counts and interval bounds (docs/mathematics.md, Scores of
one answer).

Arrays are group by row, a row per answer. Group 0 answers plainly (openly or directly), group 1 is disguised.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, ContingencyTable, Floats, ItemsetPart
from mining.inference.intervals import NORMAL_95, Interval
from mining.inference.share_sum_score_test import ReceivedSide
from mining.queries_and_counters import Counter, Counts, Item, Numbering, Query, item_name
from mining.reconstruction.disguise_probabilities import DisguiseProbabilities
from mining.reconstruction.itemsets_grouped_by_shape import divide_or_zero
from mining.reconstruction.score_moments_by_group import LEAST_BASE, LEAST_GROUP, ScoreMoments
from mining.reconstruction.support_intervals import VarianceParabola
from mining.studies.model_request_and_columns import refuse_scored_item
from privacy.designs import Design


@dataclass(frozen=True)
class AnswerLaw:
    """The probabilities of the disguise for one answer: `keep` is p (the true answer is sent), `chance` is c = (1-p) q
    (noise sends this answer).

    A plain answer has keep 1 and chance 0.
    """

    keep: Floats | float
    chance: Floats | float

    @classmethod
    def from_probabilities(cls, keep: Floats | float, noise: Floats | float) -> "AnswerLaw":
        """Makes the law from `keep` (p) and `noise` (q, the probability that a random answer is this one)."""
        return cls(keep, (1 - keep) * noise)

    @property
    def score_with_answer(self) -> Floats | float:
        """The score z of a record that has the answer."""
        return (1 - self.chance) / self.keep

    @property
    def score_without_answer(self) -> Floats | float:
        """The score z of a record that was shown the question and has another answer."""
        return -self.chance / self.keep

    @property
    def slope(self) -> Floats | float:
        """The slope B in E z^2 = A + B P, the mean square of a score at the share P."""
        return (1 - 2 * self.chance) / self.keep


UNDISGUISED = AnswerLaw(1.0, 0.0)


def answer_moments(records: NDArray[Any], having: NDArray[Any], law: AnswerLaw) -> ScoreMoments:
    """Returns the moments of scores by group: from the `records` to which the answer applies, and those `having` it.

    `law` is that of the disguised group; the other group answers plainly.
    """
    laws = (UNDISGUISED, law)
    shares = [divide_or_zero(some, group_law) for some, group_law in zip(having, records, strict=True)]
    both = list(zip(shares, laws, strict=True))
    there = np.asarray(records > 0, np.float64)
    return ScoreMoments(
        there
        * np.stack(
            [
                share * group_law.score_with_answer + (1 - share) * group_law.score_without_answer
                for share, group_law in both
            ]
        ),
        there
        * np.stack(
            [
                share * group_law.score_with_answer**2 + (1 - share) * group_law.score_without_answer**2
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


def answer_side(records: NDArray[Any], having: NDArray[Any], law: AnswerLaw) -> ReceivedSide:
    """Returns the received counts of both groups (open, disguised) as one side of a comparison; `law` is that of the
    disguised group."""
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
    return ReceivedSide(records, having, keep, chance)


def group_sides(
    records: NDArray[Any], having: NDArray[Any], law: AnswerLaw
) -> tuple[ReceivedSide, ReceivedSide]:
    """Returns two sides of a comparison, the received counts of group 0 (open or direct) and of the disguised; `law` is
    that of the disguised group."""
    both = answer_side(records, having, law)
    return ReceivedSide(*(column[:1] for column in both)), ReceivedSide(*(column[1:] for column in both))


def group_mean_bounds(moments: ScoreMoments, critical_z: float = NORMAL_95) -> Interval:
    """Returns the lower and upper confidence bounds of each group's mean score, not clipped to [0, 1].

    For one answer these are Wilson's interval mapped through the inverse of the disguise.
    """
    n = np.maximum(moments.records, 1)
    return VarianceParabola(moments.mean, moments.constant / n, moments.slope / n, 1 / n).bounds(critical_z)


def enough_in_both_groups(records: NDArray[Any]) -> NDArray[np.bool_]:
    """Returns True for each answer for which both groups have enough records to be compared (docs/mathematics.md,
    Floors)."""
    return np.asarray((records.sum(axis=0) >= LEAST_BASE) & (records >= LEAST_GROUP).all(axis=0))


def answer_table(records: NDArray[Any], having: NDArray[Any], law: AnswerLaw) -> ContingencyTable:
    """Returns the contingency table of single answers, for `support_test`. `records` and `having`: group (open,
    disguised) by answer, the records asked and those of them with the answer; `law` is that of the disguised group."""
    keep = np.atleast_2d(np.asarray(law.keep, np.float64))
    noise = divide_or_zero(np.atleast_2d(np.asarray(law.chance, np.float64)), 1 - keep)
    return ContingencyTable(
        (ItemsetPart(ANTECEDENT, 0),), np.stack([records, having]).astype(np.float64), keep, noise
    )


# --- answer counts
# Counts of single answers by group, among the records to which they apply, and their laws.

Node = TypeVar("Node")


@dataclass(frozen=True)
class AnswerCounts:
    """Counts of answers, group (open or direct, disguised) by answer: the records to which the answer applies, and
    those `having` it."""

    items: tuple[Item, ...]
    records: Counts
    having: Counts
    law: AnswerLaw

    @classmethod
    def from_counter(
        cls, counter: Counter, items: Sequence[Item], having: Sequence[Item] = ()
    ) -> "AnswerCounts":
        """Counts these items among the records of the counter; only among records that have all items `having`, if
        given."""
        given = tuple(having)
        queries = [Query(items=given, applies=(index,)) for index, _code in items]
        queries += [Query(items=tuple(sorted((*given, item)))) for item in items]
        counts = counter.count(queries).T
        return cls(
            tuple(items), counts[:, : len(items)], counts[:, len(items) :], answer_laws(counter.design, items)
        )


def answer_laws(design: Design, items: Sequence[Item]) -> AnswerLaw:
    """Returns the disguise probabilities (keep and chance) of these answers, as arrays; `design` is the mined one."""
    for item in items:
        refuse_scored_item(design, item)
    laws, numbering = DisguiseProbabilities.from_design(design), Numbering(design)
    keep = laws.keep[[index for index, _code in items]]
    noise = laws.noise[[numbering.number(item) for item in items]]
    return AnswerLaw.from_probabilities(keep, noise)


def answer_law(design: Design, item: Item) -> AnswerLaw:
    law = answer_laws(design, [item])
    return AnswerLaw(*(float(np.asarray(part)[0]) for part in (law.keep, law.chance)))


def nodes_by_answer(
    node: Callable[..., Node], design: Design, items: Iterable[Item], **columns: NDArray[Any]
) -> tuple[Node, ...]:
    """Returns a report node for each answer, made by `node` from the answer's name and its value in each of the
    `columns`."""
    numbers = zip(*(column.tolist() for column in columns.values()), strict=True)
    return tuple(
        node(item=item_name(design, item), **dict(zip(columns, row, strict=True)))
        for item, row in zip(items, numbers, strict=True)
    )


def control_items(design: Design) -> list[Item]:
    """Returns the item *yes* of each control item."""
    return [(index, 1) for index, question in enumerate(design.questions) if question.known_parts is not None]


# --- estimator errors
# What the stratified estimator costs where both groups are alike (docs/mathematics.md, Estimators).

SHARE = 0.1
"""Share of the answer for which the errors of the estimators are compared."""


@dataclass(frozen=True)
class EstimatorErrors:
    """Standard errors of the estimate of a share of 10 % (SHARE): by the estimator `stratified`, and by the document's
    `pooled` formula."""

    stratified: float
    pooled: float


def largest_estimator_errors(design: Design, n: int, k: float) -> EstimatorErrors | None:
    """Returns the standard errors of both estimators for the sensitive answer with the largest error, asked of all `n`
    people, a share `k` of them open.

    None where no answer is an item of one law. With lambda = c + p s and both groups alike, the received answers have
    the variance V = k s(1-s) + (1-k) lambda (1-lambda)/p^2 by scores; pooled, where all are divided by k + (1-k) p, it
    is (k s(1-s) + (1-k) lambda (1-lambda)) / (k + (1-k) p)^2.
    """
    items = [
        (index, code)
        for index, question in enumerate(design.questions)
        if not question.scored
        for code in question.listed_codes
    ]
    if not items or not n:
        return None
    law = answer_laws(design, items)
    keep, chance = np.asarray(law.keep, np.float64), np.asarray(law.chance, np.float64)
    if keep.min() == 1:
        return None
    received = chance + keep * SHARE
    of_open, of_disguised = k * SHARE * (1 - SHARE), (1 - k) * received * (1 - received)
    stratified = of_open + of_disguised / keep**2
    pooled = (of_open + of_disguised) / (k + (1 - k) * keep) ** 2
    worst = int(np.argmax(np.where(keep < 1, stratified, 0.0)))
    return EstimatorErrors(sqrt(stratified[worst] / n), sqrt(pooled[worst] / n))
