"""The criteria of classes: a checker that lists the classes that violate them.

It is written independently of the rules of the searches (kernels/class_criteria.py): those compare a histogram, the
checker counts pairs of class and value.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.tables.specification import Criteria, Diversity, DiversityKind, Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.input_error import InputError, marked as _
from privacy.grammar.json_node import PARTS
from privacy.guarantee.breaches import downward_breach, upward_breach

Integers = NDArray[np.int64]
MOST_CELLS = 20_000
"""Most cells of the histogram of the multi-attribute form: one for each occurring combination of sensitive values."""
TOLERANCE = 1e-9
"""Tolerance of the entropy in nats, the only criterion that is not compared in integers."""


SURE = 1e-6
"""If a bound is this far from a breach, no exact search is needed."""


class View(NamedTuple):
    """A sensitive column, in `groups` of records that agree in the other sensitive columns (multi-attribute form)."""

    name: str
    values: int
    codes: Integers
    ordered: bool
    group: Integers
    groups: int
    diversity: Diversity | None
    whole: bool
    """True if cap, closeness and breaches apply: they do not to the groups of the multi-attribute form."""


def sensitive_views(table: Table, specification: Specification) -> tuple[View, ...]:
    diversity = specification.criteria.diversity
    joint = diversity is not None and diversity.joint
    views = []
    for index, (column, attribute) in enumerate(zip(table.sensitive, specification.sensitive, strict=True)):
        codes, alone = column.codes.astype(np.int64), np.zeros(table.records, np.int64)
        plain = None if joint else diversity
        views.append(
            View(column.name, len(column.texts), codes, bool(attribute.order), alone, 1, plain, True)
        )
        if joint:
            others = [other.codes for at, other in enumerate(table.sensitive) if at != index]
            _rows, group = np.unique(np.stack(others, 1), axis=0, return_inverse=True)
            groups = int(group.max()) + 1
            views.append(
                View(column.name, len(column.texts), codes, False, group.ravel(), groups, diversity, False)
            )
    if sum(view.values * view.groups for view in views) > MOST_CELLS:
        raise InputError(
            "sensitive", _("more than %(most)s combinations of sensitive values"), most=MOST_CELLS
        )
    return tuple(views)


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """The pairs of group and value that occur in a view and their counts; a group is one of the view within a class."""

    view: View
    records: int
    owner: Integers
    """The class of each group."""
    index: Integers
    """The group of each pair; sorted."""
    value: Integers
    count: Integers

    @property
    def sizes(self) -> Integers:
        return np.bincount(self.index, self.count, len(self.owner)).astype(np.int64)

    @property
    def values(self) -> Integers:
        """Number of different values in each group."""
        return np.bincount(self.index, minlength=len(self.owner))

    @property
    def largest(self) -> Integers:
        maxima = np.zeros(len(self.owner), np.int64)
        np.maximum.at(maxima, self.index, self.count)
        return maxima

    @property
    def totals(self) -> Integers:
        return np.bincount(self.view.codes, minlength=self.view.values)

    def classes(self, violated: NDArray[np.bool_]) -> list[int]:
        return np.unique(self.owner[violated]).tolist()  # type: ignore[no-any-return]


def count_view(view: View, labels: Integers) -> ClassCounts:
    keys = (labels * view.groups + view.group) * view.values + view.codes
    pairs, count = np.unique(keys, return_counts=True)
    groups, index = np.unique(pairs // view.values, return_inverse=True)
    return ClassCounts(view, len(labels), groups // view.groups, index, pairs % view.values, count)


def violations(table: Table, specification: Specification, labels: Integers) -> dict[str, list[int]]:
    """Classes that violate each requested criterion, by its name; empty lists if none does."""
    return violations_in_views(sensitive_views(table, specification), specification.criteria, labels)


def violations_in_views(views: Sequence[View], criteria: Criteria, labels: Integers) -> dict[str, list[int]]:
    """As `violations`, for a table whose views are known."""
    by_criterion = {"k": np.flatnonzero(np.bincount(labels) < criteria.k).tolist()}
    for view in views:
        counts = count_view(view, labels)
        for name, classes in _violations_in_view(counts, criteria):
            by_criterion[name] = sorted({*by_criterion.get(name, []), *classes})
    return by_criterion


def _violations_in_view(counts: ClassCounts, criteria: Criteria) -> Iterator[tuple[str, list[int]]]:
    diversity = counts.view.diversity
    if diversity:
        yield "l", counts.classes(~DIVERSITY_TESTS[diversity.kind](counts, diversity))
    if not counts.view.whole:
        return
    if criteria.closeness is not None:
        yield "t", counts.classes(_scaled_distances(counts) * PARTS > criteria.closeness * _scale(counts))
    if criteria.max_frequency is not None:
        yield "max_frequency", counts.classes(counts.largest * PARTS > criteria.max_frequency * counts.sizes)
    if criteria.breach is not None:
        low, high = (Fraction(share, PARTS) for share in criteria.breach)
        yield "rho", [index for index in range(len(counts.owner)) if _is_breached(counts, index, low, high)]


def _is_distinct(counts: ClassCounts, diversity: Diversity) -> NDArray[np.bool_]:
    return np.asarray(counts.values >= diversity.least)


def _has_entropy(counts: ClassCounts, diversity: Diversity) -> NDArray[np.bool_]:
    shares = counts.count / counts.sizes[counts.index]
    entropy = np.bincount(counts.index, -shares * np.log(shares), len(counts.owner))
    return np.asarray(entropy >= np.log(diversity.least) - TOLERANCE)


def _is_recursive(counts: ClassCounts, diversity: Diversity) -> NDArray[np.bool_]:
    """r_1 < c (r_l + ... + r_m), with the counts r sorted in descending order."""
    order = np.lexsort((-counts.count, counts.index))
    first = np.concatenate([[0], np.cumsum(counts.values)[:-1]])
    rank = np.arange(len(order)) - first[counts.index]
    rare = np.where(rank >= diversity.least - 1, counts.count[order], 0)
    tail = np.bincount(counts.index, rare, len(counts.owner)).astype(np.int64)
    return np.asarray(counts.largest * PARTS < diversity.c * tail)


Diverse = Callable[[ClassCounts, Diversity], NDArray[np.bool_]]
DIVERSITY_TESTS: dict[DiversityKind, Diverse] = {
    DiversityKind.DISTINCT: _is_distinct,
    DiversityKind.ENTROPY: _has_entropy,
    DiversityKind.RECURSIVE: _is_recursive,
}


def class_distances(counts: ClassCounts) -> NDArray[np.object_]:
    """Earth mover's distance of each class to the whole table."""
    return np.asarray(_scaled_distances(counts) / _scale(counts))


