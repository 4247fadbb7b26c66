"""Shares of regions and of cells outside: by hand, as mining reconstructs them, and what is withheld."""

import numpy as np
import pytest

from mining.kinds.place.region_shares import place_shares, withheld_items
from mining.reconstruction import reconstruct
from privacy.kinds.place.law import PlaceLaw
from privacy.kinds.place.section import PlaceSection
from tests.mining.counting.by_hand import mined
from tests.mining.listed import Listed
from tests.privacy.questionnaires import design, place_in_row

# b = m (W - V) / Z = 10 / 15; seven cells, of which 3 and 6 lie outside.
FORM = design(place_in_row("home", {"north": [0, 1, 2], "south": [4, 5]}, 7, 2, "6"))


def law() -> PlaceLaw:
    section = FORM.sections[0]
    assert isinstance(section, PlaceSection)
    return section.law


def table(disguised: list[int], opened: list[int] | None = None) -> np.ndarray:
    return np.array([opened or [0] * 7, disguised])


def test_by_hand() -> None:
    (found,) = place_shares(law(), [table([30, 20, 10, 20, 5, 5, 10])])
    # 60 of 100 in the north: (.6 - 1/3 * 3/5) / (2/3) = .6; outside divided by 2/3.
    assert found.share == pytest.approx([0.6, -0.05, 0.45, 0.3, 0.15])
    assert (found.low <= np.maximum(found.share, 0)).all()
    assert (found.share <= found.high).all()


def test_they_are_those_of_the_items_that_mining_sees() -> None:
    rng = np.random.default_rng(1)
    counts = rng.integers(10, 60, (2, 7))
    rows = [(group, cell) for group in (0, 1) for cell in range(7)]
    codes = np.array([mined(FORM, [cell]) for _group, cell in rows]).T
    listed = Listed(
        FORM.mined, np.array([group for group, _ in rows]), codes, counts.ravel().astype(np.float64)
    )
    expected = reconstruct(listed, [((0, code),) for code in range(3)])
    (found,) = place_shares(law(), [counts])
    assert found.share[:3] == pytest.approx(expected.support)
    assert found.low[:3] == pytest.approx(expected.low)
    assert found.high[:3] == pytest.approx(expected.high)


def test_tables_are_estimated_by_themselves() -> None:
    several = [
        table([30, 20, 10, 20, 5, 5, 10]),
        table([3] * 7),
        table([10, 10, 10, 30, 20, 20, 40], [20] * 7),
    ]
    together = place_shares(law(), several)
    for one, counts in zip(together, several, strict=True):
        assert one.share == pytest.approx(place_shares(law(), [counts])[0].share, nan_ok=True)


def test_fewer_than_fifty_are_not_estimated() -> None:
    assert np.isnan(place_shares(law(), [table([10, 5, 5, 10, 4, 5, 10])])[0].share).all()
    assert np.isnan(place_shares(law(), [table([20] * 7, [1] * 7)])[0].share).all()


def test_a_cell_outside_with_fewer_than_ten_is_withheld_with_the_next_smallest() -> None:
    form = design(place_in_row("home", {"north": [0, 1]}, 6, 2, "6"))
    section = form.sections[0]
    assert isinstance(section, PlaceSection)
    # The region, elsewhere, the cells 2 to 5.
    for outside, expected in (
        ([9, 30, 20, 40], [True, False, True, False]),
        ([9, 0, 20, 40], [True, True, True, False]),
        ([10, 30, 20, 40], [False] * 4),
    ):
        hidden = withheld_items(section.law, np.array([[0] * 6, [50, 50, *outside]]))
        assert hidden.tolist() == [False, False, *expected]


def test_a_cell_is_withheld_where_one_group_has_few() -> None:
    hidden = withheld_items(law(), table([50, 50, 50, 40, 50, 50, 40], [10, 10, 10, 9, 10, 10, 30]))
    assert hidden.tolist() == [False, False, False, True, True]


def test_where_few_are_elsewhere_the_smallest_region_is_withheld_too() -> None:
    # Else one less the shares received of all regions would be the share of elsewhere.
    hidden = withheld_items(law(), table([50, 50, 50, 4, 20, 20, 5]))
    assert hidden.tolist() == [False, True, True, True, True]
    hidden = withheld_items(law(), table([50, 50, 50, 4, 0, 0, 1]))
    assert hidden.tolist() == [True, True, True, True, True]


def test_where_no_cell_lies_outside_nothing_is_withheld() -> None:
    form = design(place_in_row("home", {"north": [0, 1], "south": [2, 3]}, 4, 2, "6"))
    section = form.sections[0]
    assert isinstance(section, PlaceSection)
    counts = np.array([[0] * 4, [1, 2, 30, 40]])
    assert not withheld_items(section.law, counts).any()
    assert np.isfinite(place_shares(section.law, [counts])[0].share).all()


@pytest.mark.proof
def test_intervals_of_cells_outside_cover() -> None:
    people = np.array([0.2, 0.05, 0.1, 0.15, 0.3, 0.05, 0.15])
    of = law()
    sent = np.array([[float(of.probability(x, y)) for y in range(7)] for x in range(7)])
    rng = np.random.default_rng(2)
    tables = [table(row.tolist()) for row in rng.multinomial(400, people @ sent, 1_500)]
    found = place_shares(of, tables)
    truth = np.array([0.35, 0.35, 0.3, 0.15, 0.15])
    held = np.mean([(one.low <= truth) & (truth <= one.high) for one in found], axis=0)
    assert held.min() > 0.935, held
