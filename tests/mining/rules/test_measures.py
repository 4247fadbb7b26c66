"""mlxtend's measures where noise puts estimates to the edge, and beyond it."""

import numpy as np
import pytest

from mining.rules import measures


def numbers(*values: float) -> np.ndarray:
    return np.array(values)


def test_conviction_by_hand() -> None:
    # (1 - .4) / (1 - .75).
    assert measures.conviction(numbers(0.75), numbers(0.4)) == pytest.approx([2.4])


def test_conviction_has_no_value_at_confidence_1_or_outside_of_what_is_possible(
    subtests: pytest.Subtests,
) -> None:
    cases: list[tuple[float, float]] = [
        # Nobody contradicts the rule: but for rounding, too.
        (1.0, 0.4),
        (1.0 - 1e-14, 0.4),
        (1.0 + 1e-14, 0.4),
        # Noise.
        (1.3, 0.4),
        (-0.1, 0.4),
        (0.5, 1.2),
        (np.nan, 0.4),
    ]
    for confidence, consequent in cases:
        with subtests.test(f"{confidence} {consequent}"):
            assert np.isnan(measures.conviction(numbers(confidence), numbers(consequent)))


def test_conviction_of_a_consequent_that_all_have_is_0() -> None:
    assert measures.conviction(numbers(0.9), numbers(1.0)).tolist() == [0.0]


def test_an_antecedent_of_nothing_has_no_confidence() -> None:
    assert np.isnan(measures.confidence(numbers(0.1, 0.1, 0.0), numbers(0.0, 1e-12, -1e-12))).all()
    assert measures.confidence(numbers(-0.1), numbers(-0.2)).tolist() == [0.5]


def test_nothing_is_clipped() -> None:
    assert measures.confidence(numbers(0.3), numbers(0.2)) == pytest.approx([1.5])
    assert measures.lift(numbers(0.3), numbers(0.2), numbers(0.5)) == pytest.approx([3.0])
    assert measures.lift(numbers(-0.1), numbers(0.2), numbers(0.5)) == pytest.approx([-1.0])
