"""Full-domain generalisation: each column as a whole is published by one level of its hierarchy.

*samarati* finds all k-minimal generalisations with minimal required suppression, and the one that is preferred.
A generalisation is k-minimal if it keeps the criteria, no more records being left out than the specification allows,
and no generalisation below it does (docs/references.md: samarati-2001; docs/mathematics.md, Anonymised tables).

*datafly* is the simple baseline (Sweeney, 1998): the column with the most distinct values goes up a level until few
enough records are left out; what it finds need not be minimal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymised import AnonymisedTable, of_kept
from privacy.anonymity.losses import Partition, penalties
from privacy.anonymity.searches.suppression import Suppression, no_generalisation, upward
from privacy.anonymity.tables import hierarchies
from privacy.anonymity.tables.hierarchies import Hierarchy
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Codes, QuasiColumn, Table
from privacy.grammar.input_error import InputError, marked as _

# --- lattice
# Full-domain generalisation: the lattice of level vectors, one level for each quasi-identifier.
# Samarati, Protecting respondents' identities in microdata release, 2001; Ciriani, De Capitani di Vimercati,
# Foresti and Samarati, k-anonymity, 2007. Value generalisation: a value is replaced by a node above it. Domain
# generalisation: all values of a column are replaced by their nodes at one level (docs/mathematics.md,
# Anonymised tables).

Integers = NDArray[np.int64]
Levels = tuple[int, ...]
SPARSE = 8
"""Keys of up to this many times the number of records are numbered by counting, others by sorting."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A column at one level: the node of every value, numbered from 0, and the first and last value of each node."""

    nodes: Integers
    lows: Codes
    highs: Codes


def hierarchy_of(column: QuasiColumn) -> Hierarchy:
    """Of a category its own; of numbers intervals, of dates the calendar, of ordered choices runs."""
    if column.positions is None:
        assert column.hierarchy
        return column.hierarchy
    present = slice(len(column.texts) - column.has_missing)
    missing = column.texts[present.stop :]
    if column.is_date:
        return hierarchies.calendar(column.texts[present], column.name, missing)
    if column.is_number:
        return hierarchies.intervals(column.positions[present], column.texts[present], column.name, missing)
    return hierarchies.runs(column.texts[present], column.name, missing)


def domains_of(hierarchy: Hierarchy) -> tuple[Domain, ...]:
    """The domain of every level, from the values (0) to the root; `Hierarchy.level` for all values at once."""
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
    """The generalisations of the records with these `codes`; `domains` by column and level.

    A node is a vector of levels, which is also the distance vector of the generalised table to its original. A node is
    below another if none of its levels is higher. A strategy is a path from the bottom to the top, one level at a step.
    """

    codes: Codes
    domains: tuple[tuple[Domain, ...], ...]

    @property
    def top(self) -> Levels:
        """The node at which every column shows its root."""
        return tuple(len(levels) - 1 for levels in self.domains)

    @property
    def height(self) -> int:
        """The length of every strategy."""
        return sum(self.top)

    @property
    def size(self) -> int:
        """The number of nodes."""
        return prod(len(levels) for levels in self.domains)

    def distance_vector(self, record: int, other: int) -> Levels:
        """The lowest node at which two records show the same."""
        pairs = zip(self.domains, self.codes[record], self.codes[other], strict=True)
        return tuple(
            next(level for level, domain in enumerate(levels) if domain.nodes[here] == domain.nodes[there])
            for levels, here, there in pairs
        )

    def occurring(self, column: int, level: int) -> int:
        """How many nodes of this level occur in a column."""
        return len(np.unique(self.domains[column][level].nodes[np.unique(self.codes[:, column])]))

    def classes(self, levels: Levels) -> Integers:
        """The class of every record at a node: records that show the same. Numbered from 0 without gaps."""
        keys, number = np.zeros(len(self.codes), np.int64), 1
        for column, domain in zip(self.codes.T, self._at(levels), strict=True):
            if number * len(domain.lows) > SPARSE * len(keys):
                keys, number = dense(keys, number)
            keys = keys * len(domain.lows) + domain.nodes[column]
            number *= len(domain.lows)
        return dense(keys, number)[0]

    def partition(self, levels: Levels, places: Integers) -> Partition:
        """The classes of the records at these places; each shows the whole range of its nodes."""
        _names, first, labels = np.unique(
            self.classes(levels)[places], return_index=True, return_inverse=True
        )
        shown = self.codes[places[first]].T
        pairs = [
            (domain, domain.nodes[column]) for domain, column in zip(self._at(levels), shown, strict=True)
        ]
        lows = np.stack([domain.lows[nodes] for domain, nodes in pairs], axis=1)
        highs = np.stack([domain.highs[nodes] for domain, nodes in pairs], axis=1)
        return Partition(labels.ravel(), lows, highs)

    def _at(self, levels: Levels) -> list[Domain]:
        return [domains[level] for domains, level in zip(self.domains, levels, strict=True)]


def dense(keys: Integers, number: int) -> tuple[Integers, int]:
    """Keys below `number`, numbered again without gaps, and how many there are."""
    if number > SPARSE * len(keys):
        names, places = np.unique(keys, return_inverse=True)
        return places.ravel(), len(names)
    occurs = np.zeros(number, bool)
    occurs[keys] = True
    places = np.cumsum(occurs)
    return places[keys] - 1, int(places[-1])


