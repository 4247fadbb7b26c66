"""What the nodes of a number say of themselves."""

import pytest

from mining.document.number_nodes import MeanEstimate, NumberDistribution, NumberEstimates, NumberShare

FLAT = NumberDistribution(1, (0.5, 0.5), None, None, 1)


def share(at_least: int | None, below: int | None, value: float | None = 0.5) -> NumberShare:
    return NumberShare(at_least, below, 60, value, 0.1, 0.3, 0.7)


def test_a_share_is_called_as_the_items_of_its_number() -> None:
    assert share(None, 10).item == "<10"
    assert share(10, None).item == ">=10"
    assert share(10, 20).item == ">=10 <20"


def test_estimates_are_known_where_anything_is_estimated(subtests: pytest.Subtests) -> None:
    cases: list[NumberEstimates] = [
        NumberEstimates(60, 0, mean=MeanEstimate(1.0, 0.1, 0.8, 1.2)),
        NumberEstimates(60, 0, shares=(share(10, None, None), share(20, None))),
        NumberEstimates(60, 0, distribution=FLAT),
    ]
    for found in cases:
        with subtests.test(f"{found!r:.60}"):
            assert found.is_known


def test_records_alone_are_no_estimate() -> None:
    assert not NumberEstimates(60, 0, shares=(share(10, None, None),)).is_known
