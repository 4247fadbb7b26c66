"""Eleven rows on which weights decide between two generalisations that lose as much without them.

The rows of the utility paper's own example could not be had: these are ours, made for the same point.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from papers.publishing.specified import shown, specified, table_of
from privacy.anonymity.anonymised import of_labels
from privacy.anonymity.losses import weights_of
from privacy.anonymity.specification import Specification
from privacy.anonymity.table import Table

HEAD = ("age", "town", "illness")
ROWS = (
    (20, "Alder", "asthma"),
    (40, "Alder", "asthma"),
    (20, "Birch", "flu"),
    (40, "Birch", "flu"),
    (40, "Cedar", "flu"),
    (60, "Cedar", "asthma"),
    (40, "Damson", "gout"),
    (60, "Damson", "gout"),
    (60, "Alder", "asthma"),
    (60, "Alder", "flu"),
    (60, "Alder", "gout"),
)
TOWNS = {"North": ["Alder", "Birch"], "South": ["Cedar", "Damson"]}
GENERALISATIONS = {
    "ages together": (0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4),
    "towns together": (0, 1, 0, 1, 2, 3, 2, 3, 4, 4, 4),
}
"""The class of each row."""


@dataclass(frozen=True)
class UtilityWeight:
    """u_ij of a sensitive value i, for every quasi-identifier j."""

    value: str
    weights: dict[str, float]


@dataclass(frozen=True)
class WeighedGeneralisation:
    """One of the two generalisations: what its rows show, and what it loses."""

    name: str
    rows: list[list[str]]
    ncp: float
    ilp: float
    hasr: float


def weighed_specification() -> Specification:
    return specified(
        [{"name": "age", "kind": "number"}, {"name": "town", "kind": "category", "hierarchy": TOWNS}],
        sensitive=["illness"],
        weights="data",
        k=2,
    )


def weighed_table() -> Table:
    return table_of(weighed_specification(), HEAD, ROWS)


def weights() -> list[UtilityWeight]:
    """The matrix from the data."""
    table, (illness,) = weighed_table(), weighed_table().sensitive
    values, first = np.unique(illness.codes, return_index=True)
    matrix = weights_of(table, weighed_specification())[first]
    names = [column.name for column in table.quasi]
    return [
        UtilityWeight(illness.texts[value], dict(zip(names, row, strict=True)))
        for value, row in zip(values.tolist(), matrix.tolist(), strict=True)
    ]


def generalisations() -> list[WeighedGeneralisation]:
    return [_weighed(name, labels) for name, labels in GENERALISATIONS.items()]


def _weighed(name: str, labels: Sequence[int]) -> WeighedGeneralisation:
    said = weighed_specification()
    outcome = of_labels(weighed_table(), np.array(labels))
    lost = outcome.losses(said)
    return WeighedGeneralisation(name, shown(outcome), lost.ncp, lost.ilp, lost.hasr)
