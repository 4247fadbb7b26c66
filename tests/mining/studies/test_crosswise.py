"""The fit test of the two versions of a crosswise question."""

import numpy as np
import pytest

from bench.coverage.controls import preference_rate
from mining.studies.crosswise_word_and_draw_tests import word_preference
from tests.mining.studies.patterned import vectors


def test_the_difference_of_two_versions() -> None:
    (vector,) = vectors("3.8 turned")
    of = vector["inputs"]
    records, having = np.array([[of["n_a"]], [of["n_b"]]]), np.array([[of["yes_a"]], [of["yes_b"]]])
    difference, z, p = word_preference(records, having, 1 - 2 * of["u"])
    assert z[0] == pytest.approx(vector["expected"]["z"], abs=2e-9)
    # (.28 - .25) / .5 less (.35 - .25) / .5
    assert difference[0] == pytest.approx(0.06 - 0.2)
    assert 0.01 < p[0] < 0.02


def test_versions_that_all_answer_alike_do_not_differ() -> None:
    _difference, z, p = word_preference(np.array([[40], [60]]), np.array([[0], [0]]), 0.5)
    assert (z[0], p[0]) == (0, 1)


def test_a_version_without_records_is_not_compared() -> None:
    assert np.isnan(word_preference(np.array([[0], [60]]), np.array([[0], [20]]), 0.5)[2][0])


@pytest.mark.proof
def test_the_fit_test_has_its_size_and_finds_a_tenth_that_says_same() -> None:
    for n in (500, 1_000, 4_000):
        assert 0.04 <= preference_rate(0.0, n, 0.25, 40_000, np.random.default_rng((6, n))) <= 0.06
    assert preference_rate(0.1, 1_000, 0.25, 20_000, np.random.default_rng(7)) > 0.9
