"""Full-domain generalisation by its definitions: every node of the lattice, class by class, in plain Python."""

from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np

from privacy.anonymity.tables import hierarchies
from privacy.anonymity.tables.hierarchies import Hierarchy
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import QuasiColumn, Table
from tests.privacy.anonymity import brute

Levels = tuple[int, ...]
Shown = tuple[tuple[int, int], ...]
Ends = list[list[tuple[int, int]]]


@dataclass(frozen=True)
class Generalised:
    """A node of the lattice: what it leaves out, by record, and what every other record shows."""

    levels: Levels
    left_out: frozenset[int]
    shown: dict[int, Shown]


def hierarchy(column: QuasiColumn) -> Hierarchy:
    if column.hierarchy:
        return column.hierarchy
    assert column.positions is not None
    if column.is_number:
        return hierarchies.intervals(column.positions, column.texts, "")
    return hierarchies.runs(column.texts, "")


def chain(of: Hierarchy, leaf: int) -> tuple[int, ...]:
    """The nodes from a leaf to the root."""
    nodes = [leaf]
    while nodes[-1] != of.root:
        nodes.append(int(of.parent[nodes[-1]]))
    return tuple(nodes)


def height(of: Hierarchy) -> int:
    """How many levels there are above the leaves."""
    return max(len(chain(of, leaf)) for leaf in range(of.leaves)) - 1


def node_at(of: Hierarchy, leaf: int, level: int, top: int | None = None) -> int:
    """The node of a leaf at this level (domain generalisation): 0 is the leaf, `top` (the height) the root."""
    nodes, top = chain(of, leaf), height(of) if top is None else top
    return nodes[max(0, level - (top + 1 - len(nodes)))] if level < top else of.root


def ends(column: QuasiColumn) -> Ends:
    """By level and leaf the ends of its node."""
    of = hierarchy(column)
    top = height(of)
    nodes = [[node_at(of, leaf, level, top) for leaf in range(of.leaves)] for level in range(top + 1)]
    return [[(int(of.first[node]), int(of.last[node])) for node in at] for at in nodes]


def shown(table: Table, levels: Levels, every: list[Ends] | None = None) -> list[Shown]:
    """By record: the first and last value of the node of each column. `every`: the ends of each column."""
    every = every or [ends(column) for column in table.quasi]
    at = [of[level] for of, level in zip(every, levels, strict=True)]
    return [tuple(of[code] for of, code in zip(at, codes, strict=True)) for codes in table.codes.tolist()]


def generalised(
    table: Table, said: Specification, levels: Levels, every: list[Ends] | None = None
) -> Generalised | None:
    """Classes that violate are left out, first by what is asked of a class alone, then round by round by everything.

    None if more are left out than the specification allows.
    """
    seen = dict(enumerate(shown(table, levels, every)))
    alone = replace(said, criteria=replace(said.criteria, closeness=None, breach=None))
    out = violating(table, alone, seen)
    seen = {record: cells for record, cells in seen.items() if record not in out}
    while out := violating(table, said, seen):
        seen = {record: cells for record, cells in seen.items() if record not in out}
    left_out = frozenset(range(table.records)) - seen.keys()
    allowed = seen and Fraction(len(left_out), table.records) <= Fraction(said.suppression, 10_000)
    return Generalised(levels, left_out, seen) if allowed else None


def violating(table: Table, said: Specification, seen: dict[int, Shown]) -> set[int]:
    """The records in classes that violate a criterion, the shares being those of the records that are seen."""
    records = sorted(seen)
    rest = table.at(np.array(records, np.int64))
    classes = defaultdict(list)
    for place, record in enumerate(records):
        classes[seen[record]].append(place)
    wrong = [members for members in classes.values() if not brute.keeps(rest, said, members)]
    return {records[place] for members in wrong for place in members}


def tops(table: Table) -> Levels:
    return tuple(height(hierarchy(column)) for column in table.quasi)


def minimal(table: Table, said: Specification) -> list[Generalised]:
    """Of the whole lattice: the nodes that keep the criteria while none below them does."""
    every = [ends(column) for column in table.quasi]
    lattice = product(*(range(top + 1) for top in tops(table)))
    held = [found for levels in lattice if (found := generalised(table, said, levels, every))]
    return [one for one in held if not any(below(other.levels, one.levels) for other in held)]


def below(one: Levels, other: Levels) -> bool:
    return one != other and all(low <= high for low, high in zip(one, other, strict=True))
