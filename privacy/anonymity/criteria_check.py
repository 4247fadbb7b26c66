"""Checks the criteria of an anonymised table (k-anonymity, l-diversity and others): lists violating classes.

The checks inside the searches (kernels/class_criteria.py) are independent: they read a histogram, this module
counts pairs of class and value. docs/mathematics.md, Anonymised tables.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.tables.specification import Criteria, Diversity, DiversityKind, Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import PARTS
from privacy.guarantee.breaches import downward_breach, upward_breach

Integers = NDArray[np.int64]
MOST_CELLS = 20_000
"""Most combinations of sensitive values of a table for multi-attribute l-diversity."""
TOLERANCE = 1e-9
"""Tolerance when entropies, in nats, are compared; all other criteria are compared in integers."""


SURE = 1e-6
"""Distance between bound and threshold of a breach beyond which no exact search is needed."""


class SensitiveView(NamedTuple):
    """A sensitive column for checking criteria: in the whole table, or in groups (multi-attribute form).

    `values`: number of different values. `codes`: the value of each record. `ordered`: True if t-closeness is
    for ordered values. `group`: the group of each record; records of a group agree in all other sensitive
    columns; `groups`: number of groups, 1 for the whole table. `diversity`: the l-diversity to check, if any.
    """

    name: str
    values: int
    codes: Integers
    ordered: bool
    group: Integers
    groups: int
    diversity: Diversity | None
    whole: bool
    """True if frequency cap, t-closeness and breaches are checked, which groups of records skip."""


def views_of_sensitive_columns(table: Table, specification: Specification) -> tuple[SensitiveView, ...]:
    """Returns the views of sensitive columns for checking criteria: whole columns, or groups of records.

    Groups are for multi-attribute l-diversity. Refuses a table with too many combinations of sensitive values.
    """
    diversity = specification.criteria.diversity
    joint = diversity is not None and diversity.joint
    views = []
    for index, (column, attribute) in enumerate(zip(table.sensitive, specification.sensitive, strict=True)):
        codes, alone = column.codes.astype(np.int64), np.zeros(table.records, np.int64)
        plain = None if joint else diversity
        views.append(
            SensitiveView(column.name, len(column.texts), codes, bool(attribute.order), alone, 1, plain, True)
        )
        if joint:
            others = [other.codes for at, other in enumerate(table.sensitive) if at != index]
            _rows, group = np.unique(np.stack(others, 1), axis=0, return_inverse=True)
            groups = int(group.max()) + 1
            views.append(
                SensitiveView(
                    column.name, len(column.texts), codes, False, group.ravel(), groups, diversity, False
                )
            )
    if sum(view.values * view.groups for view in views) > MOST_CELLS:
        raise InputError(
            "sensitive", _("more than %(most)s combinations of sensitive values"), most=MOST_CELLS
        )
    return tuple(views)


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Counts of the sensitive values in each equivalence class, or in each group of a view inside a class.

    A pair is a group with a value that occurs in it. `records`: number of records of the table. `value`,
    `count`: the value of each pair, and its number of records.
    """

    view: SensitiveView
    records: int
    class_of_group: Integers
    """The equivalence class of each group."""
    group_of_pair: Integers
    """The group of each pair; sorted."""
    value: Integers
    count: Integers

    @property
    def group_sizes(self) -> Integers:
        """Number of records of each group."""
        return np.bincount(self.group_of_pair, self.count, len(self.class_of_group)).astype(np.int64)

    @property
    def distinct_values(self) -> Integers:
        """Number of different values in each group."""
        return np.bincount(self.group_of_pair, minlength=len(self.class_of_group))

    @property
    def largest_counts(self) -> Integers:
        """Number of records of the most frequent value of each group."""
        maxima = np.zeros(len(self.class_of_group), np.int64)
        np.maximum.at(maxima, self.group_of_pair, self.count)
        return maxima

    @property
    def table_counts(self) -> Integers:
        """Number of records of each value in the whole table."""
        return np.bincount(self.view.codes, minlength=self.view.values)

    def violating_classes(self, violated: NDArray[np.bool_]) -> list[int]:
        """Returns the equivalence classes of the groups where `violated` is True, ascending and each once."""
        return np.unique(self.class_of_group[violated]).tolist()  # type: ignore[no-any-return]


