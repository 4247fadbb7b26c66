"""Shares of every sensitive answer in each class of a plain question (the people with one of its answers), and tests
whether the classes differ.

The class of a record is known, so the share in a class is the mean score of its records, and its interval that of a
support whose base is the records of the class that were asked. A class is a plain answer, so only the disguised records
count. People to whom the sensitive question does not apply count as without the answer; where a rule may hide it, there
is also the share among those shown it.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, PLAIN, ContingencyTable, ItemsetPart
from mining.inference.intervals import share_interval
from mining.inference.score_test import support_test
from mining.inference.selection_correction import holm
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares
from mining.queries_and_counters import Counter, Item
from mining.reconstruction.cached_counter import CachedCounter, Counts, as_cached
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.itemsets_grouped_by_shape import as_item_numbers, divide_or_zero, group_by_shape
from mining.reconstruction.score_moments_by_group import SupportCounts, count_for_supports, score_moments


@dataclass(frozen=True)
class GroupShares:
    """Shares of sensitive answers in the classes of a plain `question`: answers by class, disguised records alone.

    NaN where too few of a class were asked, or the question applies to none. `shown` counts the records of a class to
    which the answer's question applies; names that end in `_shown` are among them, NaN where no rule can hide the
    question. `second` and `slope` are the moments that `holm_class_difference_p` takes.
    """

    question: int
    answers: tuple[Item, ...]
    share: Floats
    low: Floats
    high: Floats
    base: Counts
    shown: Counts
    share_shown: Floats
    low_shown: Floats
    high_shown: Floats
    second: Floats
    slope: Floats


def plain_questions(counter: Counter | CachedCounter) -> list[int]:
    """Returns indexes of the plain questions whose choices can be classes."""
    places: list[int] = []
    first = 0
    for section in counter.design.sections:
        if not section.sensitive:
            places += range(first, first + len(section.questions))
        first += len(section.questions)
    return places


def reported_sensitive_answers(counter: Counter | CachedCounter) -> list[Item]:
    """Returns the sensitive answers that a report states: every choice of every sensitive question.

    Of a yes/no question only *yes*, and of a number no *below*.
    """
    plain = set(plain_questions(counter))
    return [
        (index, code)
        for index, question in enumerate(counter.design.questions)
        if index not in plain
        for code in question.listed_codes
    ]


ESTIMATES = 10


def shares_by_group(counter: Counter | CachedCounter, question: int) -> GroupShares:
    """Estimates the share of every sensitive answer in each class of the plain question with this index.

    The estimator is `stratified`, whichever the run uses, among the records that have their plain answers.
    """
    cache = as_cached(counter)
    answers = reported_sensitive_answers(cache)
    classes = [(question, code) for code in range(cache.design.questions[question].codes)]
    itemsets = [tuple(sorted((class_item, answer))) for answer in answers for class_item in classes]
    table = np.full((ESTIMATES, len(itemsets)), np.nan)
    groups = list(group_by_shape(cache, as_item_numbers(cache.numbering, itemsets)))
    for group, tally in zip(groups, count_for_supports(cache, groups, within_plain=True), strict=True):
        of_class = replace(tally, base=tally.with_plain)
        applies = tally.supersets[0].sum(axis=0) > 0
        rows = np.flatnonzero(of_class.has_enough_records & applies)
        hidden = bool(set(group.shape.hidden) - set(group.shape.plain) - set(group.shape.scored))
        table[:, group.rows[rows]] = _class_estimates(of_class.take(rows), hidden=hidden)
    estimates = table.reshape(ESTIMATES, len(answers), -1)
    share, second, slope, low, high, base, shown, share_shown, low_shown, high_shown = estimates
    records = np.nan_to_num(base)
    return GroupShares(
        question,
        tuple(answers),
        share,
        low,
        high,
        records.astype(np.int64),
        np.nan_to_num(shown).astype(np.int64),
        share_shown,
        low_shown,
        high_shown,
        second,
        slope,
    )


def received_counts_by_class(
    counter: Counter | CachedCounter, question: int
) -> list[list[tuple[float, ...]]]:
    """Returns, by sensitive answer and class, the received counts that `SumOfShares` needs, among people shown the
    question.

    Each entry has six numbers: open and disguised records, open and disguised records with the answer, and the
    disguise's keep and chance. It is empty for answers counted by scores.
    """
    cache = as_cached(counter)
    answers = reported_sensitive_answers(cache)
    codes = range(cache.design.questions[question].codes)
    itemsets = [tuple(sorted(((question, code), answer))) for answer in answers for code in codes]
    received: list[tuple[float, ...]] = [()] * len(itemsets)
    groups = list(group_by_shape(cache, as_item_numbers(cache.numbering, itemsets)))
    for group, tally in zip(groups, count_for_supports(cache, groups, within_plain=True), strict=True):
        if tally.scores is None:
            law = np.stack([tally.keep.prod(axis=0), tally.chance.sum(axis=0)])
            columns = np.concatenate(
                [tally.supersets[0], tally.supersets[1], np.broadcast_to(law, (2, len(tally)))]
            )
            for row, values in zip(group.rows.tolist(), columns.T.tolist(), strict=True):
                received[row] = tuple(values)
    return [received[start : start + len(codes)] for start in range(0, len(itemsets), len(codes))]


def _class_estimates(tally: SupportCounts, *, hidden: bool) -> NDArray[np.float64]:
    """Returns ten rows of estimates, by class. First among all asked: share, mean square, slope B, interval, number of
    records.

    Then among those shown the question: their records, the share and its interval.
    """
    estimated = score_moments(tally)
    share, second, slope = (
        (estimated.weight * values).sum(axis=0)
        for values in (estimated.mean, estimated.second, estimated.slope)
    )
    low, high = share_interval(support_test(_class_table(tally, applies=hidden)))
    shown = tally.supersets[0].sum(axis=0)
    among = np.full((3, len(tally)), np.nan)
    if hidden:
        only = replace(tally, base=tally.supersets[0], carrying=tally.carrying_shown)
        rows = np.flatnonzero(only.has_enough_records)
        some = only.take(rows)
        among[0, rows] = (share * tally.base.sum(axis=0))[rows] / shown[rows]
        among[1:, rows] = share_interval(support_test(_class_table(some, applies=False)))
    return np.stack([share, second, slope, low, high, tally.base.sum(axis=0), shown, *among])


def _class_table(tally: SupportCounts, *, applies: bool) -> ContingencyTable:
    """Returns the contingency table of the answer in each class; with `applies` also of whether its question
    applies."""
    everybody, answered = tally.base, tally.supersets[1]
    noise = divide_or_zero(tally.chance, 1 - tally.keep)
    answer = ItemsetPart(ANTECEDENT, 0)
    if not applies:
        counts = np.stack([everybody, answered]).astype(np.float64)
        return ContingencyTable((answer,), counts, tally.keep, noise, tally.scores)
    counts = np.stack([everybody, tally.supersets[0], answered, answered]).astype(np.float64)
    noise = np.concatenate([np.ones((1, noise.shape[1])), noise])
    # Whoever has a score was shown its question: of items of scores base(S) is E(S).
    return ContingencyTable((ItemsetPart(ANTECEDENT, PLAIN), answer), counts, tally.keep, noise)


def share_interval_of_all_classes(
    share: Floats, second: Floats, slope: Floats, base: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Returns, for each answer, its share in all published classes together, the low and high end of its interval, and
    the number of records.

    A share that is not published is NaN.
    """
    sums = _moment_sums_by_class(share, second, slope, base)
    n = sums[0].sum(axis=1)
    columns = np.full((3, len(share)), np.nan)
    told = np.flatnonzero(n)
    side = _two_score_side(sums[:, told].sum(axis=2))
    counts = np.stack([side.records, side.having])
    noise = divide_or_zero(side.chance, 1 - side.keep)
    # The interval of each class is that of a support; so it is of all, also with few records that show the answer.
    table = ContingencyTable(
        (ItemsetPart(ANTECEDENT, 0),),
        np.concatenate([np.zeros_like(counts), counts], axis=1),
        side.keep,
        noise,
    )
    test = support_test(table)
    columns[:, told] = test.point_estimate(), *share_interval(test)
    return *columns, n


