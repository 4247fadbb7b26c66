"""Twenty tables whose z, ends and p were computed elsewhere; the code gives them, and so do the loops."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mining.inference.contingency_table import CONSEQUENT
from mining.inference.intervals import lift_interval, share_interval, two_sided_p
from mining.inference.score_test import SplitTests
from mining.rules import measures
from tests.mining.inference import exact_table
from tests.mining.inference.exact_table import ExactTable, Part, Question, as_table, scored

FILE = Path(__file__).parents[2] / "vectors" / "intervals.json"
VECTORS = json.loads(FILE.read_text(encoding="utf-8"))["vectors"]
Z, END = 1e-5, 2e-6


def exact(vector: dict[str, Any]) -> ExactTable:
    section_of: dict[str, int | None] = {}
    noise: dict[str, Fraction] = {}
    keep: dict[int, Fraction] = {}
    for section in vector["design"]:
        sensitive = section["kind"] != "plain"
        for place, name in enumerate(section["questions"]):
            section_of[name] = len(keep) if sensitive else None
            noise[name] = Fraction(section["theta"][place]) if sensitive else Fraction(1)
        if sensitive:
            keep[len(keep)] = Fraction(section["keep"])
    parts = []
    for names in vector["parts"]:
        of = Fraction(1)
        for name in names:
            of *= noise[name]
        parts.append(Part("A" if names[0] in vector["A"] else "C", section_of[names[0]], of))
    at_least = {frozenset(row["at_least_parts"]): (row["open"], row["disguised"]) for row in vector["counts"]}
    return ExactTable(tuple(parts), keep, at_least)


CASES: list[tuple[str, ExactTable, exact_table.What, dict[str, Any]]] = [
    (f"{place} {what}", exact(vector), what, expected)
    for place, vector in enumerate(VECTORS)
    for what, expected in vector["expect"].items()
]


def test_there_are_twenty_with_supports_confidences_and_lifts() -> None:
    assert len(VECTORS) == 20
    assert {what for vector in VECTORS for what in vector["expect"]} == {"support", "confidence", "lift"}


def test_z(subtests: pytest.Subtests) -> None:
    for name, table, what, expected in CASES:
        with subtests.test(name):
            for t, z in expected["z"].items():
                assert scored([table], what).z(np.array([float(t)]))[0] == pytest.approx(z, abs=Z)
                assert Question(table, what).z(float(t)) == pytest.approx(z, abs=Z)


@pytest.mark.proof
def test_the_ends(subtests: pytest.Subtests) -> None:
    for name, table, what, expected in CASES:
        with subtests.test(name):
            test = scored([table], what)
            if what == "lift":
                (low,), (high,) = lift_interval(test, SplitTests(as_table([table])).records_lacking_side())
            else:
                (low,), (high,) = share_interval(test)
            of_loops = Question(table, what).interval()
            assert of_loops is not None
            assert low == pytest.approx(expected["low"], abs=END)
            assert of_loops[0] == pytest.approx(expected["low"], abs=END)
            none = expected["high"] is None
            assert high == pytest.approx(np.nan if none else expected["high"], abs=END, nan_ok=True)
            assert of_loops[1] == pytest.approx(np.inf if none else expected["high"], abs=END)


def test_the_estimate_and_p(subtests: pytest.Subtests) -> None:
    for name, table, what, expected in CASES:
        with subtests.test(name):
            estimate = pytest.approx(expected["estimate"], abs=END)
            if what == "support":
                assert scored([table], what).estimate[0] == estimate
                continue
            sides = SplitTests(as_table([table]))
            a, c, s = sides.supports
            if what == "confidence":
                assert measures.confidence(s, a)[0] == estimate
                continue
            assert measures.lift(s, a, c)[0] == estimate
            p = pytest.approx(expected["p"], abs=END)
            assert two_sided_p(sides.lift().z(np.ones(1)))[0] == p
            assert exact_table.two_sided(Question(table, what).z(1.0)) == p
            assert sides.confidence(CONSEQUENT).estimate[0] == s[0]
