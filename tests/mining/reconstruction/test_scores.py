"""What is computed from counts is what averaging over records gives."""

from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mining.reconstruction import reconstruct
from tests.mining.scores import Inversion, asked, by_section, contains, keep_and_chance, plain_only, z
from tests.mining.strategies import answered, itemsets_of

OPEN, DISGUISED = 0, 1


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_the_stratified_support_and_its_error_are_those_of_the_scores(data: st.DataObject) -> None:
    listed = data.draw(answered())
    itemset = data.draw(itemsets_of(listed))
    found = reconstruct(listed, [itemset])
    base = asked(listed, itemset)
    assert found.base[0] == len(base)
    if not found.enough[0]:
        return
    scores = np.array([z(listed, at, itemset) for at in base])
    assert found.support[0] == pytest.approx(scores.mean(), abs=1e-12)
    assert found.se[0] == pytest.approx(scores.std() / sqrt(len(base)), rel=1e-9, abs=1e-9)
    observed = np.mean([contains(listed, at, itemset) for at in base])
    assert found.observed[0] == pytest.approx(observed, abs=1e-12)
    p, n = scores.mean(), len(listed.group)
    disguise = ((scores**2).mean() - p) / len(base) + p * (1 - p) * (1 / len(base) - 1 / n)
    assert found.expected_w[0] ** 2 == pytest.approx(2 / pi * max(disguise, 0), abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_the_pooled_support_and_its_error_are_those_of_the_recursion(data: st.DataObject) -> None:
    listed = data.draw(answered())
    itemset = data.draw(itemsets_of(listed))
    found = reconstruct(listed, [itemset], "pooled")
    if not found.enough[0]:
        return
    base = asked(listed, itemset)
    inversion = Inversion(listed, base, itemset)
    if not inversion.records:
        assert found.support[0] == 0
        return
    shown = inversion.support(inversion.everything)
    support = shown * len(inversion.records) / len(base)
    assert found.support[0] == found.pooled[0] == pytest.approx(support, abs=1e-11)
    # Those to whom S does not apply say only that: their influence is on the share to whom it does.
    psi = np.full(len(base), -support)
    psi[: len(inversion.records)] += inversion.psi(inversion.everything) + shown
    assert psi.mean() == pytest.approx(0, abs=1e-9)
    assert found.se[0] == pytest.approx(sqrt((psi**2).mean() / len(base)), rel=1e-9, abs=1e-9)
    if plain_only(listed, itemset):
        return
    kept, slopes, group = 1.0, [1.0, 1.0], listed.group[base]
    for part in by_section(listed.design, itemset).values():
        p, c = keep_and_chance(listed.design, part)
        kept, slopes[1] = kept * p, slopes[1] * (1 - 2 * c) / p
    numbers = [int((group == of).sum()) for of in (0, 1)]
    weights = [numbers[0], numbers[1] * kept]
    for bound in (found.low[0], found.high[0]):
        # The error at a bound is that of the estimate, and what the law's own would be more or less there.
        square = found.se[0] ** 2
        for weight, slope, n in zip(weights, slopes, numbers, strict=True):
            if n:
                more = slope * (bound - support) - bound**2 + support**2
                square += (weight / sum(weights)) ** 2 * more / n
        assert (bound - support) ** 2 == pytest.approx(1.96**2 * square, rel=1e-9, abs=1e-12)
    assert found.low[0] <= support <= found.high[0]


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_itemsets_of_all_shapes_at_once_give_what_each_gives_alone(data: st.DataObject) -> None:
    listed = data.draw(answered(120))
    itemsets = data.draw(st.lists(itemsets_of(listed), min_size=2, max_size=6))
    together = reconstruct(listed, itemsets)
    for row, itemset in enumerate(itemsets):
        alone = reconstruct(listed, [itemset])
        for name in ("support", "se", "low", "high", "pooled", "expected_w", "observed", "base"):
            np.testing.assert_array_equal(getattr(together, name)[row], getattr(alone, name)[0])
