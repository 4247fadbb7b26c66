"""What document 001 says of attacks and beliefs, by hand; the page of it: test_quotes.py."""

from fractions import Fraction
from math import log2

import pytest

from papers.k_anonymity import attacks_and_beliefs as computed, lattice
from papers.k_anonymity.eleven_example_rows import CriterionResult, apply_criteria

pytestmark = pytest.mark.proof


@pytest.fixture(scope="module")
def releases() -> list[CriterionResult]:
    """The eleven rows at k = 2 and at l = 2."""
    return apply_criteria()[:2]


def test_attacks_on_the_eleven_rows(releases: list[CriterionResult]) -> None:
    """Rows 3, 4 have hypertension and 10, 11 chest pain; without chest pain rows 1 and 6 show their value too."""
    plain, diverse = (computed.attack_eleven_rows(of.rows) for of in releases)
    assert plain["homogeneity"]["problem"]["rows"] == [3, 4, 10, 11]
    assert plain["ruled_out"]["columns"]["problem"]["worst"] == pytest.approx(2 / 7)
    assert plain["register"]["found"]["count"] == 0
    assert plain["register"]["learned"]["problem"]["count"] == 4
    assert diverse["homogeneity"]["problem"]["classes"] == 0
    # Rows 1 and 2 remain a class of short breath and chest pain.
    assert diverse["ruled_out"]["columns"]["problem"]["worst"] == pytest.approx(1 / 11)


def test_two_releases_of_the_medical_table_leave_records_3_to_6_alone_in_any_order() -> None:
    """k = 2 joins 3 with 5 and 4 with 6, l = 2 joins 3 with 4 and 5 with 6."""
    ordered, reverse = computed.join_medical_releases(), computed.join_medical_releases(reverse=True)
    assert (ordered["below"]["rows"], ordered["same_order"]) == ([3, 4, 5, 6], True)
    assert (reverse["below"]["rows"], reverse["same_order"]) == ([3, 4, 5, 6], False)
    assert computed.join_releases_of_two_times()["alone"] == 2


def test_leakage_of_all_ways_to_join_five_classes() -> None:
    """52 is the number of Bell. H of 5, 2, 2, 2 of 11; two classes of two values, one of three, two of one."""
    ways = computed.join_classes_in_all_ways()
    assert len(ways) == 52
    (apart,), (one,) = ([way for way in ways if way.classes == count] for count in (5, 1))
    bits = -(5 / 11 * log2(5 / 11) + 3 * 2 / 11 * log2(2 / 11))
    assert [one.information, one.worst] == pytest.approx([0, 0])
    assert one.distortion == 1
    assert apart.information == pytest.approx(bits - (2 * 1 + 2 * 1 + 3 * log2(3)) / 11)
    assert apart.worst == pytest.approx(bits)
    # Births of 1964, 1965 and 1967 as one: 1, 1 or 1 from the middle 1965.5, 7 rows 1.5 away and 4 half a year.
    assert one.years == pytest.approx((4 * 0.25 + 5 * 2.25 + 2 * 2.25) / 11)
    assert computed.least_distortion(ways, 2) == apart
    assert computed.least_distortion(ways, 0) == one


def test_the_distance_tells_apart_what_has_the_same_mean_and_variance() -> None:
    for weights in computed.SAME_MOMENTS:
        assert sum(weights) == 1
        assert sum(x * weight for x, weight in zip(range(-2, 3), weights, strict=True)) == 0
        assert sum(x * x * weight for x, weight in zip(range(-2, 3), weights, strict=True)) == 1
    assert computed.kullback_leibler_bits(*computed.SAME_MOMENTS) == 1


def test_theorem_3_1_is_what_counting_orders_gives() -> None:
    """Two values a, a, b of three people: a first in two of three orders; the person is a with 1/4."""
    person = {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    anybody = {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    arguments = (["a", "a", "b"], person, anybody, "a")
    assert computed.posterior_by_counting(*arguments) == Fraction(2, 5)
    assert computed.posterior_by_theorem(*arguments) == Fraction(2, 5)


def test_breaches_as_printed_are_others(releases: list[CriterionResult]) -> None:
    """Hypertension rises from 2/11 to 1. As printed 5/11 or 2/11 (below .8) risen above .4 is a breach downwards."""
    limits = Fraction(1, 5), Fraction(3, 5)
    assert [computed.count_breaches(of.rows, *limits) for of in releases] == [(1, 0, 6), (0, 0, 4)]


def test_no_table_is_minimal_as_printed_and_none_could_keep_more_records() -> None:
    nine = lattice.select_case_nodes(lattice.CASES[2], lattice.all_nodes())
    assert computed.minimal_nodes_as_printed(nine) == []
    assert [computed.most_records_that_keep_k(node, 2) for node in nine] == [3, 7, 7, 9, 9, 9]


def test_birth_and_problem_together_are_not_diverse() -> None:
    """By race, sex and ZIP there are three classes: each has a problem with one year of birth."""
    assert computed.classes_below_multi_attribute_diversity() == 3
