"""The score test of a sum of shares: vectors computed elsewhere, brute force, and counts at the edge."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import xlog1py, xlogy

from mining.inference.intervals import two_sided_p
from mining.inference.share_differences import compare_side_shares
from mining.inference.share_sum_score_test import (
    ReceivedSide,
    SumOfShares,
    difference_power,
    smallest_detectable_differences,
)
from tests.mining.listed import vector_file

VECTORS = vector_file("corrections")
Z, END = 1e-9, 1e-6


def column(values: Any) -> NDArray[np.float64]:
    return np.array(values, np.float64)[:, None]


def sum_of(vector: dict[str, Any], *, shared: bool = False) -> SumOfShares:
    n = column(vector["n"])
    x = vector.get("x", [0] * len(n))
    received = ReceivedSide(n, column(x), column(vector["keep"]), column(vector["chance"]))
    a, ends = column(vector["a"]), vector.get("range", (-1, 1))
    return SumOfShares.with_factors(received, a, ends, shared=shared)


def two_groups(vector: dict[str, Any]) -> dict[str, Any]:
    """A vector of two disguised groups with an empty group that answers openly on each side."""
    if len(vector["n"]) == 4:
        return vector
    empty = {"x": 0, "n": 0, "a": 0.0, "keep": 1.0, "chance": 0.0}
    return vector | {name: [of, vector[name][0], of, vector[name][1]] for name, of in empty.items()}


def approx_within(number: float | None, within: float = END) -> Any:
    return pytest.approx(np.nan if number is None else number, abs=within, nan_ok=True)


def likeliest_shares(of: SumOfShares, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """The most likely true shares of the groups, given that their weighted sum is t."""
    return np.clip((of.constrained_received_shares(t) - of.chance) / of.keep, 0.0, 1.0)


@pytest.mark.proof
def test_sums_of_shares_match_the_vectors() -> None:
    """Also where people are in both sides, and of power."""
    for vector in VECTORS["sums"] + VECTORS["weights"]:
        of, t = sum_of(vector), np.array([vector["t"]])
        assert of.point_estimate()[0] == pytest.approx(vector["estimate"], rel=Z, abs=Z), vector
        assert likeliest_shares(of, t)[:, 0] == pytest.approx(vector["shares"], abs=Z), vector
        z = of.z(t)
        assert z[0] == approx_within(vector["z"], Z), vector
        assert two_sided_p(z)[0] == pytest.approx(vector["p"], rel=1e-6, abs=1e-30), vector
        within = END * (of.high[0] - of.low[0])
        ends = [approx_within(vector[name], within) for name in ("low", "high")]
        assert [end[0] for end in of.interval()] == ends, vector
    for vector in VECTORS["overlapping"]:
        of = sum_of(two_groups(vector), shared=True)
        assert of.z(np.array([vector["t"]]))[0] == approx_within(vector["z"], Z), vector
        assert [end[0] for end in of.interval()] == [
            approx_within(vector[name]) for name in ("low", "high")
        ], vector
    for vector in VECTORS["power"]:
        of, share = sum_of(vector), np.array([vector["share"]])
        assert difference_power(of, share, np.array([0.1]))[0] == approx_within(
            vector["power_at_.1_more"], Z
        ), vector
        found = [one[0] for one in smallest_detectable_differences(of, share)]
        assert found == [approx_within(vector[name]) for name in ("smallest_more", "smallest_fewer")], vector


def random_sums(rng: np.random.Generator, rows: int) -> SumOfShares:
    """Two groups on each side, each with a law of its own; some have no records."""
    n = rng.integers(20, 400, (4, rows)) * (rng.random((4, rows)) < 0.8)
    n[1] += n[0] + n[1] == 0
    n[3] += n[2] + n[3] == 0
    keep = np.where(np.array([True, False, True, False])[:, None], 1.0, rng.uniform(0.2, 0.95, (4, rows)))
    chance = (1 - keep) * rng.uniform(0.01, 0.9, (4, rows))
    having = rng.binomial(n, np.clip(keep * rng.choice([0, 0.02, 0.3, 1], (4, rows)) + chance, 0, 1))
    sides = (ReceivedSide(n[of], having[of], keep[of], chance[of]) for of in (slice(2), slice(2, 4)))
    first, second = sides
    return SumOfShares.from_difference(first, second)


def test_shares_maximise_the_likelihood_given_their_sum() -> None:
    """Brute force: scipy's sequential quadratic programming finds nothing likelier."""
    of = random_sums(np.random.default_rng(1), 20)
    t = np.random.default_rng(2).uniform(-0.5, 0.5, len(of))
    shares = likeliest_shares(of, t)
    assert (of.factor * shares).sum(axis=0) == pytest.approx(t, abs=1e-9)
    for row in range(len(of)):
        names = ("x", "n", "keep", "chance", "factor")
        x, n, keep, chance, factor = (getattr(of, name)[:, row] for name in names)

        def negative_log_likelihood(shares: NDArray[np.float64]) -> float:
            received = np.clip(chance + keep * shares, 1e-300, 1)  # noqa: B023 (called at once)
            return -float((xlogy(x, received) + xlog1py(n - x, -np.minimum(received, 1 - 1e-16))).sum())  # noqa: B023

        found = minimize(
            negative_log_likelihood,
            np.clip(shares[:, row], 0.01, 0.99),
            bounds=[(0, 1)] * 4,
            constraints={"type": "eq", "fun": lambda shares: factor @ shares - t[row]},  # noqa: B023
            method="SLSQP",
        )
        if found.success and abs(factor @ found.x - t[row]) < 1e-9:
            assert negative_log_likelihood(shares[:, row]) <= found.fun + 1e-5


