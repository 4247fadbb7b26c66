"""With `exact` the engine that counts and the literal road through mlxtend come to the same."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from mining.counts import NONE
from mining.engines import bitmap, literal
from mining.engines.found import Found
from mining.engines.table import Table
from mining.parameters import Parameters
from mining.reconstruction import Counted
from mining.rules import Rules
from tests.mining.counting.by_hand import CACHE
from tests.mining.engines.surveyed import Answered, surveys

parameters = st.builds(
    Parameters,
    min_support=st.sampled_from([0.02, 0.1, 0.25, 0.4]),
    min_confidence=st.sampled_from([0.1, 0.5, 0.8]),
    estimator=st.sampled_from(["stratified", "pooled", "combined"]),
    exact=st.just(True),
    max_size=st.integers(1, 4),
    absences=st.booleans(),
    most=st.sampled_from([20, 300]),
)
runs = given(surveys(), parameters, st.booleans())
SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=12, **SETTINGS)  # type: ignore[arg-type]
@runs
def test_both_engines_agree(answered: Answered, wanted: Parameters, withhold: bool) -> None:
    agree(answered, wanted, withhold)


@pytest.mark.slow
@settings(max_examples=400, **SETTINGS)  # type: ignore[arg-type]
@runs
def test_both_engines_agree_on_many_surveys(answered: Answered, wanted: Parameters, withhold: bool) -> None:
    agree(answered, wanted, withhold)


@settings(max_examples=20, **SETTINGS)  # type: ignore[arg-type]
@runs
def test_the_default_pruning_finds_nothing_else(
    answered: Answered, wanted: Parameters, withhold: bool
) -> None:
    counter = answered.records(withhold=withhold).counter(CACHE)
    exact = bitmap.find(counter, replace(wanted, most=10_000))
    pruned = bitmap.find(counter, replace(wanted, most=10_000, exact=False))
    assert itemsets(pruned) <= itemsets(exact)


def agree(answered: Answered, wanted: Parameters, withhold: bool) -> None:
    records = answered.records(withhold=withhold)
    counter = records.counter(CACHE)
    ours, theirs = bitmap.find(counter, wanted), literal.find(records, counter, wanted)
    assert ours.frequent.itemsets.tolist() == theirs.frequent.itemsets.tolist()
    assert ours.frequent.levels == theirs.frequent.levels
    assert ours.frequent.stopped == theirs.frequent.stopped
    assert ours.frequent.supports.base.tolist() == theirs.frequent.supports.base.tolist()
    for name in ("support", "pooled", "observed"):
        alike(getattr(ours.frequent.supports, name), getattr(theirs.frequent.supports, name))
    road = literal.Road(Table.of(records), Counted(counter), wanted)
    measured = road.measured(theirs.frequent)
    sides = [tuple(map(frozenset, ours.rules.sides(row))) for row in range(len(ours.rules))]
    assert set(sides) == set(measured)
    divided = well_divided(ours.rules)
    for at, name in enumerate(literal.MEASURES):
        mlxtends = np.array([measured[side][at] for side in sides])  # type: ignore[index]
        values = getattr(ours.rules, name.replace(" ", "_"))
        if name == "conviction":
            # Where noise puts the confidence outside [0, 1] ours is null.
            mlxtends = np.where(np.isnan(values), np.nan, mlxtends)
        alike(values[divided], mlxtends[divided])


def well_divided(rules: Rules) -> np.ndarray:
    """Where no measure divides by what would be nothing but for rounding."""
    a, c, s = rules.antecedent_support, rules.consequent_support, rules.support
    below = (a, c, 1 - c, a - s, a + c - s, np.maximum(s * (1 - a), a * (c - s)))
    return np.asarray(np.min(np.abs(below), axis=0, initial=1.0) > 1e-6)


def alike(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def itemsets(found: Found) -> set[tuple[int, ...]]:
    return {tuple(number for number in row if number != NONE) for row in found.frequent.itemsets.tolist()}
