"""The criteria by their definitions, over lists of sensitive values, in fractions."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from math import log

import numpy as np

from privacy.anonymity.tables import hierarchies
from privacy.anonymity.tables.hierarchies import Hierarchy
from privacy.anonymity.tables.specification import Criteria, Diversity, DiversityKind, Specification
from privacy.anonymity.tables.table import QuasiColumn, Table


def diverse(values: Sequence[Hashable], asked: Diversity) -> bool:
    counts = sorted(Counter(values).values(), reverse=True)
    if len(counts) < asked.least:
        return False
    if asked.kind is DiversityKind.ENTROPY:
        return -sum(c / len(values) * log(c / len(values)) for c in counts) >= log(asked.least) - 1e-9
    if asked.kind is DiversityKind.RECURSIVE:
        return counts[0] < Fraction(asked.c, 10_000) * sum(counts[asked.least - 1 :])
    return True


def distance(values: Sequence[int], everybody: Sequence[int], possible: int, ordered: bool) -> Fraction:
    """Earth mover's distance of the values of a class to those of everybody."""
    moved, carried = Fraction(0), Fraction(0)
    for value in range(possible):
        difference = Fraction(values.count(value), len(values)) - Fraction(
            everybody.count(value), len(everybody)
        )
        carried += difference
        moved += abs(carried) / (possible - 1) if ordered else abs(difference) / 2
    return moved


def breached(values: Sequence[int], everybody: Sequence[int], low: Fraction, high: Fraction) -> bool:
    """Over every set of values."""
    occurring = sorted(set(everybody))
    for size in range(len(occurring) + 1):
        for chosen in combinations(occurring, size):
            before = Fraction(sum(map(everybody.count, chosen)), len(everybody))
            after = Fraction(sum(map(values.count, chosen)), len(values))
            if (before <= low and after >= high) or (before >= high and after <= low):
                return True
    return False


def keeps(table: Table, said: Specification, members: Sequence[int]) -> bool:
    """Whether these records are a class that keeps every criterion."""
    criteria: Criteria = said.criteria
    if len(members) < criteria.k:
        return False
    for place, (column, sensitive) in enumerate(zip(table.sensitive, said.sensitive, strict=True)):
        everybody = column.codes.tolist()
        values = [everybody[record] for record in members]
        if criteria.diversity:
            groups = defaultdict(list)
            for record in members:
                rest = [other.codes[record] for at, other in enumerate(table.sensitive) if at != place]
                groups[tuple(rest) if criteria.diversity.joint else ()].append(everybody[record])
            if not all(diverse(group, criteria.diversity) for group in groups.values()):
                return False
        cap = criteria.max_frequency
        if cap is not None and max(Counter(values).values()) > Fraction(cap, 10_000) * len(values):
            return False
        if criteria.closeness is not None:
            far = distance(values, everybody, len(column.texts), bool(sensitive.order))
            if len(column.texts) > 1 and far > Fraction(criteria.closeness, 10_000):
                return False
        if criteria.breach and breached(
            values, everybody, *(Fraction(share, 10_000) for share in criteria.breach)
        ):
            return False
    return True


# Full-domain generalisation by its definitions: every node of the lattice, class by class, in plain Python.

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
        return hierarchies.build_interval_hierarchy(column.positions, column.texts, "")
    return hierarchies.build_pairing_hierarchy(column.texts, "")


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
    rest = table.take_records(np.array(records, np.int64))
    classes = defaultdict(list)
    for place, record in enumerate(records):
        classes[seen[record]].append(place)
    wrong = [members for members in classes.values() if not keeps(rest, said, members)]
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