@pytest.mark.proof
def test_interval_holds_every_difference_its_test_accepts() -> None:
    of = random_sums(np.random.default_rng(3), 500)
    low, high = of.interval()
    tested = 0
    for t in np.linspace(-1, 1, 41):
        z = of.z(np.full(len(of), t))
        inside = (low - 1e-6 <= t) & (t <= high + 1e-6)
        clear = (np.abs(np.abs(z) - 1.96) > 1e-4) & np.isfinite(low)
        assert (inside == (np.abs(z) < 1.96))[clear].all()
        tested += int(clear.sum())
    assert tested > 17_000
    # p below five percent and an interval without zero are one statement.
    assert 50 < ((low > 0) | (high < 0)).sum() < 450


@pytest.mark.proof
def test_nobody_or_everybody_gives_finite_numbers() -> None:
    law = column([1, 0.47, 1, 0.6]), column([0, 0.0265, 0, 0.2])
    of_people = [(0, 0, 0, 0), (9, 0, 9, 0), (300, 0, 1_000, 0), (30, 70, 0, 400)]
    for people, everybody, shared in product(of_people, [False, True], [False, True]):
        n = column(people)
        having = n * everybody
        both = slice(2), slice(2, 4)
        sides = [ReceivedSide(*(of[groups] for of in (n, having, *law))) for groups in both]
        of = SumOfShares.from_difference(*sides, shared=shared)
        low, high = of.interval()
        z = of.z(np.zeros(1))
        assert np.isfinite(z).all(), (people, everybody, shared)
        assert low[0] <= high[0], (people, everybody, shared)
        assert two_sided_p(z)[0] <= 1
        if not (people[1] or people[3]):
            assert z[0] == 0, (people, everybody, shared)
            assert low[0] <= 0 <= high[0]


def test_possible_overlap_widens_the_interval_and_too_few_are_dropped() -> None:
    vector = two_groups(VECTORS["overlapping"][0])
    alone, both = (sum_of(vector, shared=shared).interval() for shared in (False, True))
    assert both[0][0] < alone[0][0] < alone[1][0] < both[1][0]
    # A row with too few is left out.
    n, law = np.array([[500, 5]]), (np.full((1, 2), 0.5), np.full((1, 2), 0.25))
    first, second = (ReceivedSide(n, np.array([[having, 2]]), *law) for having in (180, 240))
    found = compare_side_shares(first, second, np.array([True, False]))
    assert np.isfinite(found.p[0])
    assert found.holm[0] == found.p[0]
    assert np.isnan([found.p[1], found.low[1], found.difference[1]]).all()


def disguised_side(
    n: int, yes: NDArray[np.int64], law: tuple[float, float], rng: np.random.Generator
) -> ReceivedSide:
    """So many of n disguised people say yes, survey by survey; nobody answers openly."""
    keep, chance = law
    having = rng.binomial(yes, keep + chance) + rng.binomial(n - yes, chance)
    rows = (np.zeros(len(yes)), np.full(len(yes), n)), (np.zeros(len(yes)), having)
    laws = (np.broadcast_to(column(of), (2, len(yes))) for of in ((1, keep), (0, chance)))
    return ReceivedSide(*map(np.stack, rows), *laws)


def test_one_test_of_twenty_rejects_without_a_difference() -> None:
    of_laws = [(((0.9, 0.05), (0.9, 0.05)), (100, 1_000)), (((0.47, 0.0265), (0.6, 0.03336)), (200, 500))]
    for (laws, n), share in product(of_laws, [0.0, 0.02, 0.3]):
        rng = np.random.default_rng(5)
        of_sides = zip(n, laws, strict=True)
        sides = [disguised_side(of, rng.binomial(of, share, 2_000), law, rng) for of, law in of_sides]
        z = SumOfShares.from_difference(*sides).z(np.zeros(2_000))
        assert (np.abs(z) > 1.96).mean() <= 0.062, (laws, share)


def test_term_for_people_in_both_waves_is_needed() -> None:
    """Nobody says yes twice, as few as they are: 30 % each time, of the same 400 people."""
    rng, share = np.random.default_rng(6), 0.3
    first = rng.binomial(400, share, 2_000)
    second = rng.binomial(400 - first, share / (1 - share))
    sides = [disguised_side(400, yes, (0.9, 0.05), rng) for yes in (first, second)]
    found = {
        shared: np.abs(SumOfShares.from_difference(*sides, shared=shared).z(np.zeros(2_000))) > 1.96
        for shared in (False, True)
    }
    assert found[False].mean() > 0.07
    assert found[True].mean() <= 0.06