def count_values_by_group(view: SensitiveView, labels: Integers) -> ClassCounts:
    """Counts the values of a sensitive column in each equivalence class, or in each group inside it.

    `view`: the column with its groups; `labels`: the class of each record.
    """
    keys = (labels * view.groups + view.group) * view.values + view.codes
    pairs, count = np.unique(keys, return_counts=True)
    groups, index = np.unique(pairs // view.values, return_inverse=True)
    return ClassCounts(view, len(labels), groups // view.groups, index, pairs % view.values, count)


def violations(table: Table, specification: Specification, labels: Integers) -> dict[str, list[int]]:
    """Returns the equivalence classes that violate each requested criterion, by name of the criterion.

    `labels`: the class of each record.
    """
    return violations_in_views(
        views_of_sensitive_columns(table, specification), specification.criteria, labels
    )


def violations_in_views(
    views: Sequence[SensitiveView], criteria: Criteria, labels: Integers
) -> dict[str, list[int]]:
    """Returns the equivalence classes that violate each criterion, by name of the criterion.

    `views`: the sensitive columns, from `views_of_sensitive_columns`. `labels`: the class of each record.
    """
    by_criterion = {"k": np.flatnonzero(np.bincount(labels) < criteria.k).tolist()}
    for view in views:
        counts = count_values_by_group(view, labels)
        for name, classes in _violations_in_view(counts, criteria):
            by_criterion[name] = sorted({*by_criterion.get(name, []), *classes})
    return by_criterion


def _violations_in_view(counts: ClassCounts, criteria: Criteria) -> Iterator[tuple[str, list[int]]]:
    """Yields the name of each criterion on a sensitive column, with the classes that violate it."""
    diversity = counts.view.diversity
    if diversity:
        yield "l", counts.violating_classes(~DIVERSITY_TESTS[diversity.kind](counts, diversity))
    if not counts.view.whole:
        return
    if criteria.closeness is not None:
        yield (
            "t",
            counts.violating_classes(
                _scaled_class_distances(counts) * PARTS
                > criteria.closeness * _integer_factor_of_distances(counts)
            ),
        )
    if criteria.max_frequency is not None:
        yield (
            "max_frequency",
            counts.violating_classes(
                counts.largest_counts * PARTS > criteria.max_frequency * counts.group_sizes
            ),
        )
    if criteria.breach is not None:
        low, high = (Fraction(share, PARTS) for share in criteria.breach)
        yield (
            "rho",
            [
                index
                for index in range(len(counts.class_of_group))
                if _breaches_posterior_limits(counts, index, low, high)
            ],
        )


def _keeps_distinct_diversity(counts: ClassCounts, diversity: Diversity) -> NDArray[np.bool_]:
    """Returns True for each group with at least l different sensitive values."""
    return np.asarray(counts.distinct_values >= diversity.least)


def _keeps_entropy_diversity(counts: ClassCounts, diversity: Diversity) -> NDArray[np.bool_]:
    """Returns True for each group whose sensitive values have an entropy, in nats, of at least ln l."""
    shares = counts.count / counts.group_sizes[counts.group_of_pair]
    entropy = np.bincount(counts.group_of_pair, -shares * np.log(shares), len(counts.class_of_group))
    return np.asarray(entropy >= np.log(diversity.least) - TOLERANCE)


def _keeps_recursive_diversity(counts: ClassCounts, diversity: Diversity) -> NDArray[np.bool_]:
    """Returns True for each group that keeps recursive (c, l)-diversity: r_1 < c (r_l + ... + r_m).

    r_1, r_2, ... are the counts of the sensitive values of the group in descending order.
    """
    order = np.lexsort((-counts.count, counts.group_of_pair))
    first = np.concatenate([[0], np.cumsum(counts.distinct_values)[:-1]])
    rank = np.arange(len(order)) - first[counts.group_of_pair]
    rare = np.where(rank >= diversity.least - 1, counts.count[order], 0)
    tail = np.bincount(counts.group_of_pair, rare, len(counts.class_of_group)).astype(np.int64)
    return np.asarray(counts.largest_counts * PARTS < diversity.c * tail)


Diverse = Callable[[ClassCounts, Diversity], NDArray[np.bool_]]
DIVERSITY_TESTS: dict[DiversityKind, Diverse] = {
    DiversityKind.DISTINCT: _keeps_distinct_diversity,
    DiversityKind.ENTROPY: _keeps_entropy_diversity,
    DiversityKind.RECURSIVE: _keeps_recursive_diversity,
}


def class_to_table_distances(counts: ClassCounts) -> NDArray[np.object_]:
    """Returns the earth mover's distance, 0 to 1, of each class's sensitive values from the whole table's."""
    return np.asarray(_scaled_class_distances(counts) / _integer_factor_of_distances(counts))


def _integer_factor_of_distances(counts: ClassCounts) -> NDArray[np.object_]:
    """Returns the factor that makes the earth mover's distance of each class an integer.

    The factor is class size times table size times steps.
    """
    steps = max(counts.view.values - 1, 1) if counts.view.ordered else 1
    return np.array([int(size) * counts.records * steps for size in counts.group_sizes], object)


def _scaled_class_distances(counts: ClassCounts) -> NDArray[np.object_]:
    """Returns the earth mover's distance of each class from the whole table, as an integer.

    The integer is the distance times `_integer_factor_of_distances`.
    """
    by_owner, ends = [], np.searchsorted(counts.group_of_pair, np.arange(len(counts.class_of_group) + 1))
    totals, sizes = counts.table_counts, counts.group_sizes
    for index in range(len(counts.class_of_group)):
        pairs = slice(ends[index], ends[index + 1])
        differences = -totals * sizes[index]
        differences[counts.value[pairs]] += counts.count[pairs] * counts.records
        moved = np.abs(np.cumsum(differences)) if counts.view.ordered else np.maximum(differences, 0)
        by_owner.append(int(moved.sum()))
    return np.array(by_owner, object)


def _upper_bound_of_class_share(shares: Sequence[tuple[float, float]], table_share: float) -> float:
    """Returns an upper bound of the class share of any set of values with a table share of at most `table_share`.

    `shares`: for each value its share in the table and in the class. The bound solves the fractional knapsack problem.
    """
    total = 0.0
    for before, after in sorted(shares, key=lambda share: -share[1] / share[0]):
        taken = min(1.0, max(table_share, 0.0) / before)
        total += taken * after
        table_share -= before
    return total


def _breaches_posterior_limits(counts: ClassCounts, index: int, low: Fraction, high: Fraction) -> bool:
    """Returns True if some set of values breaches (rho1, rho2) = (`low`, `high`) in the class at `index`.

    Such a set has a share of at most rho1 in the table and of rho2 or more in the class, or at least rho2 in
    the table and at most rho1 in the class.
    """
    begin, end = np.searchsorted(counts.group_of_pair, [index, index + 1])
    inside = dict(zip(counts.value[begin:end].tolist(), counts.count[begin:end].tolist(), strict=True))
    totals = {value: total for value, total in enumerate(counts.table_counts.tolist()) if total}
    shares = [
        (total / counts.records, inside.get(value, 0) / (sum(inside.values())))
        for value, total in totals.items()
    ]
    if (
        max(
            _upper_bound_of_class_share(shares, float(low)) - float(high),
            _upper_bound_of_class_share(shares, 1 - float(high)) - 1 + float(low),
        )
        < -SURE
    ):
        return False
    prior = np.array([Fraction(total, counts.records) for total in totals.values()], object)
    law = np.array([[Fraction(inside.get(value, 0), total)] for value, total in totals.items()], object)
    return any(breach(prior, law, low, high) for breach in (upward_breach, downward_breach))


def asked_and_reached_levels(
    table: Table, specification: Specification, labels: NDArray[np.int64]
) -> dict[str, Any]:
    """Returns the requested level of each criterion (`asked`), and the worst level of any class (`reached`).

    The result is JSON. `labels`: the class of each record. Reached l is the fewest distinct values, whatever the kind
    of diversity.
    """
    criteria = specification.criteria
    whole = [
        count_values_by_group(view, labels)
        for view in views_of_sensitive_columns(table, specification)
        if view.whole
    ]
    levels: dict[str, Any] = {"k": {"asked": criteria.k, "reached": int(np.bincount(labels).min())}}
    if criteria.diversity:
        least = min(int(counts.distinct_values.min()) for counts in whole)
        kind = criteria.diversity.kind.value
        levels["l"] = {"kind": kind, "asked": criteria.diversity.least, "reached": least}
    if criteria.closeness is not None:
        worst = max(float(class_to_table_distances(counts).max()) for counts in whole)
        levels["t"] = {"asked": criteria.closeness / PARTS, "reached": worst}
    if whole:
        share = max(float((counts.largest_counts / counts.group_sizes).max()) for counts in whole)
        asked = None if criteria.max_frequency is None else criteria.max_frequency / PARTS
        levels["max_frequency"] = {"asked": asked, "reached": share}
    if criteria.breach:
        levels["rho"] = {"asked": [share / PARTS for share in criteria.breach]}
    return levels


# --- joint
# Joint classes: what somebody learns who has several releases of the same people.

ABSENT = -1
"""Label of a record that is absent from a release."""


def label_equal_rows(*codes: NDArray[np.integer[Any]]) -> Integers:
    """Labels records by their codes, from 0: records with the same codes in all columns have one label."""
    labels = np.zeros(len(codes[0]), np.int64)
    for column in codes:
        keys = labels * (int(column.max(initial=0)) + 1) + column
        labels = np.unique(keys, return_inverse=True)[1].ravel().astype(np.int64)
    return labels


def joint_labels(*labels: Integers) -> Integers:
    """Labels the joint classes of several releases: sets of records that share a class in every release.

    Returns the label of each record, from 0. `labels`: for each release the class of each record. Absence from a
    release (-1) counts as a class of that release; records absent from all releases get the label -1.
    """
    combined = label_equal_rows(*(release.astype(np.int64) - ABSENT for release in labels))
    somewhere = np.any([release != ABSENT for release in labels], axis=0)
    joint = np.full(len(combined), ABSENT, np.int64)
    joint[somewhere] = np.unique(combined[somewhere], return_inverse=True)[1].ravel()
    return joint


def has_small_joint_class(first: Integers, second: Integers, least: int) -> bool:
    """Returns True if two releases have a joint class with at least one but fewer than `least` records.

    `first`, `second`: the class of each record in each release; absence (-1) counts as a class. Records that
    are absent from both do not count.
    """
    there = (first != ABSENT) | (second != ABSENT)
    return bool((np.bincount(joint_labels(first[there], second[there])) < least).any())


def joint_violations(
    table: Table, specification: Specification, releases: Sequence[Integers]
) -> dict[str, list[int]]:
    """Returns the joint classes of several releases that violate each criterion, by name of the criterion.

    `table`: all records that any release holds. `releases`: for each release the class of each record, -1 if absent.
    """
    labels = joint_labels(*releases)
    somewhere = np.flatnonzero(labels != ABSENT)
    return violations(table.take_records(somewhere), specification, labels[somewhere])


def joint_class_size_by_record(labels: Integers) -> Integers:
    """Returns for each record how many records have its label; 0 for a record in no release (label -1)."""
    sizes = np.append(np.bincount(labels[labels != ABSENT]), 0)
    return sizes[labels]
