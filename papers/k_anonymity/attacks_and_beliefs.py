"""Computes what document 001 says of attacks, beliefs and measures, on the eleven rows and on 003's medical table.

docs/references.md: yu-2016, sweeney-2002, samarati-2001, machanavajjhala-2006.
"""

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from math import log2, prod
from typing import Any

import numpy as np

from papers.csv_and_example_tables import csv_text, make_specification, make_table, published_cells_by_record
from papers.k_anonymity.eleven_example_rows import CLASSES, HEAD, QUASI, ROWS, entropy
from papers.k_anonymity.lattice import UNEVEN, LatticeNode
from papers.publishing import medical_table_linkage
from privacy.anonymity.anonymisation_result import outcome_from_labels
from privacy.anonymity.criteria_check import violations
from privacy.anonymity.risk.attacks import run_attacks, second_file_attack
from privacy.anonymity.risk.table_seen_by_attacker import ShownTable, read_shown_table
from privacy.anonymity.tables.specification import Specification

SPECIFICATION = make_specification(QUASI, sensitive=["problem"], k=2)


def _shown(
    specification: Specification, head: Sequence[str], rows: Sequence[Sequence[str]], complete: bool = True
) -> ShownTable:
    text = csv_text(head, rows).encode()
    return read_shown_table(io.BytesIO(text), "table", specification, complete=complete)