def _scale(counts: ClassCounts) -> NDArray[np.object_]:
    """Factors that make earth mover's distances integers: class size times table size times steps."""
    steps = max(counts.view.values - 1, 1) if counts.view.ordered else 1
    return np.array([int(size) * counts.records * steps for size in counts.sizes], object)


def _scaled_distances(counts: ClassCounts) -> NDArray[np.object_]:
    """Earth mover's distance of each class to the whole table, times `_scale`."""
    by_owner, ends = [], np.searchsorted(counts.index, np.arange(len(counts.owner) + 1))
    totals, sizes = counts.totals, counts.sizes
    for index in range(len(counts.owner)):
        pairs = slice(ends[index], ends[index + 1])
        differences = -totals * sizes[index]
        differences[counts.value[pairs]] += counts.count[pairs] * counts.records
        moved = np.abs(np.cumsum(differences)) if counts.view.ordered else np.maximum(differences, 0)
        by_owner.append(int(moved.sum()))
    return np.array(by_owner, object)


def _largest_after(shares: Sequence[tuple[float, float]], room: float) -> float:
    """Upper bound, by the fractional knapsack, on the share in the class of values with at most the share `room` of the
    table; `shares`: of each value in the table and in the class."""
    total = 0.0
    for before, after in sorted(shares, key=lambda share: -share[1] / share[0]):
        taken = min(1.0, max(room, 0.0) / before)
        total += taken * after
        room -= before
    return total


