"""What is computed from counts is what averaging over records gives."""

from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mining.reconstruction import reconstruct
from tests.mining.listed import OPEN
from tests.mining.scores import (
    Inversion,
    base,
    by_section,
    contains,
    enough,
    joins_plain_and_sensitive,
    keep_and_chance,
    plain_only,
    z,
)
from tests.mining.strategies import answered, itemsets_of


@pytest.mark.proof
@given(st.data())
def test_the_stratified_support_and_its_error_are_those_of_the_scores(data: st.DataObject) -> None:
    listed = data.draw(answered())
    itemset = data.draw(itemsets_of(listed))
    found = reconstruct(listed, [itemset])
    records = base(listed, itemset)
    assert found.base[0] == len(records)
    assert found.groups[0].tolist() == [sum(listed.group[at] == of for at in records) for of in (0, 1)]
    assert found.enough[0] == enough(listed, records, itemset)
    if not found.enough[0]:
        return
    scores = z(listed, records, itemset)
    assert found.support[0] == pytest.approx(scores.mean(), abs=1e-12)
    assert found.se[0] == pytest.approx(scores.std() / sqrt(len(records)), rel=1e-9, abs=1e-9)
    observed = contains(listed, records, itemset).mean()
    assert found.observed[0] == pytest.approx(observed, abs=1e-12)
    # n are all records that could be meant: of the disguised those alone, where plain and sensitive items are joined
    # and where open records withhold what is asked.
    opened, questions = listed.group == OPEN, listed.design.questions
    withheld = any((listed.codes[place, opened] == questions[place].withheld).any() for place, _ in itemset)
    alone = withheld or joins_plain_and_sensitive(listed, itemset)
    p, n = scores.mean(), (~opened).sum() if alone else len(opened)
    disguise = ((scores**2).mean() - p) / len(records) + p * (1 - p) * (1 / len(records) - 1 / n)
    assert found.expected_w[0] ** 2 == pytest.approx(2 / pi * max(disguise, 0), abs=1e-12)


@pytest.mark.proof
@given(st.data())
def test_the_pooled_support_and_its_error_are_those_of_the_recursion(data: st.DataObject) -> None:
    listed = data.draw(answered())
    itemset = data.draw(itemsets_of(listed))
    found = reconstruct(listed, [itemset], "pooled")
    if not found.enough[0]:
        return
    records = base(listed, itemset)
    inversion = Inversion(listed, records, itemset)
    if not len(inversion.records):
        assert found.support[0] == 0
        return
    shown = inversion.support(inversion.everything)
    support = shown * len(inversion.records) / len(records)
    assert found.support[0] == found.pooled[0] == pytest.approx(support, abs=1e-11)
    # Those to whom S does not apply say only that: their influence is on the share to whom it does.
    psi = np.full(len(records), -support)
    psi[: len(inversion.records)] += inversion.psi(inversion.everything) + shown
    assert psi.mean() == pytest.approx(0, abs=1e-9)
    assert found.se[0] == pytest.approx(sqrt((psi**2).mean() / len(records)), rel=1e-9, abs=1e-9)
    if plain_only(listed, itemset):
        return
    kept, slopes, group = 1.0, [1.0, 1.0], listed.group[records]
    for part in by_section(listed.design, itemset).values():
        p, c = keep_and_chance(listed.design, part)
        kept, slopes[1] = kept * p, slopes[1] * (1 - 2 * c) / p
    numbers = [int((group == of).sum()) for of in (0, 1)]
    weights = [numbers[0], numbers[1] * kept]
    # The square of the error at t is that at the estimate, and what the law's own would be more or less there.
    each = [(weight / sum(weights)) ** 2 / max(n, 1) for weight, n in zip(weights, numbers, strict=True)]
    slope, curve = np.dot(each, slopes), sum(each)
    low, high = ends(support, found.se[0] ** 2 - support * slope + support**2 * curve, slope, curve)
    assert found.low[0] == pytest.approx(low, rel=1e-7, abs=1e-8)
    assert found.high[0] == pytest.approx(high, rel=1e-7, abs=1e-8)


def ends(estimate: float, constant: float, slope: float, curve: float) -> tuple[float, float]:
    """Where (P - t)^2 is 1.96^2 (constant + slope t - curve t^2), P itself at least; cut to [0, 1]."""
    square = 1.96**2
    roots = np.roots([1 + square * curve, -2 * estimate - square * slope, estimate**2 - square * constant])
    low, high = np.clip([min(*roots.real, estimate), max(*roots.real, estimate)], 0.0, 1.0)
    return low, high


@pytest.mark.proof
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_itemsets_of_all_shapes_at_once_give_what_each_gives_alone(data: st.DataObject) -> None:
    listed = data.draw(answered(120))
    itemsets = data.draw(st.lists(itemsets_of(listed), min_size=2, max_size=6))
    together = reconstruct(listed, itemsets)
    for row, itemset in enumerate(itemsets):
        alone = reconstruct(listed, [itemset])
        for name in ("support", "se", "pooled", "expected_w", "observed", "share_shown"):
            np.testing.assert_array_equal(getattr(together, name)[row], getattr(alone, name)[0])
        for name in ("base", "groups", "shown", "enough"):
            np.testing.assert_array_equal(getattr(together, name)[row], getattr(alone, name)[0])
        # Ends are searched for.
        for name in ("low", "high", "low_shown", "high_shown"):
            np.testing.assert_allclose(getattr(together, name)[row], getattr(alone, name)[0], atol=1e-7)
