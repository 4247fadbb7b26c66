"""The covariances behind a rule are those of its sides' scores, record by record."""

from itertools import combinations
from math import erfc, prod, sqrt
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from mining.counts import Item
from mining.rules import rules
from mining.rules.errors import fieller
from tests.mining.listed import OPEN, Listed
from tests.mining.scores import asked, by_section, keep_and_chance, z
from tests.mining.strategies import answered, itemsets_of

Floats = NDArray[np.float64]


class Sides(NamedTuple):
    """Of the records of base(S): the scores of the two sides and of the whole, and weights."""

    a: Floats
    c: Floats
    s: Floats
    weights: Floats


def scored(listed: Listed, base: list[int], antecedent: list[Item], consequent: list[Item]) -> Sides:
    whole = sorted(antecedent + consequent)
    a, c, s = (np.array([z(listed, at, side) for at in base]) for side in (antecedent, consequent, whole))
    return Sides(a, c, s, np.ones(len(base)))


def with_less_of_the_whole(
    listed: Listed, base: list[int], antecedent: list[Item], consequent: list[Item], by: float
) -> Sides:
    """The same, and for each group records that take off that much support of S and no other set's.

    Those are records with every choice of what A and C have in each section, in alternating weights.
    """
    found = scored(listed, base, antecedent, consequent)
    columns = [column.tolist() for column in found]
    whole = sorted(antecedent + consequent)
    atoms = [part for side in (antecedent, consequent) for part in by_section(listed.design, side).values()]
    kept = prod(keep_and_chance(listed.design, part)[0] for part in by_section(listed.design, whole).values())
    for group in (0, 1):
        records = sum(int(listed.group[at]) == group for at in base)
        share = by if group == OPEN else by * kept
        for size in range(len(atoms) + 1):
            for chosen in combinations(range(len(atoms)), size):
                weight = -records * share * (-1) ** (len(atoms) - size)
                codes = np.array([question.not_asked for question in listed.design.questions])
                for at in chosen:
                    for place, code in atoms[at]:
                        codes[place] = code
                made_up = Listed(listed.design, np.array([group]), codes[:, None])
                for column, side in zip(columns, (antecedent, consequent, whole), strict=False):
                    column.append(z(made_up, 0, side))
                columns[3].append(weight)
    return Sides(*map(np.array, columns))


def covariance(sides: Sides, one: Floats, other: Floats) -> float:
    n = sides.weights.sum()
    mean = [(sides.weights * values).sum() / n for values in (one, other)]
    return float(((sides.weights * one * other).sum() / n - mean[0] * mean[1]) / n)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_everything_about_a_rule_is_what_the_scores_say(data: st.DataObject) -> None:
    listed = data.draw(answered(150))
    itemset = data.draw(itemsets_of(listed, least=2))
    base = asked(listed, itemset)
    if len(itemset) < 2 or not base:
        return
    found = rules(listed, [itemset], -np.inf, max_size=4)
    for row in range(len(found)):
        mask = int(found.antecedent[row])
        antecedent = [item for place, item in enumerate(itemset) if mask >> place & 1]
        consequent = [item for place, item in enumerate(itemset) if not mask >> place & 1]
        sides = scored(listed, base, antecedent, consequent)
        a, c, s = (float(values.mean()) for values in sides[:3])
        assert found.antecedent_support[row] == pytest.approx(a, abs=1e-12)
        assert found.support[row] == pytest.approx(s, abs=1e-12)
        assert found.leverage[row] == pytest.approx(s - a * c, abs=1e-12)
        var_a, var_c, var_s = (covariance(sides, values, values) for values in sides[:3])
        ac, as_, cs = (
            covariance(sides, sides.a, sides.c),
            covariance(sides, sides.a, sides.s),
            covariance(sides, sides.c, sides.s),
        )
        assert_bounds(found.confidence_low[row], found.confidence_high[row], (s, a, var_s, var_a, as_))
        spread = c**2 * var_a + a**2 * var_c + 2 * a * c * ac + var_a * var_c + ac**2
        assert_bounds(
            found.lift_low[row], found.lift_high[row], (s, a * c - ac, var_s, spread, c * as_ + a * cs)
        )
        psi = sides.s - c * sides.a - a * sides.c
        either_side = 1.96 * sqrt(max(covariance(sides, psi, psi), 0))
        assert found.leverage_low[row] == pytest.approx(s - a * c - either_side, abs=1e-8)
        lowered = with_less_of_the_whole(listed, base, antecedent, consequent, s - a * c)
        psi = lowered.s - c * lowered.a - a * lowered.c
        under_chance = covariance(lowered, psi, psi)
        if under_chance > 1e-12:
            p = erfc(abs(s - a * c) / sqrt(2 * under_chance))
            assert found.p[row] == pytest.approx(p, abs=1e-6)


def assert_bounds(low: float, high: float, moments: tuple[float, ...]) -> None:
    """Where the denominator is well clear of nothing, every bound makes the inequality an equality."""
    above, below, var_above, var_below, cov = moments
    if below <= 1.95 * sqrt(max(var_below, 0)):
        assert np.isnan(low)
    elif below > 1.97 * sqrt(max(var_below, 0)):
        for bound in (low, high):
            square = (above - bound * below) ** 2
            spread = 1.96**2 * (var_above - 2 * bound * cov + bound**2 * var_below)
            assert square == pytest.approx(spread, rel=1e-5, abs=1e-8 * (1 + bound**2))
        assert low <= above / below + 1e-9
        assert above / below <= high + 1e-9


def test_fieller_by_hand() -> None:
    # (2 - t)^2 <= 1.96^2 (.01 + .01 t^2): .961584 t^2 - 4 t + 3.961584 <= 0.
    low, high = fieller(*(np.array([value]) for value in (2.0, 1.0, 0.01, 0.01, 0.0)))
    assert low[0] == pytest.approx((4 - sqrt(16 - 4 * 0.961584 * 3.961584)) / (2 * 0.961584))
    assert high[0] == pytest.approx((4 + sqrt(16 - 4 * 0.961584 * 3.961584)) / (2 * 0.961584))


@pytest.mark.parametrize("below", [0.19, 0.0, -0.5])
def test_a_denominator_that_may_be_nothing_has_no_bounds(below: float) -> None:
    # 1.96 errors are .196.
    low, high = fieller(*(np.array([value]) for value in (0.3, below, 0.01, 0.01, 0.0)))
    assert np.isnan(low[0])
    assert np.isnan(high[0])