def holm_class_difference_p(share: Floats, second: Floats, slope: Floats, base: Floats) -> Floats:
    """Returns, for each answer, the p-value of the test that it is equally frequent in all published classes, corrected
    by Holm. Withheld shares are NaN."""
    p = class_difference_p(share, second, slope, base)
    tested = np.isfinite(p)
    p[tested] = holm(p[tested])
    return p


def class_difference_p(share: Floats, second: Floats, slope: Floats, base: Floats) -> Floats:
    """Returns, for each answer, the uncorrected p-value of the test that all classes have equal shares; NaN with fewer
    than two published classes.

    Each class is tested against all others. The statistic SUM (1 - n_c/n) z_c^2 is taken as chi-square distributed,
    which it is if all classes have the same variance.
    """
    from scipy.special import chdtrc  # late for cost

    sums = _moment_sums_by_class(share, second, slope, base)
    n = sums[0].sum(axis=1)
    told = (sums[0] > 0).sum(axis=1)
    row, column = np.nonzero((sums[0] > 0) & (told > 1)[:, None])
    of_class = sums[:, row, column]
    rest = sums.sum(axis=2)[:, row] - of_class
    z = SumOfShares.from_difference(_two_score_side(rest), _two_score_side(of_class)).z(np.zeros(len(row)))
    statistic = np.zeros(len(share))
    np.add.at(statistic, row, (1 - of_class[0] / n[row]) * z**2)
    tested = told > 1
    p = np.full(len(share), np.nan)
    p[tested] = chdtrc(told[tested] - 1, statistic[tested])
    return p


def _moment_sums_by_class(share: Floats, second: Floats, slope: Floats, base: Floats) -> Floats:
    """Returns, for each answer and class, the number of records and the sums of their score moments; 0 where the share
    is not published."""
    is_told = np.isfinite(share)
    columns = (np.where(is_told, column, 0.0) for column in (np.ones_like(share), share, second, slope))
    return np.stack([column * np.where(is_told, base, 0.0) for column in columns])


def _two_score_side(sums: Floats) -> ReceivedSide:
    """Returns a side of a comparison that stands for these sums: records with only two different scores, with the same
    moments.

    z^2 = B z + A, so p = 1/sqrt(B^2 + 4 A), c = (1 - B p)/2. For an answer that is always asked these are its own keep
    and chance.
    """
    n, share, second, slope = sums
    at_least_1 = np.maximum(n, 1.0)
    share, second, slope = (total / at_least_1 for total in (share, second, slope))
    keep = 1 / np.sqrt(slope**2 + 4 * (second - slope * share))
    chance = (1 - slope * keep) / 2
    # People to whom the question does not apply have the score 0, which can make keep too large for a law.
    keep = np.minimum(keep, 1 - chance)
    having = n * (chance + keep * share)
    return ReceivedSide(*(column[None] for column in (n, having, keep, chance)))
