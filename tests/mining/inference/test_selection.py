"""What a selection leaves: q and the levels of heads of lists, by hand and as they are defined."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.inference.selection_correction import displayed_head_length, list_critical_z, q_values
from tests.mining.inference.test_sums_of_shares import VECTORS

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def adjusted(p: list[float], tests: int) -> list[float]:
    """Benjamini and Hochberg's, rank by rank: the least of p_(j) tests / j over j from the rank on, at most 1."""
    ranked = sorted(p)
    found = []
    for one in p:
        # Equal p have one value, that of the last of them.
        ranks = [rank for rank, other in enumerate(ranked, start=1) if other >= one]
        found.append(min([1.0, *(ranked[rank - 1] * tests / rank for rank in ranks)]))
    return found


@pytest.mark.proof
@given(probabilities, st.integers(0, 60))
def test_q_is_of_the_whole_family(p: list[float], family: int) -> None:
    assert q_values(np.array(p), family) == pytest.approx(adjusted(p, max(family, len(p))), rel=1e-9)


def test_q_by_hand() -> None:
    # Family of 10: .001 x 10/1, .02 x 10/2, .03 x 10/3, .9 x 10/4.
    assert q_values(np.array([0.9, 0.02, 0.001, 0.03]), 10) == pytest.approx([1, 0.1, 0.01, 0.1])


def test_what_is_left_out_counts_as_p_1() -> None:
    p = np.array([0.001, 0.02])
    whole = q_values(np.concatenate([p, np.ones(8)]), 10)
    assert q_values(p, 10) == pytest.approx(whole[:2])


def test_a_family_is_no_smaller_than_what_is_found_of_it(subtests: pytest.Subtests) -> None:
    for family in [0, 1, 3]:
        with subtests.test(f"{family}"):
            # .2 x 3/1, .5 x 3/2, .9 x 3/3.
            assert q_values(np.array([0.5, 0.9, 0.2]), family) == pytest.approx([0.75, 0.9, 0.6])


@pytest.mark.proof
@given(probabilities, st.integers(0, 40))
def test_no_q_is_below_its_p(p: list[float], family: int) -> None:
    assert (q_values(np.array(p), family) >= np.array(p) * (1 - 1e-12)).all()


def test_no_p_no_q() -> None:
    assert len(q_values(np.empty(0), 10)) == 0


def test_the_vectors_of_levels(subtests: pytest.Subtests) -> None:
    for vector in VECTORS["levels"]:
        with subtests.test(f"{vector!r:.60}"):
            places = np.array([min(vector["place"], vector["rank"])])
            assert displayed_head_length(places)[0] == vector["k"]
            assert list_critical_z(places, vector["m"])[0] == pytest.approx(vector["z0"], abs=1e-9)


def test_a_level_falls_with_the_place_and_never_below_that_of_one_interval() -> None:
    levels = list_critical_z(np.arange(1, 3_000), 400)
    assert (np.diff(levels) <= 0).all()
    assert levels[0] == pytest.approx(NormalDist().inv_cdf(1 - 0.025 / 400), abs=1e-9)
    assert levels[-1] == 1.96


def test_an_empty_family_and_an_empty_list_have_usual_levels() -> None:
    assert list_critical_z(np.array([1]), 0)[0] == 1.96
    assert len(list_critical_z(np.empty(0), 5)) == 0
