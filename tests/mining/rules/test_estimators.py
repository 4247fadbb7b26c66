"""Rules of the pooled and the combined estimator: the groups' means in weights that stand still."""

from math import erfc, sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from numpy.typing import NDArray

from mining.queries_and_counters import Item
from mining.reconstruction import reconstruct
from mining.rules import Rules, rules
from mining.rules.pooled_and_combined_estimates import Ratio
from tests.mining.listed import Listed, sides
from tests.mining.rules.test_scores import OFTEN_NOTHING
from tests.mining.scores import Inversion, Records, by_section, eligible, keep_and_chance, z
from tests.mining.strategies import answered, itemsets_of
from tests.privacy.questionnaires import HALF, design, question, sensitive

Floats = NDArray[np.float64]


def by_inversion(listed: Listed, records: Records, items: tuple[Item, ...]) -> Floats:
    """Each record's part in the pooled support among these, to all of whom the items apply."""
    inversion = Inversion(listed, records, items)
    assert (inversion.records == records).all()
    return inversion.scores(inversion.everything)


class Moments:
    """Of A, C and S: supports and covariances."""

    def __init__(self, supports: list[float], covs: Floats) -> None:
        self.a, self.c, self.s = supports
        self.covs = covs

    def of_confidence(self) -> tuple[float, float, float, float, float]:
        """Above and below, the variance above, the covariance, the variance below."""
        return self.s, self.a, self.covs[2, 2], self.covs[0, 2], self.covs[0, 0]

    def of_lift(self) -> tuple[float, float, float, float, float]:
        a, c, covs = self.a, self.c, self.covs
        spread = c**2 * covs[0, 0] + a**2 * covs[1, 1] + 2 * a * c * covs[0, 1]
        spread += covs[0, 0] * covs[1, 1] + covs[0, 1] ** 2
        below = a * c - covs[0, 1]
        return self.s, below, covs[2, 2], c * covs[0, 2] + a * covs[1, 2], spread


def assert_rule(found: Rules, row: int, of: Moments) -> None:
    assert found.antecedent_support[row] == pytest.approx(of.a, abs=1e-8)
    assert found.consequent_support[row] == pytest.approx(of.c, abs=1e-8)
    assert found.share[row] == pytest.approx(of.s, abs=1e-8)
    assert_fieller((found.confidence_low[row], found.confidence_high[row]), of.of_confidence(), cut=True)
    assert_fieller((found.lift_low[row], found.lift_high[row]), of.of_lift(), cut=False)
    above, below, first, between, last = of.of_lift()
    variance = first - 2 * between + last
    if variance > 1e-10:
        p = erfc(abs(above - below) / sqrt(2 * variance))
        assert found.p[row] == pytest.approx(p, rel=1e-4, abs=1e-6)


def assert_fieller(bounds: tuple[float, float], of: tuple[float, ...], *, cut: bool) -> None:
    """Where the denominator is well clear of nothing, both ends solve the equation, cut to [0, 1] or not."""
    above, below, var_above, cov, var_below = of
    spread = sqrt(max(var_below, 0))
    if below < 1.9 * spread:
        assert np.isnan(bounds).all()
    elif below > 2.1 * spread and below > 1e-3:
        square = 1.96**2
        roots = np.roots(
            [
                below**2 - square * var_below,
                -2 * (above * below - square * cov),
                above**2 - square * var_above,
            ]
        )
        expected = np.sort(roots.real)
        if cut:
            expected = np.clip(expected, 0, 1)
        assert bounds == pytest.approx(expected, rel=1e-4, abs=1e-5)


@pytest.mark.proof
@settings(suppress_health_check=OFTEN_NOTHING)
@given(st.data())
def test_pooled_rules_are_made_of_the_inversion_of_each_side(data: st.DataObject) -> None:
    listed = data.draw(answered(200))
    itemset = data.draw(itemsets_of(listed, least=2))
    found = rules(listed, [itemset], -np.inf, "pooled", max_size=4)
    assume(len(found))
    records = eligible(listed, itemset)
    group = listed.group[records]
    for row in range(len(found)):
        scores = [by_inversion(listed, records, side) for side in sides(found, row, listed.design)]
        covs = np.zeros((3, 3))
        for of in (0, 1):
            if (group == of).any():
                # n_g / n squared, over n_g.
                covs += np.cov([values[group == of] for values in scores], bias=True) * (group == of).sum()
        covs /= len(records) ** 2
        assert_rule(found, row, Moments([float(values.mean()) for values in scores], covs))


