"""Shares by group: every sensitive answer within each class of a plain question, and whether the classes differ.

A class is known exactly, so its share is the mean score of its own records: the interval is that of a support
whose base is the records of the class that were asked. Within a class, people to whom the sensitive question does
not apply have not given the answer.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mining.counts import Counter, Item
from mining.reconstruction.alike import holm
from mining.reconstruction.combined import ROUNDS
from mining.reconstruction.counted import Counted, Counts, counted
from mining.reconstruction.intervals import stratified_bounds
from mining.reconstruction.laws import Floats
from mining.reconstruction.moments import Tally, moments, tallies
from mining.reconstruction.shapes import as_numbers, grouped
from privacy.designs import PlainSection


@dataclass(frozen=True)
class Shares:
    """Of a plain question: answers by class. NaN where too few of a class were asked, or the question applies to none.

    `p` is Holm's over the answers of this table, for the answer being as frequent in every class; `everybody` is
    the answer's share in all classes together.
    """

    question: int
    answers: tuple[Item, ...]
    share: Floats
    low: Floats
    high: Floats
    base: Counts
    everybody: Floats
    p: Floats


def plain_questions(counter: Counter | Counted) -> list[int]:
    """The questions whose choices can be classes."""
    places: list[int] = []
    first = 0
    for section in counter.design.sections:
        if isinstance(section, PlainSection):
            places += range(first, first + len(section.questions))
        first += len(section.questions)
    return places


def sensitive_answers(counter: Counter | Counted) -> list[Item]:
    """Every choice of every sensitive question; of no and yes only *yes*."""
    plain = set(plain_questions(counter))
    return [
        (place, code)
        for place, question in enumerate(counter.design.questions)
        if place not in plain
        for code in range(question.form in {"yes-no", "many"}, len(question.choices))
    ]


def shares_by_group(counter: Counter | Counted, question: int) -> Shares:
    """By the `stratified` estimator, whichever the run uses: so the classes are compared whoever chose to be open.

    Among the records whose plain answers are told.
    """
    known = counted(counter)
    answers = sensitive_answers(known)
    classes = [(question, code) for code in range(len(known.design.questions[question].choices))]
    itemsets = [tuple(sorted((of, answer))) for answer in answers for of in classes]
    table = np.full((6, len(itemsets)), np.nan)
    groups = list(grouped(known, as_numbers(known.numbering, itemsets)))
    for group, tally in zip(groups, tallies(known, groups), strict=True):
        of_class = replace(tally, base=tally.carrying)
        shown = tally.supersets[0].sum(axis=0) > 0
        table[:, group.rows] = np.where(of_class.enough & shown, _estimates(of_class), np.nan)
    share, second, slope, low, high, base = table.reshape(6, len(answers), -1)
    records = np.nan_to_num(base)
    everybody = (records * np.nan_to_num(share)).sum(axis=1) / np.maximum(records.sum(axis=1), 1)
    return Shares(
        question,
        tuple(answers),
        share,
        low,
        high,
        records.astype(np.int64),
        np.where(records.any(axis=1), everybody, np.nan),
        _p(share, second, slope, base),
    )


def _estimates(tally: Tally) -> NDArray[np.float64]:
    """Of each class: share, mean square, B, interval and records."""
    of = moments(tally)
    share, second, slope = ((of.weight * values).sum(axis=0) for values in (of.mean, of.second, of.slope))
    low, high = stratified_bounds(share, of)
    return np.stack([share, second, slope, low, high, tally.base.sum(axis=0)])


def _p(share: Floats, second: Floats, slope: Floats, base: Floats) -> Floats:
    """Of chi square with one degree of freedom less than classes, at the common share and the variances there."""
    p = np.full(len(share), np.nan)
    for row in range(len(share)):
        known = np.isfinite(share[row])
        if known.sum() > 1:
            p[row] = _p_of_one(share[row, known], second[row, known], slope[row, known], base[row, known])
    tested = np.isfinite(p)
    p[tested] = holm(p[tested])
    return p


def _p_of_one(share: Floats, second: Floats, slope: Floats, base: Floats) -> float:
    from scipy.special import chdtrc

    certainty = base
    for _round in range(ROUNDS):
        common = float((certainty * share).sum() / certainty.sum())
        spread = second + slope * (common - share) - common**2
        certainty = base / np.maximum(spread, 0.25 / base)
    statistic = (certainty * (share - common) ** 2).sum()
    return float(chdtrc(len(share) - 1, statistic))