def _is_breached(counts: ClassCounts, index: int, low: Fraction, high: Fraction) -> bool:
    """True if membership in this class breaches (rho1, rho2) for some set of values, by the definition."""
    begin, end = np.searchsorted(counts.index, [index, index + 1])
    inside = dict(zip(counts.value[begin:end].tolist(), counts.count[begin:end].tolist(), strict=True))
    totals = {value: total for value, total in enumerate(counts.totals.tolist()) if total}
    shares = [
        (total / counts.records, inside.get(value, 0) / (sum(inside.values())))
        for value, total in totals.items()
    ]
    if (
        max(
            _largest_after(shares, float(low)) - float(high),
            _largest_after(shares, 1 - float(high)) - 1 + float(low),
        )
        < -SURE
    ):
        return False
    prior = np.array([Fraction(total, counts.records) for total in totals.values()], object)
    law = np.array([[Fraction(inside.get(value, 0), total)] for value, total in totals.items()], object)
    return any(breach(prior, law, low, high) for breach in (upward_breach, downward_breach))


def reached_levels(table: Table, specification: Specification, labels: NDArray[np.int64]) -> dict[str, Any]:
    """The requested and the worst level of each criterion. `l`: the fewest distinct values, whatever its kind."""
    criteria = specification.criteria
    whole = [count_view(view, labels) for view in sensitive_views(table, specification) if view.whole]
    levels: dict[str, Any] = {"k": {"asked": criteria.k, "reached": int(np.bincount(labels).min())}}
    if criteria.diversity:
        least = min(int(counts.values.min()) for counts in whole)
        kind = criteria.diversity.kind.value
        levels["l"] = {"kind": kind, "asked": criteria.diversity.least, "reached": least}
    if criteria.closeness is not None:
        worst = max(float(class_distances(counts).max()) for counts in whole)
        levels["t"] = {"asked": criteria.closeness / PARTS, "reached": worst}
    if whole:
        share = max(float((counts.largest / counts.sizes).max()) for counts in whole)
        asked = None if criteria.max_frequency is None else criteria.max_frequency / PARTS
        levels["max_frequency"] = {"asked": asked, "reached": share}
    if criteria.breach:
        levels["rho"] = {"asked": [share / PARTS for share in criteria.breach]}
    return levels


# --- joint
# Joint classes: what somebody learns who has several releases of the same people.

ABSENT = -1
"""The label of a record that is not in a release."""


def label_equal_rows(*codes: NDArray[np.integer[Any]]) -> Integers:
    """Labels, numbered from 0 without gaps, that are equal for records with the same codes in all these columns."""
    labels = np.zeros(len(codes[0]), np.int64)
    for column in codes:
        keys = labels * (int(column.max(initial=0)) + 1) + column
        labels = np.unique(keys, return_inverse=True)[1].ravel().astype(np.int64)
    return labels


def joint_labels(*labels: Integers) -> Integers:
    """Labels of the records that agree in every release, numbered from 0; `labels`: one array for each release.

    A record that is absent from a release (-1) agrees there with all others that are absent; absent from all: -1.
    """
    combined = label_equal_rows(*(release.astype(np.int64) - ABSENT for release in labels))
    somewhere = np.any([release != ABSENT for release in labels], axis=0)
    joint = np.full(len(combined), ABSENT, np.int64)
    joint[somewhere] = np.unique(combined[somewhere], return_inverse=True)[1].ravel()
    return joint


def has_few(first: Integers, second: Integers, least: int) -> bool:
    """True if a cell of two disclosures together holds at least one record but fewer than `least`; absence from one of
    them is a label, too."""
    there = (first != ABSENT) | (second != ABSENT)
    return bool((np.bincount(joint_labels(first[there], second[there])) < least).any())


def joint_violations(
    table: Table, specification: Specification, releases: Sequence[Integers]
) -> dict[str, list[int]]:
    """Joint classes that violate each criterion, by its name; `table`: all records that any release holds."""
    labels = joint_labels(*releases)
    somewhere = np.flatnonzero(labels != ABSENT)
    return violations(table.at(somewhere), specification, labels[somewhere])


def joint_sizes(labels: Integers) -> Integers:
    """Size of the joint class of each record; 0 if it is in no release."""
    sizes = np.append(np.bincount(labels[labels != ABSENT]), 0)
    return sizes[labels]
