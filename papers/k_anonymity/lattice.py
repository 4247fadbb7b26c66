"""Computes the generalisation lattice of race and ZIP: distance vectors, minimal generalisations.

docs/references.md: samarati-2001. The domains R0, R1 of race and Z0, Z1, Z2 of ZIP; the rows are the
widely quoted ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from papers.csv_and_example_tables import make_specification, make_table
from privacy.anonymity.searches.full_domain import minimal_generalisations
from privacy.anonymity.searches.lattice import Levels, build_lattice, nodes_above
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.json_node import PARTS

HEAD = ("race", "ZIP")
EVEN = tuple(product(("asian", "black", "white"), ("94138", "94139", "94141", "94142")))
"""Every pair of a race and a ZIP code, once each."""
UNEVEN = (
    ("asian", "94142"),
    ("asian", "94141"),
    ("asian", "94139"),
    ("asian", "94139"),
    ("asian", "94139"),
    ("black", "94138"),
    ("black", "94139"),
    ("white", "94139"),
    ("white", "94141"),
)
QUASI = (
    {"name": "race", "kind": "category"},
    {
        "name": "ZIP",
        "kind": "category",
        "hierarchy": {"9413*": ["94138", "94139"], "9414*": ["94141", "94142"]},
    },
)


@dataclass(frozen=True)
class LatticeCase:
    """An example table with k and MaxSup, the number of records that may be left out."""

    name: str
    rows: Sequence[tuple[str, str]]
    k: int
    most: int


CASES = (
    LatticeCase("twelve rows", EVEN, 2, 0),
    LatticeCase("twelve rows", EVEN, 3, 0),
    LatticeCase("nine rows", UNEVEN, 2, 0),
    LatticeCase("nine rows", UNEVEN, 2, 2),
)


@dataclass(frozen=True)
class LatticeNode:
    """A generalisation in the lattice: sizes of its classes, records in classes below k, and whether it is k-minimal.

    `distance`: its distance vector, which is its vector of levels. `admitted`: no more than MaxSup are below k.
    """

    case: str
    k: int
    most: int
    distance: Levels
    sizes: tuple[int, ...]
    below: int
    admitted: bool
    minimal: bool

    @property
    def name(self) -> str:
        """Name of the generalisation from its levels, such as R1Z0 (race level 1, ZIP level 0)."""
        race, code = self.distance
        return f"R{race}Z{code}"

    @property
    def height(self) -> int:
        return sum(self.distance)


@dataclass(frozen=True)
class RecordDistance:
    """Two of the nine example rows, and the lowest generalisation that makes them equal."""

    records: tuple[int, int]
    distance: Levels


def all_nodes() -> list[LatticeNode]:
    return [node for case in CASES for node in _build_case_nodes(case)]


def select_case_nodes(case: LatticeCase, candidates: Iterable[LatticeNode]) -> list[LatticeNode]:
    return [node for node in candidates if (node.case, node.k, node.most) == (case.name, case.k, case.most)]


def record_distances() -> list[RecordDistance]:
    """Returns for every two of the nine example rows the lowest generalisation that makes them equal."""
    lattice = build_lattice(_case_table(CASES[-1])[0])
    return [
        RecordDistance((first + 1, second + 1), lattice.distance_vector(first, second))
        for first, second in combinations(range(len(UNEVEN)), 2)
    ]


def paths_to_top(top: Levels) -> list[list[Levels]]:
    """Returns all paths from the bottom of the lattice to its top; each step raises one column by one level."""
    paths: list[list[Levels]] = [[(0,) * len(top)]]
    for _step in range(sum(top)):
        paths = [[*path, above] for path in paths for above in nodes_above(path[-1], top)]
    return paths


def _build_case_nodes(case: LatticeCase) -> list[LatticeNode]:
    table, specification = _case_table(case)
    lattice = build_lattice(table)
    minimal = set(minimal_generalisations(lattice, table, specification))
    nodes = []
    for levels in lattice.nodes:
        sizes = np.bincount(lattice.classes(levels))
        below = int(sizes[sizes < case.k].sum())
        sizes_first = tuple(sorted(sizes.tolist(), reverse=True))
        key = case.name, case.k, case.most
        nodes.append(LatticeNode(*key, levels, sizes_first, below, below <= case.most, levels in minimal))
    return nodes


def _case_table(case: LatticeCase) -> tuple[Table, Specification]:
    """Returns the table of a case and a specification that allows at most MaxSup records to be left out."""
    specification = make_specification(QUASI, k=case.k)
    share = -(-case.most * PARTS // len(case.rows))
    return make_table(specification, HEAD, case.rows), replace(specification, suppression=share)
