"""Other judges of classes and of published files: the definitions, in fractions and plain Python, and pycanon."""

import gzip
import io
import warnings
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from math import log
from typing import BinaryIO

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from pycanon import anonymity

from jobs.progress_messages import Progress
from mining import table_file_anonymisation
from privacy.anonymity import published_file
from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.published_file import measure_published_file
from privacy.anonymity.tables import hierarchies
from privacy.anonymity.tables.hierarchies import Hierarchy
from privacy.anonymity.tables.specification import Criteria, Diversity, DiversityKind, Specification
from privacy.anonymity.tables.table import QuasiColumn, Table
from privacy.designs.formula_escape import escape_formula
from releases.lifecycle import making_job
from tests.privacy.anonymity.sample_tables import published_text


def is_diverse(values: Sequence[Hashable], asked: Diversity) -> bool:
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
        inside, outside = (Fraction(of.count(value), len(of)) for of in (values, everybody))
        difference = inside - outside
        carried += difference
        moved += abs(carried) / (possible - 1) if ordered else abs(difference) / 2
    return moved


def has_breach(values: Sequence[int], everybody: Sequence[int], low: Fraction, high: Fraction) -> bool:
    """Over every set of values."""
    occurring = sorted(set(everybody))
    for size in range(len(occurring) + 1):
        for chosen in combinations(occurring, size):
            before = Fraction(sum(map(everybody.count, chosen)), len(everybody))
            after = Fraction(sum(map(values.count, chosen)), len(values))
            if (before <= low and after >= high) or (before >= high and after <= low):
                return True
    return False


def is_class_allowed(table: Table, said: Specification, members: Sequence[int]) -> bool:
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
            if not all(is_diverse(group, criteria.diversity) for group in groups.values()):
                return False
        cap = criteria.max_frequency
        if cap is not None and max(Counter(values).values()) > Fraction(cap, 10_000) * len(values):
            return False
        if criteria.closeness is not None:
            far = distance(values, everybody, len(column.texts), bool(sensitive.order))
            if len(column.texts) > 1 and far > Fraction(criteria.closeness, 10_000):
                return False
        shares = [Fraction(share, 10_000) for share in criteria.breach or ()]
        if shares and has_breach(values, everybody, *shares):
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


def nodes_to_root(of: Hierarchy, leaf: int) -> tuple[int, ...]:
    """The nodes from a leaf to the root."""
    nodes = [leaf]
    while nodes[-1] != of.root:
        nodes.append(int(of.parent[nodes[-1]]))
    return tuple(nodes)


def height(of: Hierarchy) -> int:
    """How many levels there are above the leaves."""
    return max(len(nodes_to_root(of, leaf)) for leaf in range(of.leaves)) - 1


def node_at(of: Hierarchy, leaf: int, level: int, top: int | None = None) -> int:
    """The node of a leaf at this level (domain generalisation): 0 is the leaf, `top` (the height) the root."""
    nodes, top = nodes_to_root(of, leaf), height(of) if top is None else top
    return nodes[max(0, level - (top + 1 - len(nodes)))] if level < top else of.root


def node_ends(column: QuasiColumn) -> Ends:
    """By level and leaf the ends of its node."""
    of = hierarchy(column)
    top = height(of)
    nodes = [[node_at(of, leaf, level, top) for leaf in range(of.leaves)] for level in range(top + 1)]
    return [[(int(of.first[node]), int(of.last[node])) for node in at] for at in nodes]


def shown_ranges(table: Table, levels: Levels, every: list[Ends] | None = None) -> list[Shown]:
    """By record: the first and last value of the node of each column. `every`: the ends of each column."""
    every = every or [node_ends(column) for column in table.quasi]
    at = [of[level] for of, level in zip(every, levels, strict=True)]
    return [tuple(of[code] for of, code in zip(at, codes, strict=True)) for codes in table.codes.tolist()]


def generalise(
    table: Table, said: Specification, levels: Levels, every: list[Ends] | None = None
) -> Generalised | None:
    """Classes that violate are left out, first by what is asked of a class alone, then round by round by everything.

    None if more are left out than the specification allows.
    """
    seen = dict(enumerate(shown_ranges(table, levels, every)))
    alone = replace(said, criteria=replace(said.criteria, closeness=None, breach=None))
    out = violating_records(table, alone, seen)
    seen = {record: cells for record, cells in seen.items() if record not in out}
    while out := violating_records(table, said, seen):
        seen = {record: cells for record, cells in seen.items() if record not in out}
    left_out = frozenset(range(table.records)) - seen.keys()
    allowed = seen and Fraction(len(left_out), table.records) <= Fraction(said.suppression, 10_000)
    return Generalised(levels, left_out, seen) if allowed else None


