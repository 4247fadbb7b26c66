"""Tables of parts for tests: random ones, and the same table for the code and for the loops."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from mining.inference import contingency_table
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, PLAIN, ContingencyTable
from mining.inference.score import SplitTests, Test, support_test
from tests.mining.inference.exact_table import ExactTable, Part, subsets, transitions_of
from tests.mining.inference.one_test import Question, What

OF_RULES: tuple[What, ...] = ("confidence", "converse", "lift")
HUNDREDTHS = (2, 5, 20, 50, 80, 95, 98)


def as_table(rows: Sequence[ExactTable]) -> ContingencyTable:
    """Tables of the same parts, one per row; their laws may differ."""
    sections = sorted(rows[0].keep)
    parts = tuple(
        contingency_table.ItemsetPart(
            ANTECEDENT if part.side == "A" else CONSEQUENT,
            PLAIN if part.section is None else sections.index(part.section),
        )
        for part in rows[0].parts
    )
    at_least = np.zeros((1 << len(parts), 2, len(rows)))
    for row, table in enumerate(rows):
        for cell, counts in table.at_least.items():
            at_least[sum(1 << bit for bit in cell), :, row] = counts
    keep = np.array([[float(table.keep[section]) for table in rows] for section in sections])
    noise = np.array([[float(table.parts[bit].noise) for table in rows] for bit in range(len(parts))])
    return ContingencyTable(parts, at_least, keep.reshape(-1, len(rows)), noise)


def scored(rows: Sequence[ExactTable], what: What) -> Test:
    table = as_table(rows)
    if what == "support":
        return support_test(table)
    of = SplitTests(table)
    return of.lift() if what == "lift" else of.confidence(CONSEQUENT if what == "converse" else ANTECEDENT)


def questions(rows: Sequence[ExactTable], what: What) -> list[Question]:
    return [Question(table, what) for table in rows]


Shape = list[tuple[Literal["A", "C"], int | None]]
"""Side and section of each part, those of a section next to each other; None: plain."""


@st.composite
def shapes(draw: st.DrawFn, kind: Literal["support", "rule"]) -> Shape:
    """One to four parts: of a rule each side has one at least, of a support all are of A."""
    most = draw(st.integers(1, 4))
    places: list[int | None] = [*([None] if draw(st.booleans()) else []), *range(most)]
    if kind == "support":
        return [("A", section) for section in places[:most]]
    sides = draw(st.lists(st.sampled_from(["A", "C", "AC"]), min_size=most, max_size=most))
    shape: Shape = [
        ("A" if side == "A" else "C", section)
        for section, of in zip(places, sides, strict=False)
        for side in of
    ][:4]
    present = {side for side, _section in shape}
    if present == {"A", "C"}:
        return shape
    other: Literal["A", "C"] = "C" if "A" in present else "A"
    return [*shape[:3], (other, shape[:3][-1][1] if draw(st.booleans()) else 9)]


@st.composite
def exact_tables(draw: st.DrawFn, kind: Literal["support", "rule"], most_rows: int = 3) -> list[ExactTable]:
    """Tables of one shape: groups that are empty, tiny or large, answers that are sure, rare or common."""
    shape = draw(shapes(kind))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    some = st.tuples(_records, _records).filter(any)
    return [_table(shape, rng, draw(some)) for _ in range(draw(st.integers(1, most_rows)))]


_records = st.sampled_from([0, 0, 1, 7, 30, 60, 200, 2_000, 20_000])


def _table(shape: Shape, rng: np.random.Generator, records: tuple[int, int]) -> ExactTable:
    parts = tuple(
        Part(
            side, section, Fraction(1 if section is None else _hundredths(rng), 1 if section is None else 100)
        )
        for side, section in shape
    )
    keep = {section: Fraction(_hundredths(rng), 100) for _side, section in shape if section is not None}
    every = subsets(frozenset(range(len(parts))))
    through = transitions_of(parts, tuple(keep.items()))
    sent = []
    for group, n in enumerate(records):
        true = rng.dirichlet(np.full(len(every), rng.choice([0.05, 0.3, 1.0])))
        # Now and then something that the disguise does not make of any people.
        share: NDArray[np.float64] = true if rng.random() < 0.2 else true @ through[group]
        sent.append(rng.multinomial(n, share / share.sum()))
    at_least = {
        cell: (
            sum(int(count) for other, count in zip(every, sent[0], strict=True) if cell <= other),
            sum(int(count) for other, count in zip(every, sent[1], strict=True) if cell <= other),
        )
        for cell in every
    }
    return ExactTable(parts, keep, at_least)


def _hundredths(rng: np.random.Generator) -> int:
    return int(rng.choice(HUNDREDTHS)) if rng.random() < 0.5 else int(rng.integers(2, 99))


def plausible(kind: Literal["support", "rule"], many: int, seed: int) -> list[ExactTable]:
    """Tables of two groups of at least 60, keep of .3 and more, whose estimates are possible and not at the edge."""
    rng = np.random.default_rng(seed)
    of_supports: list[Shape] = [[("A", 0)], [("A", 0), ("A", 1)], [("A", None), ("A", 0)]]
    of_rules: list[Shape] = [
        [("A", 0), ("C", 0)],
        [("A", 0), ("C", 1)],
        [("A", 0), ("C", 0), ("C", 1)],
        [("A", None), ("C", 0)],
    ]
    shapes = of_supports if kind == "support" else of_rules
    found: list[ExactTable] = []
    while len(found) < many:
        records = int(rng.choice([60, 400])), int(rng.choice([200, 2_000]))
        table = _table(shapes[len(found) % len(shapes)], rng, records)
        if min(table.keep.values()) >= Fraction(3, 10) and _is_possible(table, kind):
            found.append(table)
    return found


def _is_possible(table: ExactTable, kind: Literal["support", "rule"]) -> bool:
    a, c, s = (table.mean(sides) for sides in ("A", "C", "AC"))
    return 0.02 < s < 0.98 and (kind == "support" or s + 0.02 < min(a, c) <= max(a, c) < 0.98)
