"""Rules of the pooled and the combined estimator: the groups' means in weights that stand still."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from mining.counts import Item
from mining.reconstruction import reconstruct
from mining.rules import rules
from mining.rules.table import Rules
from tests.mining.listed import Listed
from tests.mining.scores import Inversion, applies, asked, by_section, keep_and_chance, z
from tests.mining.strategies import answered, itemsets_of
from tests.privacy.questionnaires import HALF, design, question, sensitive

Floats = NDArray[np.float64]


def sides(found: Rules, row: int, itemset: tuple[Item, ...]) -> tuple[list[Item], list[Item], list[Item]]:
    mask = int(found.antecedent[row])
    first = [item for place, item in enumerate(itemset) if mask >> place & 1]
    return first, [item for item in itemset if item not in first], list(itemset)


def by_inversion(listed: Listed, base: list[int], items: list[Item]) -> Floats:
    """Each record's part in the pooled support on base(S); those to whom the items do not apply have none."""
    if not any(applies(listed, at, items) for at in base):
        return np.zeros(len(base))
    inversion = Inversion(listed, base, items)
    of = dict(zip(inversion.records, inversion.scores(inversion.everything), strict=True))
    return np.array([of.get(at, 0.0) for at in base])


def assert_fieller(low: float, high: float, above: float, below: float, covs: tuple[float, ...]) -> None:
    """`covs` are the variance of what is above, the covariance, the variance of what is below."""
    spread = sqrt(max(covs[2], 0))
    if below < 1.9 * spread:
        assert np.isnan(low)
    elif below > 2.02 * spread:
        for bound in (low, high):
            of = 1.96**2 * (covs[0] - 2 * bound * covs[1] + bound**2 * covs[2])
            assert (above - bound * below) ** 2 == pytest.approx(of, rel=1e-5, abs=1e-8 * (1 + bound**2))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_pooled_rules_are_made_of_the_inversion_of_each_side(data: st.DataObject) -> None:
    listed = data.draw(answered(150))
    itemset = data.draw(itemsets_of(listed, least=2))
    base = asked(listed, itemset)
    if len(itemset) < 2 or not base:
        return
    group = listed.group[base]
    found = rules(listed, [itemset], -np.inf, "pooled", max_size=4)
    for row in range(len(found)):
        scores = [by_inversion(listed, base, side) for side in sides(found, row, itemset)]
        a, c, s = (float(values.mean()) for values in scores)
        assert found.antecedent_support[row] == pytest.approx(a, abs=1e-10)
        assert found.consequent_support[row] == pytest.approx(c, abs=1e-10)
        assert found.support[row] == pytest.approx(s, abs=1e-10)
        covs = np.zeros((3, 3))
        for of in (0, 1):
            if (group == of).any():
                # n_g / n squared, over n_g.
                covs += np.cov([values[group == of] for values in scores], bias=True) * (group == of).sum()
        covs /= len(base) ** 2
        bounds = found.confidence_low[row], found.confidence_high[row]
        assert_fieller(*bounds, s, a, (covs[2, 2], covs[0, 2], covs[0, 0]))


def common(listed: Listed, base: list[int], items: list[Item]) -> tuple[Floats, float, Floats]:
    """The scores, their combined mean after three rounds, and the groups' weights there."""
    scores = np.array([z(listed, at, items) for at in base])
    groups = [scores[listed.group[base] == of] for of in (0, 1)]
    means = [of.mean() if len(of) else 0.0 for of in groups]
    slopes = [1.0, 1.0]
    for part in by_section(listed.design, items).values():
        p, c = keep_and_chance(listed.design, part)
        slopes[1] *= (1 - 2 * c) / p

    def certainty(support: float) -> Floats:
        at = min(max(support, 0.5 / len(base)), 1 - 0.5 / len(base))
        found = np.zeros(2)
        for of, (mine, slope) in enumerate(zip(groups, slopes, strict=True)):
            if len(mine):
                constant = (mine**2).mean() - slope * mine.mean()
                found[of] = len(mine) / (max(constant + slope * at, at) - at**2)
        return np.asarray(found / found.sum())

    support = float(scores.mean())
    for _ in range(3):
        support = float(certainty(support) @ means)
    return scores, support, certainty(support)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_combined_rules_weigh_the_groups_of_each_side(data: st.DataObject) -> None:
    listed = data.draw(answered(150))
    itemset = data.draw(itemsets_of(listed, least=2))
    base = asked(listed, itemset)
    if len(itemset) < 2 or not base:
        return
    group = listed.group[base]
    found = rules(listed, [itemset], -np.inf, "combined", max_size=4)
    for row in range(len(found)):
        of_sides = [common(listed, base, side) for side in sides(found, row, itemset)]
        a, c, s = (support for _, support, _ in of_sides)
        assert found.antecedent_support[row] == pytest.approx(a, abs=1e-8)
        assert found.consequent_support[row] == pytest.approx(c, abs=1e-8)
        assert found.support[row] == pytest.approx(s, abs=1e-8)
        covs = np.zeros((3, 3))
        for of in (0, 1):
            mine = group == of
            if mine.any():
                weights = np.array([weight[of] for _, _, weight in of_sides])
                values = np.array([scores[mine] for scores, _, _ in of_sides])
                covs += np.outer(weights, weights) * np.cov(values, bias=True) / mine.sum()
        bounds = found.confidence_low[row], found.confidence_high[row]
        assert_fieller(*bounds, s, a, (covs[2, 2], covs[0, 2], covs[0, 0]))


def test_the_whole_has_the_support_of_the_itemset() -> None:
    rng = np.random.default_rng(1)
    two = design(sensitive("0.4", question("a", *HALF)), sensitive("0.7", question("b", *HALF)))
    listed = Listed(two, rng.integers(0, 2, 500), rng.integers(0, 2, (2, 500)))
    itemset = ((0, 1), (1, 1))
    for estimator in ("stratified", "pooled", "combined"):
        found = rules(listed, [itemset], -np.inf, estimator, max_size=2)
        alone = reconstruct(listed, [itemset], estimator)
        assert found.support == pytest.approx(np.repeat(alone.support, 2), abs=1e-12)