def violating_records(table: Table, said: Specification, seen: dict[int, Shown]) -> set[int]:
    """The records in classes that violate a criterion, the shares being those of the records that are seen."""
    records = sorted(seen)
    rest = table.take_records(np.array(records, np.int64))
    classes = defaultdict(list)
    for place, record in enumerate(records):
        classes[seen[record]].append(place)
    wrong = [members for members in classes.values() if not is_class_allowed(rest, said, members)]
    return {records[place] for members in wrong for place in members}


def top_levels(table: Table) -> Levels:
    return tuple(height(hierarchy(column)) for column in table.quasi)


def minimal_nodes(table: Table, said: Specification) -> list[Generalised]:
    """Of the whole lattice: the nodes that keep the criteria while none below them does."""
    every = [node_ends(column) for column in table.quasi]
    lattice = product(*(range(top + 1) for top in top_levels(table)))
    held = [found for levels in lattice if (found := generalise(table, said, levels, every))]
    return [one for one in held if not any(is_strictly_below(other.levels, one.levels) for other in held)]


def is_strictly_below(one: Levels, other: Levels) -> bool:
    return one != other and all(low <= high for low, high in zip(one, other, strict=True))


# pycanon's k and l of a published file, held against ours: every file that a test publishes is asked.

DISTINCT = Diversity(DiversityKind.DISTINCT, 1)


def assert_pycanon_agrees(file: bytes, said: Specification) -> None:
    """pycanon, which has nothing but the file and the names of its columns, finds the k and l that we find.

    Every file can be read: cells are texts to it. It knows no missing value, so that an empty cell is one text.
    """
    frame = pd.read_csv(io.BytesIO(file), dtype=str, keep_default_na=False)
    quasi = [escape_formula(column.name) for column in said.quasi_identifiers]
    sensitive = [escape_formula(column.name) for column in said.sensitive]
    criteria = Criteria(said.criteria.k, DISTINCT if sensitive else None, max_frequency=None)
    measured = measure_published_file(io.BytesIO(file), "published", replace(said, criteria=criteria))
    found = measured["criteria"]
    with warnings.catch_warnings():
        # pycanon groups by a list of names, of which pandas warns where it has one.
        warnings.simplefilter("ignore", DeprecationWarning)
        k = anonymity.k_anonymity(frame, quasi)
        least = anonymity.l_diversity(frame, quasi, sensitive) if sensitive else 0
    assert found["k"]["reached"] == k >= said.criteria.k
    if sensitive:
        assert found["l"]["reached"] == least
        asked = said.criteria.diversity
        assert asked is None or asked.joint or least >= asked.least or asked.kind is DiversityKind.ENTROPY


def check(
    file: BinaryIO, name: str, outcome: AnonymisedTable, said: Specification, order: NDArray[np.int64]
) -> None:
    """The product's check of a published file, and then pycanon's."""
    published_file.check_published_table(file, name, outcome, said, order)
    file.seek(0)
    assert_pycanon_agrees(file.read(), said)


def check_published_file(
    outcome: AnonymisedTable, said: Specification, order: Sequence[int] | None = None, text: str | None = None
) -> str:
    """The published file, or this text in its place, after both checks."""
    order = range(len(outcome.kept)) if order is None else order
    text = published_text(outcome, order) if text is None else text
    check(io.BytesIO(text.encode()), "out.csv", outcome, said, np.array(order))
    return text


@contextmanager
def asked_of_every_file() -> Iterator[list[Specification]]:
    """Of all that the job of a release and the command publish in this process; yields what was asked so far."""
    found: list[Specification] = []
    write = making_job.write_checked_file

    def write_file(outcome: AnonymisedTable, said: Specification, progress: Progress) -> bytes:
        file = write(outcome, said, progress)
        assert_pycanon_agrees(gzip.decompress(file), said)
        found.append(said)
        return file

    def checked_twice(
        file: BinaryIO, name: str, outcome: AnonymisedTable, said: Specification, order: NDArray[np.int64]
    ) -> None:
        check(file, name, outcome, said, order)
        found.append(said)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making_job, "write_checked_file", write_file)
        patch.setattr(table_file_anonymisation, "check_published_table", checked_twice)
        yield found