def attack_eleven_rows(rows: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Runs the product's attacks on a release of the eleven rows; the register names these eleven people."""
    people = [(f"t{number}", *row[:-1]) for number, row in enumerate(ROWS, 1)]
    register = _shown(SPECIFICATION, ("name", *HEAD[:-1]), people, complete=False)
    return run_attacks(_shown(SPECIFICATION, HEAD, rows), SPECIFICATION, register=register)


def join_medical_releases(reverse: bool = False) -> dict[str, Any]:
    """Joins the releases of 003's medical table at k = 2 and at l = 2; `reverse`: the second in reverse order."""
    releases = medical_table_linkage.make_releases()
    return _join(releases.anonymous.rows, releases.diverse.rows[:: -1 if reverse else 1])


def join_releases_of_two_times() -> dict[str, Any]:
    """Joins the release of the first four records of the medical table with the later one of all six, at k = 2."""
    earlier = medical_table_linkage.anonymize_medical_table(medical_table_linkage.MEDICAL[:4])
    return _join(published_cells_by_record(earlier), medical_table_linkage.make_releases().anonymous.rows)


def _join(first: Sequence[Sequence[str]], second: Sequence[Sequence[str]]) -> dict[str, Any]:
    head = medical_table_linkage.HEAD
    specification = make_specification(medical_table_linkage.QUASI, sensitive=["problem"], k=2)
    published, other = (_shown(specification, head, rows) for rows in (first, second))
    return second_file_attack(published, other, 2, lambda _share: None)


@dataclass(frozen=True)
class JoinedClasses:
    """One way to join the five classes: how many are left, distortion D and leakage L.

    `distortion` is NCP; `years`: mean squared distance of the years of birth from the middle of what is shown;
    `information`: mutual information of a person's problem and class, in bits; `worst`: largest fall of entropy.
    """

    classes: int
    distortion: float
    years: float
    information: float
    worst: float


def join_classes_in_all_ways() -> list[JoinedClasses]:
    """Returns all 52 ways to join the five classes of the eleven rows."""
    table = make_table(SPECIFICATION, HEAD, ROWS)
    own = [list(CLASSES).index(row[:-1]) for row in ROWS]
    every = entropy([row[-1] for row in ROWS])
    results = []
    for blocks in _set_partitions(len(CLASSES)):
        labels = [blocks[label] for label in own]
        groups = [
            [row for row, label in zip(ROWS, labels, strict=True) if label == block] for block in set(blocks)
        ]
        entropies = [entropy([row[-1] for row in group]) for group in groups]
        mean = sum(len(group) * bits for group, bits in zip(groups, entropies, strict=True)) / len(ROWS)
        years = [[int(row[1]) for row in group] for group in groups]
        squares = sum((year - (min(of) + max(of)) / 2) ** 2 for of in years for year in of)
        ncp = outcome_from_labels(table, np.array(labels)).information_losses(SPECIFICATION).ncp
        results.append(
            JoinedClasses(len(groups), ncp, squares / len(ROWS), every - mean, every - min(entropies))
        )
    return results


def _set_partitions(count: int, blocks: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yields all partitions of `count` things as the block of each, numbered by first occurrence."""
    if len(blocks) == count:
        yield blocks
        return
    for block in range(max(blocks, default=-1) + 2):
        yield from _set_partitions(count, (*blocks, block))


def least_distortion(joined: Sequence[JoinedClasses], most_bits: float) -> JoinedClasses:
    """Returns the solution of (4): of the ways with L of at most `most_bits`, the one with the least D."""
    return min((way for way in joined if way.information <= most_bits + 1e-9), key=lambda way: way.distortion)


def kullback_leibler_bits(first: Sequence[float], second: Sequence[float]) -> float:
    return sum(p * log2(p / q) for p, q in zip(first, second, strict=True) if p)


SAME_MOMENTS = (1 / 8, 0, 3 / 4, 0, 1 / 8), (1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16)
"""Two distributions over -2 to 2, both of the mean 0 and the variance 1."""


def posterior_by_counting(
    values: Sequence[str], person: Mapping[str, Fraction], anybody: Mapping[str, Fraction], value: str
) -> Fraction:
    """Returns the posterior belief (8) in a value, over all ways in which the values of a class belong to its people.

    `person`: f(s | q) of the person looked for; `anybody`: f(s | q*) of each other person of the class.
    """
    orders = set(permutations(values))
    weights = {
        order: person[order[0]] * prod((anybody[other] for other in order[1:]), start=Fraction(1))
        for order in orders
    }
    return sum((weight for order, weight in weights.items() if order[0] == value), start=Fraction(0)) / sum(
        weights.values()
    )


def posterior_by_theorem(
    values: Sequence[str], person: Mapping[str, Fraction], anybody: Mapping[str, Fraction], value: str
) -> Fraction:
    """Returns it by theorem 3.1: n(q*, s) f(s | q) / f(s | q*), over its sum over all s."""
    parts = {each: values.count(each) * person[each] / anybody[each] for each in person}
    return parts[value] / sum(parts.values())


def beliefs(rows: Sequence[Sequence[str]]) -> list[tuple[Fraction, Fraction]]:
    """Returns prior (7) and posterior (8) of every value in every class, with the shares of the table as prior."""
    table = Counter(row[-1] for row in ROWS)
    classes = Counter(tuple(row[:-1]) for row in rows)
    cells = Counter(map(tuple, rows))
    return [
        (Fraction(count, len(ROWS)), Fraction(cells[*quasi, value], size))
        for quasi, size in classes.items()
        for value, count in table.items()
    ]


def count_breaches(rows: Sequence[Sequence[str]], low: Fraction, high: Fraction) -> tuple[int, int, int]:
    """Returns how many beliefs break (rho1, rho2) upwards, downwards, and downwards as document 001 prints it."""
    pairs = beliefs(rows)
    return (
        sum(before < low and after > high for before, after in pairs),
        sum(before > 1 - low and after < 1 - high for before, after in pairs),
        sum(before < 1 - low and after > 1 - high for before, after in pairs),
    )


def minimal_nodes_as_printed(nodes: Sequence[LatticeNode]) -> list[LatticeNode]:
    """Returns the nodes that are k-minimal by line 232 of document 001, where a node is no smaller than itself."""
    admitted = [node for node in nodes if node.admitted]
    return [
        node
        for node in admitted
        if not any(all(map(int.__le__, each.distance, node.distance)) for each in admitted)
    ]


def most_records_that_keep_k(node: LatticeNode, k: int) -> int:
    """Returns the most of the nine rows that keep k at this generalisation, by trying all subsets, as (6) asks."""
    race, code = node.distance
    shown = [("*" if race else row[0], row[1][: (5, 4, 0)[code]]) for row in UNEVEN]
    for size in range(len(shown), 0, -1):
        for kept in combinations(shown, size):
            if min(Counter(kept).values()) >= k:
                return size
    return 0


def classes_below_multi_attribute_diversity() -> int:
    """Returns how many classes of the eleven rows break multi-attribute 2-diversity of birth and problem together."""
    quasi = [column for column in QUASI if column["name"] != "birth"]
    diversity = {"kind": "distinct", "value": 2, "joint": True}
    specification = make_specification(quasi, sensitive=["birth", "problem"], k=2, l=diversity)
    table = make_table(specification, HEAD, ROWS)
    cells = [(row[0], row[2], row[3]) for row in ROWS]
    labels = np.array([sorted(set(cells)).index(cell) for cell in cells])
    return len(violations(table, specification, labels)["l"])
