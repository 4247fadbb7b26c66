"""Partitions and what they lose: penalties by class and column, weights, discernibility, homogeneous classes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.tables.specification import LEVELS, Specification
from privacy.anonymity.tables.table import Codes, Column, QuasiColumn, Table

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Partition:
    """The class of each record, and what each class shows: all codes from `lows` to `highs`, by column.

    `suppressed`: of each class the column whose cells are suppressed, or -1; the codes of that column are then all.
    """

    labels: Integers
    lows: Codes
    highs: Codes
    suppressed: Integers | None = None

    @property
    def number(self) -> int:
        return len(self.lows)

    @property
    def sizes(self) -> Integers:
        return np.bincount(self.labels, minlength=self.number)

    def hidden(self, column: int) -> NDArray[np.bool_]:
        """True for the classes in which the cells of this column are suppressed."""
        return np.zeros(self.number, bool) if self.suppressed is None else self.suppressed == column


@dataclass(frozen=True, slots=True)
class ClassValues:
    """The pairs of class (`owner`) and value that occur, sorted by both, and the number of their records."""

    owner: Integers
    value: Integers
    count: Integers

    @classmethod
    def of(cls, classes: Partition, column: Column) -> "ClassValues":
        values = len(column.texts)
        pairs, count = np.unique(classes.labels * values + column.codes, return_counts=True)
        return cls(pairs // values, pairs % values, count)


def partition_from_labels(table: Table, labels: Integers) -> Partition:
    """The partition with these classes, renumbered without gaps; each shows the least that covers its records."""
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


def penalties(table: Table, classes: Partition) -> Floats:
    """NCP by class and column (docs/mathematics.md, Anonymised tables)."""
    columns = zip(table.quasi, classes.lows.T, classes.highs.T, strict=True)
    return np.stack([column.penalties(low, high) for column, low, high in columns], axis=1)


def record_weights(table: Table, specification: Specification) -> Floats:
    """u_ij by record and column, i being the record's sensitive value and j the quasi-identifier."""
    if specification.weights == "unit":
        return np.ones((table.records, len(table.quasi)))
    return np.ascontiguousarray(utility_matrix(table, specification)[table.sensitive[0].codes])


def utility_matrix(table: Table, specification: Specification) -> Floats:
    """u_ij by value i of the first sensitive column and quasi-identifier j: an expert's, or else from the data."""
    sensitive = table.sensitive[0]
    if isinstance(specification.weights, str):
        shares = [_range_shares(column, sensitive.codes, len(sensitive.texts)) for column in table.quasi]
        return np.stack(shares, axis=1)
    rows = [specification.weights.get(text, {}) for text in sensitive.texts]
    return np.array([[row.get(column.name, LEVELS) for column in table.quasi] for row in rows]) / LEVELS


def _range_shares(column: QuasiColumn, values: Codes, count: int) -> Floats:
    """Share of the column's range, or of its distinct values, that occurs with each sensitive value."""
    ranges = np.zeros(count)
    occurring = max(column.occurring, 1)
    for value in np.unique(values):
        codes = np.unique(column.codes[values == value])
        if column.positions is not None:
            ranges[value] = column.penalties(codes[:1], codes[-1:])[0]
        else:
            ranges[value] = len(codes) / occurring
    return ranges


@dataclass(frozen=True, slots=True)
class Losses:
    """`ncp` and `ilp`: means over records and quasi-identifiers; `columns`: NCP of each; `hasr`: share of classes."""

    ncp: float
    ilp: float
    discernibility: int
    hasr: float
    falsified: float
    suppressed: float
    columns: dict[str, float]


def losses(
    table: Table, specification: Specification, classes: Partition, falsified: int = 0, suppressed: int = 0
) -> Losses:
    """Losses of the published records `table`, if `suppressed` further records are left out."""
    by_class = penalties(table, classes)
    by_record = by_class[classes.labels]
    ilp = float((record_weights(table, specification) * by_record).mean())
    sizes = classes.sizes
    everybody = table.records + suppressed
    return Losses(
        float(by_record.mean()),
        ilp,
        int((sizes.astype(object) ** 2).sum()) + suppressed * everybody,
        homogeneous_share(table, classes),
        falsified / everybody,
        suppressed / everybody,
        {column.name: float(by_record[:, at].mean()) for at, column in enumerate(table.quasi)},
    )


def homogeneous_share(table: Table, classes: Partition) -> float:
    """HASR: share of classes with a single value in some sensitive column, which the homogeneity attack reveals."""
    single = np.zeros(classes.number, bool)
    for column in table.sensitive:
        single |= np.bincount(ClassValues.of(classes, column).owner, minlength=classes.number) == 1
    return float(single.mean())
