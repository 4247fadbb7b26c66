"""An attacker who knows the joint shares of each quasi-identifier with the sensitive value.

Li, Li, Zhang (Modeling and integrating background knowledge in data anonymization), the omega-estimate; beliefs by
naive Bayes. docs/mathematics.md, Risks.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.tables.table import Column, Table

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def informed_posteriors(outcome: AnonymisedTable, index: int) -> Floats:
    """Probability that this attacker gives to the true value of each published record.

    `index`: of the sensitive column. Time grows with the records times the values of their class; memory with the
    records.
    """
    classes, published = outcome.partition, outcome.table.sensitive[index]
    true = outcome.source.sensitive[index].codes[outcome.kept]
    held = _MembersByValue(classes.labels, classes.sizes, published)
    belief = _belief_function(outcome.source, index, outcome.table)
    totals = np.full(len(true), -np.inf)
    for value, members, _counts in held:
        totals[members] = np.logaddexp(totals[members], belief(value, members))
    weight_of_true, whole = np.zeros(len(true)), np.zeros(len(true))
    for value, members, counts in held:
        shares = counts / classes.sizes[classes.labels[members]]
        shares = _normalised(belief(value, members), totals[members], shares)
        owner = classes.labels[members]
        expected = np.bincount(owner, shares, classes.number)[owner]
        weight = np.divide(counts * shares, expected, out=np.zeros(len(members)), where=expected > 0)
        whole[members] += weight
        weight_of_true[members] += np.where(true[members] == value, weight, 0)
    return weight_of_true / whole


def _normalised(logarithms: Floats, totals: Floats, shares: Floats) -> Floats:
    """Beliefs that sum to 1 over the values of the class; `shares` if all are impossible (falsified values)."""
    possible = totals > -np.inf
    return np.where(possible, np.exp(logarithms - np.where(possible, totals, 0)), shares)


class _MembersByValue:
    """Iterates over sensitive values: the records in classes that hold the value, and its count in their class."""

    def __init__(self, labels: Integers, sizes: Integers, published: Column) -> None:
        self._order = np.argsort(labels, kind="stable")
        self._start, self._sizes = np.cumsum(sizes) - sizes, sizes
        keys = published.codes.astype(np.int64) * len(sizes) + labels
        pairs, self._counts = np.unique(keys, return_counts=True)
        self._value, self._owner = pairs // len(sizes), pairs % len(sizes)

    def __iter__(self) -> Iterator[tuple[int, Integers, Integers]]:
        ends = np.flatnonzero(np.diff(self._value, prepend=-1, append=-1))
        for begin, end in pairwise(ends):
            owners, lengths = self._owner[begin:end], self._sizes[self._owner[begin:end]]
            skipped = np.repeat(self._start[owners] - (np.cumsum(lengths) - lengths), lengths)
            members = self._order[skipped + np.arange(len(skipped))]
            yield int(self._value[begin]), members, np.repeat(self._counts[begin:end], lengths)


def _belief_function(source: Table, index: int, published: Table) -> Callable[[int, Integers], Floats]:
    """Returns a function: the logarithm of p(s) PROD_j p(q_j | s) for a value s and some published records."""
    column = source.sensitive[index]
    order = np.argsort(column.codes, kind="stable")
    starts = np.searchsorted(column.codes[order], np.arange(len(column.texts) + 1))

    def belief(value: int, members: Integers) -> Floats:
        having = order[starts[value] : starts[value + 1]]
        if not len(having):
            return np.full(len(members), -np.inf)
        log_belief = np.full(len(members), np.log(len(having) / source.records))
        for column, shown in zip(source.quasi, published.quasi, strict=True):
            log_belief += _log_shares(column, having)[shown.codes[members]]
        return log_belief

    return belief


def _log_shares(column: Column, having: Integers) -> Floats:
    counts = np.bincount(column.codes[having], minlength=len(column.texts))
    logarithms = np.full(len(counts), -np.inf)
    np.log(counts / len(having), out=logarithms, where=counts > 0)
    return logarithms


def label_distinct_rows(columns: Sequence[Column]) -> Integers:
    """Labels that are equal for records that agree in all these columns."""
    numbers = np.zeros(len(columns[0].codes), np.int64)
    for column in columns:
        keys = numbers * len(column.texts) + column.codes
        numbers = np.unique(keys, return_inverse=True)[1].ravel().astype(np.int64)
    return numbers