def lattice_of(table: Table) -> Lattice:
    return Lattice(table.codes, tuple(domains_of(hierarchy_of(column)) for column in table.quasi))


# --- full domain

Nodes = NDArray[np.bool_]
"""A set of nodes of the lattice: one axis for each column, as long as the column has levels."""
Holds = Callable[[Levels], bool]
MOST_NODES = 100_000


@dataclass(frozen=True, slots=True)
class Generalisation:
    """A k-minimal node of the lattice, and how many records it leaves out."""

    levels: Levels
    suppressed: int


def samarati(table: Table, specification: Specification) -> AnonymisedTable:
    """The preferred k-minimal generalisation: least lost, then fewest left out, then the first level vector."""
    lattice = lattice_of(table)
    minimal = minimal_generalisations(lattice, table, specification)
    if not minimal:
        raise no_generalisation()
    suppression = Suppression(table, specification)
    return min(
        (_outcome(table, lattice, suppression, generalisation.levels) for generalisation in minimal),
        key=_loss,
    )


def _outcome(table: Table, lattice: Lattice, suppression: Suppression, levels: Levels) -> AnonymisedTable:
    kept = suppression.kept(lattice.classes(levels))
    assert kept is not None
    return of_kept(table, kept, lattice.partition(levels, kept))


def _loss(outcome: AnonymisedTable) -> tuple[float, int]:
    """NCP, a record that is left out being lost whole, and how many these are."""
    by_class = penalties(outcome.table, outcome.partition).mean(axis=1)
    shown = float(by_class[outcome.partition.labels].sum())
    return round((shown + outcome.suppressed) / outcome.source.records, 12), outcome.suppressed


def minimal_generalisations(
    lattice: Lattice, table: Table, specification: Specification
) -> list[Generalisation]:
    """All k-minimal generalisations, in the order of their level vectors."""
    if lattice.size > MOST_NODES:
        raise InputError(
            "quasi_identifiers",
            _(
                "%(count)s generalisations, more than %(most)s: take fewer columns or levels, or another method"
            ),
            count=lattice.size,
            most=MOST_NODES,
        )
    bound, suppression = Suppression(table, upward(specification)), Suppression(table, specification)
    shape = tuple(len(levels) for levels in lattice.domains)
    candidates = upward_closed(shape, lambda levels: bound.kept(lattice.classes(levels)) is not None)
    above, minimal = np.zeros(shape, bool), []
    for levels in sorted(map(tuple, np.argwhere(candidates).tolist()), key=sum):
        kept = None if above[levels] else suppression.kept(lattice.classes(levels))
        if kept is not None:
            minimal.append(Generalisation(levels, table.records - len(kept)))
            above[_up(levels)] = True
    return sorted(minimal, key=lambda generalisation: generalisation.levels)


def upward_closed(shape: Levels, holds: Holds) -> Nodes:
    """The nodes of a lattice of which something holds that holds of whatever is above them.

    By binary search over the height, along one strategy after another through the nodes that are not decided yet.
    """
    satisfied, undecided = np.zeros(shape, bool), np.ones(shape, bool)
    while undecided.any():
        path = _path(undecided)
        low, high = (
            0,
            len(path),
        )  # The paper's search: nothing holds below `low`, and it holds from `high` on.
        while low < high:
            middle = (low + high) // 2
            if holds(path[middle]):
                high = middle
                satisfied[_up(path[middle])] = True
                undecided[_up(path[middle])] = False
            else:
                low = middle + 1
                undecided[_down(path[middle])] = False
    return satisfied


def _path(undecided: Nodes) -> list[Levels]:
    """A part of a strategy: undecided nodes, from the first one up, the columns taken in turn."""
    levels = [int(index) for index in np.unravel_index(np.argmax(undecided), undecided.shape)]
    path, stuck, column = [tuple(levels)], 0, 0
    while stuck < len(levels):
        levels[column] += 1
        if levels[column] < undecided.shape[column] and undecided[tuple(levels)]:
            path.append(tuple(levels))
            stuck = 0
        else:
            levels[column] -= 1
            stuck += 1
        column = (column + 1) % len(levels)
    return path


def _up(levels: Levels) -> tuple[slice, ...]:
    """A node and all above it."""
    return tuple(slice(level, None) for level in levels)


def _down(levels: Levels) -> tuple[slice, ...]:
    """A node and all below it."""
    return tuple(slice(level + 1) for level in levels)


def datafly(table: Table, specification: Specification) -> AnonymisedTable:
    """Of columns with equally many values the first goes up."""
    lattice, suppression = lattice_of(table), Suppression(table, specification)
    levels = [0] * len(lattice.domains)
    while (kept := suppression.kept(lattice.classes(tuple(levels)))) is None:
        below = [column for column, top in enumerate(lattice.top) if levels[column] < top]
        if not below:
            raise no_generalisation()
        levels[max(below, key=lambda column: lattice.occurring(column, levels[column]))] += 1
    return of_kept(table, kept, lattice.partition(tuple(levels), kept))