def common(listed: Listed, records: Records, items: tuple[Item, ...]) -> tuple[Floats, float, Floats]:
    """The scores, their combined mean after three rounds, and the groups' weights there."""
    scores = z(listed, records, items)
    groups = [scores[listed.group[records] == of] for of in (0, 1)]
    means = [of.mean() if len(of) else 0.0 for of in groups]
    slopes = [1.0, 1.0]
    for part in by_section(listed.design, items).values():
        p, c = keep_and_chance(listed.design, part)
        slopes[1] *= (1 - 2 * c) / p

    def certainty(support: float) -> Floats:
        at = min(max(support, 0.5 / len(records)), 1 - 0.5 / len(records))
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


@pytest.mark.night
@pytest.mark.proof
@settings(suppress_health_check=OFTEN_NOTHING)
@given(st.data())
def test_combined_rules_weigh_the_groups_of_each_side(data: st.DataObject) -> None:
    listed = data.draw(answered(200))
    itemset = data.draw(itemsets_of(listed, least=2))
    found = rules(listed, [itemset], -np.inf, "combined", max_size=4)
    assume(len(found))
    records = eligible(listed, itemset)
    group = listed.group[records]
    for row in range(len(found)):
        of_sides = [common(listed, records, side) for side in sides(found, row, listed.design)]
        covs = np.zeros((3, 3))
        for of in (0, 1):
            mine = group == of
            if mine.any():
                weights = np.array([weight[of] for _, _, weight in of_sides])
                values = np.array([scores[mine] for scores, _, _ in of_sides])
                covs += np.outer(weights, weights) * np.cov(values, bias=True) / mine.sum()
        assert_rule(found, row, Moments([support for _, support, _ in of_sides], covs))


def test_the_whole_has_the_support_of_the_itemset() -> None:
    rng = np.random.default_rng(1)
    two = design(sensitive("0.4", question("a", *HALF)), sensitive("0.7", question("b", *HALF)))
    listed = Listed(two, rng.integers(0, 2, 500), rng.integers(0, 2, (2, 500)))
    itemset = ((0, 1), (1, 1))
    for estimator in ("stratified", "pooled", "combined"):
        found = rules(listed, [itemset], -np.inf, estimator, max_size=2)
        alone = reconstruct(listed, [itemset], estimator)
        # Nothing hides it, so E(S) is base(S).
        assert found.support == pytest.approx(np.repeat(alone.support, 2), abs=1e-12)
        assert found.share == pytest.approx(found.support, abs=1e-12)


def ratio(*numbers: float) -> Ratio:
    return Ratio(*(np.array([number]) for number in numbers))


def test_fieller_by_hand() -> None:
    # (2 - t)^2 <= 1.96^2 (.01 + .01 t^2): .961584 t^2 - 4 t + 3.961584 <= 0.
    low, high = ratio(2.0, 1.0, 0.01, 0.01, 0.0).interval()
    assert low[0] == pytest.approx((4 - sqrt(16 - 4 * 0.961584 * 3.961584)) / (2 * 0.961584))
    assert high[0] == pytest.approx((4 + sqrt(16 - 4 * 0.961584 * 3.961584)) / (2 * 0.961584))


def test_z_at_both_ends_is_the_level() -> None:
    of = ratio(0.3, 0.5, 0.001, 0.002, 0.0005)
    for level in (1.0, 1.96, 2.8):
        low, high = (float(end[0]) for end in of.interval(level))
        assert of.z(low)[0] == pytest.approx(level)
        assert of.z(high)[0] == pytest.approx(-level)


def test_a_denominator_that_may_be_nothing_has_no_bounds(subtests: pytest.Subtests) -> None:
    for below in [0.19, 0.0, -0.5]:
        with subtests.test(f"{below}"):
            # 1.96 errors are .196.
            low, high = ratio(0.3, below, 0.01, 0.01, 0.0).interval()
            assert np.isnan(low[0])
            assert np.isnan(high[0])


def test_without_any_error_only_the_ratio_itself_is_not_excluded() -> None:
    of = ratio(0.3, 0.6, 0.0, 0.0, 0.0)
    assert [of.z(t)[0] for t in (0.4, 0.5, 0.6)] == [np.inf, 0.0, -np.inf]
