"""The lattice of full-domain generalisations: vectors of levels, one level for each quasi-identifier.

Samarati, Protecting respondents' identities in microdata release, 2001; Ciriani, De Capitani di Vimercati, Foresti and
Samarati, k-anonymity, 2007. Value generalisation: a value is replaced by a node above it. Domain generalisation: all
values of a column are replaced by their nodes at one level (docs/mathematics.md, Anonymised tables).
"""

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.information_loss import Partition
from privacy.anonymity.tables import hierarchies
from privacy.anonymity.tables.hierarchies import Hierarchy
from privacy.anonymity.tables.table import Codes, QuasiColumn, Table

Integers = NDArray[np.int64]
Levels = tuple[int, ...]
SPARSE = 8
"""Ratio of keys to records below which keys are renumbered by counting, above by sorting."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A column generalised to one level of its hierarchy.

    `nodes`: for each value its node, numbered from 0. `lows`, `highs`: first and last value below each node.
    """

    nodes: Integers
    lows: Codes
    highs: Codes


def column_hierarchy(column: QuasiColumn) -> Hierarchy:
    """Returns the hierarchy by which a column is generalised.

    A category has a hierarchy; others get intervals of numbers, the calendar of dates, or runs of ordered choices.
    """
    if column.positions is None:
        assert column.hierarchy
        return column.hierarchy
    present = slice(len(column.texts) - column.has_missing)
    missing = column.texts[present.stop :]
    if column.is_date:
        return hierarchies.build_calendar_hierarchy(column.texts[present], column.name, missing)
    if column.is_number:
        return hierarchies.build_interval_hierarchy(
            column.positions[present], column.texts[present], column.name, missing
        )
    return hierarchies.build_pairing_hierarchy(column.texts[present], column.name, missing)


def level_domains(hierarchy: Hierarchy) -> tuple[Domain, ...]:
    """Returns the domain of every level of a hierarchy, from its values (level 0) to its root."""
    depths = np.zeros(len(hierarchy.labels), np.int64)
    above = np.arange(len(depths))
    while (above != hierarchy.root).any():
        depths += above != hierarchy.root
        above = hierarchy.parent[above]
    nodes = np.arange(hierarchy.leaves)
    domains = []
    for depth in range(int(depths[nodes].max()), -1, -1):
        nodes = np.where(depths[nodes] > depth, hierarchy.parent[nodes], nodes)
        own, places = np.unique(nodes, return_inverse=True)
        lows, highs = hierarchy.first[own].astype(np.int32), hierarchy.last[own].astype(np.int32)
        domains.append(Domain(places.ravel(), lows, highs))
    return tuple(domains)


@dataclass(frozen=True, slots=True)
class Lattice:
    """The lattice of full-domain generalisations of records with these `codes` (record x column).

    `domains`: by column and level. A node is a vector of levels, which is also the distance vector of the
    generalised table to its original. A node is below another if none of its levels is higher. A strategy is
    a path from the bottom to the top, one level at a step.
    """

    codes: Codes
    domains: tuple[tuple[Domain, ...], ...]

    @property
    def top(self) -> Levels:
        """The node at which every column shows the root of its hierarchy."""
        return tuple(len(levels) - 1 for levels in self.domains)

    @property
    def size(self) -> int:
        """Number of nodes of the lattice."""
        return prod(len(levels) for levels in self.domains)

    @property
    def nodes(self) -> list[Levels]:
        """All nodes, the lowest first."""
        every = product(*(range(height + 1) for height in self.top))
        return sorted(every, key=lambda levels: (sum(levels), levels))

    def distance_vector(self, first: int, second: int) -> Levels:
        """Returns the levels of the least generalisation that makes two records equal, by column."""
        pairs = zip(self.domains, self.codes[first], self.codes[second], strict=True)
        return tuple(
            next(level for level, domain in enumerate(levels) if domain.nodes[here] == domain.nodes[there])
            for levels, here, there in pairs
        )

    def count_shown_nodes(self, column: int, level: int) -> int:
        """Returns the number of different hierarchy nodes that the records show in a column at this level."""
        return len(np.unique(self.domains[column][level].nodes[np.unique(self.codes[:, column])]))

    def classes(self, levels: Levels) -> Integers:
        """Returns the equivalence class of each record if the columns are generalised to these levels."""
        keys, number = np.zeros(len(self.codes), np.int64), 1
        for column, domain in zip(self.codes.T, self._domains_at(levels), strict=True):
            if number * len(domain.lows) > SPARSE * len(keys):
                keys, number = renumber(keys, number)
            keys = keys * len(domain.lows) + domain.nodes[column]
            number *= len(domain.lows)
        return renumber(keys, number)[0]

    def partition(self, levels: Levels, indexes: Integers) -> Partition:
        """Returns the partition of some records into classes if columns are generalised to these levels."""
        _names, first, labels = np.unique(
            self.classes(levels)[indexes], return_index=True, return_inverse=True
        )
        shown = self.codes[indexes[first]].T
        pairs = [
            (domain, domain.nodes[column])
            for domain, column in zip(self._domains_at(levels), shown, strict=True)
        ]
        lows = np.stack([domain.lows[nodes] for domain, nodes in pairs], axis=1)
        highs = np.stack([domain.highs[nodes] for domain, nodes in pairs], axis=1)
        return Partition(labels.ravel(), lows, highs)

    def _domains_at(self, levels: Levels) -> list[Domain]:
        return [domains[level] for domains, level in zip(self.domains, levels, strict=True)]


def nodes_above(levels: Levels, top: Levels) -> list[Levels]:
    """Returns the nodes directly above a node: one column raised by one level."""
    return [
        (*levels[:column], level + 1, *levels[column + 1 :])
        for column, (level, most) in enumerate(zip(levels, top, strict=True))
        if level < most
    ]


def renumber(keys: Integers, number: int) -> tuple[Integers, int]:
    """Renumbers keys without gaps; returns the new keys, and the number of different keys.

    Keys are from 0 to `number` - 1.
    """
    if number > SPARSE * len(keys):
        names, places = np.unique(keys, return_inverse=True)
        return places.ravel(), len(names)
    occurs = np.zeros(number, bool)
    occurs[keys] = True
    places = np.cumsum(occurs)
    return places[keys] - 1, int(places[-1])


def build_lattice(table: Table) -> Lattice:
    """Builds the lattice of a table from the hierarchies of its quasi-identifiers."""
    return Lattice(table.codes, tuple(level_domains(column_hierarchy(column)) for column in table.quasi))
