"""What a run says of a place and its JSON; shares of regions and of cells outside, and what is withheld."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mining.json_codec import node_from_json, node_to_json
from mining.kinds.place.kind import make_node
from mining.kinds.place.people_density_by_cell import likeliest_density
from mining.kinds.place.region_shares import place_shares, withheld_items
from mining.kinds.place.report_node_from_counts import place_node
from mining.nodes.place_nodes import OutsideShare, PlaceNode
from mining.reconstruction import reconstruct_supports
from privacy.designs import Design
from privacy.kinds.place.law import PlaceLaw, PlaceLevel
from privacy.kinds.place.section import PlaceSection
from tests.mining.listed import Listed, as_mined
from tests.privacy.questionnaires import design, place_in_row
from tests.privacy.strategies import place_probabilities

# b = 10 / 15; seven cells, of which 3 and 6 lie outside.
FORM = design(place_in_row("home", {"north": [0, 1, 2], "south": [4, 5]}, 7, 2, "6"))
COUNTS = np.array([[0] * 7, [30, 20, 10, 20, 5, 5, 10]])
FEW_ELSEWHERE = np.array([[0] * 7, [30, 20, 10, 3, 20, 10, 2]])


def section() -> PlaceSection:
    found = FORM.sections[0]
    assert isinstance(found, PlaceSection)
    return found


def shares_outside(found: PlaceNode) -> list[float | None]:
    return [one.share if one else None for one in found.outside]


def test_place_finding_holds_outside_cells_and_received_counts() -> None:
    found = place_node(section(), COUNTS)
    assert (found.question, found.n_asked) == ("home", 100)
    assert shares_outside(found) == pytest.approx([0.3, 0.15])
    assert found.received == pytest.approx((0.3, 0.2, 0.1, 0.2, 0.05, 0.05, 0.1))
    assert found.is_known
    assert sum(share or 0 for share in found.illustration) == pytest.approx(1)
    assert isinstance(found.outside[0], OutsideShare)
    assert node_from_json(PlaceNode, json.loads(json.dumps(node_to_json(found)))) == found


def test_open_person_is_not_among_the_disguised() -> None:
    opened = COUNTS + np.array([[50] * 7, [0] * 7])
    disguised = replace(place_node(section(), COUNTS), disguised_only=True)
    assert make_node(section(), opened, (), True) == disguised


def test_maps_omit_cells_that_reveal_few_people_elsewhere() -> None:
    found = place_node(section(), FEW_ELSEWHERE)
    assert shares_outside(found) == [None, None]
    for drawn in (found.received, found.illustration):
        assert [share is None for share in drawn] == [False, False, False, True, True, True, True]
    found = place_node(section(), COUNTS // 3)
    assert (found.received, found.illustration, found.is_known) == ((), (), False)
    assert shares_outside(found) == [None, None]


def law(form: Design = FORM) -> PlaceLaw:
    (section,) = form.sections
    assert isinstance(section, PlaceSection)
    return section.law


def table(disguised: list[int], opened: list[int] | None = None) -> np.ndarray:
    return np.array([opened or [0] * 7, disguised])


def test_place_shares_by_hand_and_of_several_tables() -> None:
    (found,) = place_shares(law(), [table([30, 20, 10, 20, 5, 5, 10])])
    # 60 of 100 in the north: (.6 - 1/3 * 3/5) / (2/3) = .6; outside divided by 2/3.
    assert found.share == pytest.approx([0.6, -0.05, 0.45, 0.3, 0.15])
    assert (found.low <= np.maximum(found.share, 0)).all()
    assert (found.share <= found.high).all()
    several = [table([30, 20, 10, 20, 5, 5, 10]), table([3] * 7)]
    several.append(table([10, 10, 10, 30, 20, 20, 40], [20] * 7))
    together = place_shares(law(), several)
    for one, counts in zip(together, several, strict=True):
        assert one.share == pytest.approx(place_shares(law(), [counts])[0].share, nan_ok=True)
    assert np.isnan(place_shares(law(), [table([10, 5, 5, 10, 4, 5, 10])])[0].share).all()
    assert np.isnan(place_shares(law(), [table([20] * 7, [1] * 7)])[0].share).all()


def test_place_shares_equal_those_of_mined_items() -> None:
    rng = np.random.default_rng(1)
    counts = rng.integers(10, 60, (2, 7))
    groups, cells = np.repeat([0, 1], 7), np.tile(range(7), (1, 2))
    listed = Listed(FORM.mined, groups, as_mined(FORM, cells), counts.ravel().astype(np.float64))
    expected = reconstruct_supports(listed, [((0, code),) for code in range(3)])
    (found,) = place_shares(law(), [counts])
    assert found.share[:3] == pytest.approx(expected.support)
    assert found.low[:3] == pytest.approx(expected.low)
    assert found.high[:3] == pytest.approx(expected.high)


def test_outside_cell_below_ten_is_withheld_with_the_next_smallest() -> None:
    form = design(place_in_row("home", {"north": [0, 1]}, 6, 2, "6"))
    # The region, elsewhere, the cells 2 to 5.
    for outside, expected in (
        ([9, 30, 20, 40], [True, False, True, False]),
        ([9, 0, 20, 40], [True, True, True, False]),
        ([10, 30, 20, 40], [False] * 4),
    ):
        hidden = withheld_items(law(form), np.array([[0] * 6, [50, 50, *outside]]))
        assert hidden.tolist() == [False, False, *expected], outside
    for counts, hides in (
        # One group has few.
        (table([50, 50, 50, 40, 50, 50, 40], [10, 10, 10, 9, 10, 10, 30]), [False, False, False, True, True]),
        # Few are elsewhere: one less the shares received of all regions would be the share of elsewhere.
        (table([50, 50, 50, 4, 20, 20, 5]), [False, True, True, True, True]),
        (table([50, 50, 50, 4, 0, 0, 1]), [True] * 5),
    ):
        assert withheld_items(law(), counts).tolist() == hides
    # Where no cell lies outside nothing is withheld.
    everywhere = design(place_in_row("home", {"north": [0, 1], "south": [2, 3]}, 4, 2, "6"))
    counts = np.array([[0] * 4, [1, 2, 30, 40]])
    assert not withheld_items(law(everywhere), counts).any()
    assert np.isfinite(place_shares(law(everywhere), [counts])[0].share).all()


@pytest.mark.proof
def test_intervals_of_outside_cells_cover() -> None:
    people = np.array([0.2, 0.05, 0.1, 0.15, 0.3, 0.05, 0.15])
    of = law()
    sent = written_out(of)
    rng = np.random.default_rng(2)
    tables = [table(row.tolist()) for row in rng.multinomial(400, people @ sent, 1_500)]
    found = place_shares(of, tables)
    truth = np.array([0.35, 0.35, 0.3, 0.15, 0.15])
    held = np.mean([(one.low <= truth) & (truth <= one.high) for one in found], axis=0)
    assert held.min() > 0.935, held


POINTS = tuple((x, y) for y in range(4) for x in range(5))
REGIONS = (tuple(range(6)), (6, 7, 8, 11, 12, 13), (9, 14))
ONE = PlaceLaw(POINTS, REGIONS, (PlaceLevel(2, 900),) * 3)
TWO = PlaceLaw(POINTS, REGIONS, (PlaceLevel(2, 900), PlaceLevel(4, 500), PlaceLevel(2, 900)))


def written_out(law: PlaceLaw) -> np.ndarray:
    return np.array([place_probabilities(law, x) for x in range(len(law.points))], np.float64)


@pytest.mark.proof
def test_step_is_expectation_maximisation_and_recovers_the_density() -> None:
    counts = np.random.default_rng(1).integers(0, 30, (2, 20))
    opened, disguised = counts / counts.sum()
    people = np.random.default_rng(2).dirichlet(np.ones(20))
    for law in (ONE, TWO):
        sent, share = written_out(law), np.full(20, 1 / 20)
        for _step in range(3):
            share = opened + share * (sent @ (disguised / (share @ sent)))
        assert likeliest_density(law, counts, 3).share == pytest.approx(share, abs=1e-12)
        received = people @ sent
        found = likeliest_density(law, np.stack([np.zeros(20), 1e9 * received]), 20_000)
        # The mean log likelihood is below its maximum by at most this.
        assert (sent @ (received / (found.share @ sent))).max() - 1 < 1e-6
        assert found.share.sum() == pytest.approx(1)
        assert found.share @ sent == pytest.approx(received, abs=1e-4)
        assert found.share == pytest.approx(people, abs=0.02)


@pytest.mark.proof
def test_open_answers_count_unchanged_and_unsent_cells_have_no_share() -> None:
    opened = np.arange(20)
    found = likeliest_density(ONE, np.stack([opened, np.zeros(20, np.int64)]))
    assert found.share == pytest.approx(opened / opened.sum())
    disguised = np.zeros(20, np.int64)
    disguised[list(ONE.cells_in_regions)] = 50
    found = likeliest_density(ONE, np.stack([0 * disguised, disguised]))
    assert found.share[list(ONE.cells_outside_regions)].max() < 1e-9
