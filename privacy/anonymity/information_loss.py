"""Partitions of records into equivalence classes, and their information loss: NCP and others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.tables.specification import LEVELS, Specification
from privacy.anonymity.tables.table import Codes, Column, QuasiColumn, Table

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition of the records of a table into equivalence classes.

    `labels`: the class of each record. `lows`, `highs`: first and last code that a class shows, class x
    quasi-identifier. `suppressed`: for each class the column whose cells are suppressed, or -1; the class
    then shows all codes of that column.
    """

    labels: Integers
    lows: Codes
    highs: Codes
    suppressed: Integers | None = None

    @property
    def class_count(self) -> int:
        """Number of classes of the partition."""
        return len(self.lows)

    @property
    def sizes(self) -> Integers:
        """Number of records of each class."""
        return np.bincount(self.labels, minlength=self.class_count)

    def classes_with_suppressed_column(self, column: int) -> NDArray[np.bool_]:
        """Returns True for each class in which the cells of this column are suppressed."""
        return np.zeros(self.class_count, bool) if self.suppressed is None else self.suppressed == column


@dataclass(frozen=True, slots=True)
class ClassValues:
    """Counts of the values of one column in each equivalence class, as pairs of class and value, sorted.

    For each pair `owner` is the class, `value` the code, `count` the number of records.
    """

    owner: Integers
    value: Integers
    count: Integers

    @classmethod
    def from_classes(cls, classes: Partition, column: Column) -> "ClassValues":
        """Counts the values of a column in each class."""
        values = len(column.texts)
        pairs, count = np.unique(classes.labels * values + column.codes, return_counts=True)
        return cls(pairs // values, pairs % values, count)


def partition_from_labels(table: Table, labels: Integers) -> Partition:
    """Returns the partition with these classes, renumbered; each shows the least range of its records."""
    _names, labels = np.unique(labels, return_inverse=True)
    codes = table.codes
    order = np.argsort(labels, kind="stable")
    first = np.searchsorted(labels[order], np.arange(int(labels.max()) + 1))
    sorted_codes = codes[order]
    return Partition(
        labels.astype(np.int64),
        np.minimum.reduceat(sorted_codes, first, axis=0),
        np.maximum.reduceat(sorted_codes, first, axis=0),
    )


def certainty_penalties_by_class(table: Table, classes: Partition) -> Floats:
    """Returns the information loss (normalised certainty penalty, NCP) of each class and quasi-identifier.

    From 0 (a single value is shown) to 1 (the whole column). docs/mathematics.md, Anonymised tables.
    """
    columns = zip(table.quasi, classes.lows.T, classes.highs.T, strict=True)
    return np.stack([column.penalties(low, high) for column, low, high in columns], axis=1)


def loss_weights_by_record(table: Table, specification: Specification) -> Floats:
    """Returns the weight of each cell in the weighted information loss, record x quasi-identifier.

    The weight depends on the record's value in the first sensitive column (`utility_matrix`); or all weights are 1.
    """
    if specification.weights == "unit":
        return np.ones((table.records, len(table.quasi)))
    return np.ascontiguousarray(utility_matrix(table, specification)[table.sensitive[0].codes])


def utility_matrix(table: Table, specification: Specification) -> Floats:
    """Returns the utility matrix u, value of the first sensitive column x quasi-identifier, from 0 to 1.

    The specification holds an expert's matrix, or it is derived from the data (`_range_share_by_value`).
    """
    sensitive = table.sensitive[0]
    if isinstance(specification.weights, str):
        shares = [
            _range_share_by_value(column, sensitive.codes, len(sensitive.texts)) for column in table.quasi
        ]
        return np.stack(shares, axis=1)
    rows = [specification.weights.get(text, {}) for text in sensitive.texts]
    return np.array([[row.get(column.name, LEVELS) for column in table.quasi] for row in rows]) / LEVELS


def _range_share_by_value(column: QuasiColumn, values: Codes, count: int) -> Floats:
    """Returns, by sensitive value, the share of a column's range that the records with the value cover.

    For a category it is the share of the column's distinct values. `values`: the sensitive value of each record;
    `count`: number of sensitive values.
    """
    ranges = np.zeros(count)
    occurring = max(column.distinct_values, 1)
    for value in np.unique(values):
        codes = np.unique(column.codes[values == value])
        if column.positions is not None:
            ranges[value] = column.penalties(codes[:1], codes[-1:])[0]
        else:
            ranges[value] = len(codes) / occurring
    return ranges


@dataclass(frozen=True, slots=True)
class Losses:
    """Measures of the information that an anonymised table loses.

    `ncp`: mean NCP of all cells of quasi-identifiers; `ilp`: the same, weighted by the utility matrix;
    `columns`: mean NCP by column. `discernibility`: sum of the squared class sizes, where a record left out
    counts as if all were in its class. `hasr`: share of classes with a single sensitive value. `falsified`,
    `suppressed`: shares of the records with changed sensitive values and of those left out.
    """

    ncp: float
    ilp: float
    discernibility: int
    hasr: float
    falsified: float
    suppressed: float
    columns: dict[str, float]


def information_losses(
    table: Table, specification: Specification, classes: Partition, falsified: int = 0, suppressed: int = 0
) -> Losses:
    """Measures the information that the published records `table` lose in these equivalence `classes`.

    `falsified`: number of records with changed values; `suppressed`: number of further records that are left out.
    """
    by_class = certainty_penalties_by_class(table, classes)
    by_record = by_class[classes.labels]
    ilp = float((loss_weights_by_record(table, specification) * by_record).mean())
    sizes = classes.sizes
    everybody = table.records + suppressed
    return Losses(
        float(by_record.mean()),
        ilp,
        int((sizes.astype(object) ** 2).sum()) + suppressed * everybody,
        homogeneous_class_share(table, classes),
        falsified / everybody,
        suppressed / everybody,
        {column.name: float(by_record[:, at].mean()) for at, column in enumerate(table.quasi)},
    )


def homogeneous_class_share(table: Table, classes: Partition) -> float:
    """Returns HASR, the share of classes that have a single value in some sensitive column (homogeneity attack)."""
    single = np.zeros(classes.class_count, bool)
    for column in table.sensitive:
        single |= (
            np.bincount(ClassValues.from_classes(classes, column).owner, minlength=classes.class_count) == 1
        )
    return float(single.mean())
