"""The least count at which an itemset can still be frequent, worked out by hand."""

import numpy as np
import pytest

from mining.reconstruction import Estimator, least_count
from privacy.designs import Design
from tests.mining.listed import Listed
from tests.privacy.questionnaires import HALF, design, question, sensitive

QUESTIONS = 30


def many(**more: int) -> Design:
    return design(sensitive("0.5", *[question(f"q{place}", *HALF) for place in range(QUESTIONS)], **more))


def least(max_size: int, estimator: Estimator = "stratified", of: Design | None = None) -> int:
    """Of 250 open and 1,000 disguised records, at a support of .1."""
    of = of or many()
    group = np.array([0] * 250 + [1] * 1000)
    listed = Listed(of, group, np.zeros((len(of.questions), 1250), np.uint8))
    return least_count(listed, [(place, 1) for place in range(len(of.questions))], max_size, estimator, 0.1)


def test_noise_among_the_disguised_and_half_of_what_is_wanted(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int]] = [(1, 313), (2, 188), (3, 125), (QUESTIONS, 63)]
    for max_size, count in cases:
        with subtests.test(f"{max_size} {count}"):
            # Nobody open has it: 1000 (.5 / 2^size) of noise, and .5 for each of the 125 of a support of .1.
            assert least(max_size) == count


@pytest.mark.parametrize(("max_size", "count"), [(1, 325), (3, 138)])
def test_pooled_inverts_the_share_of_all(max_size: int, count: int) -> None:
    # P* = .1 (.2 + .8 * .5) + .8 * .5 / 2^size of 1,250 records.
    assert least(max_size, "pooled") == count


def test_combined_may_follow_either_group() -> None:
    # A tenth of the open ones alone.
    assert least(1, "combined") == 25


def test_questions_with_other_noise_count_for_themselves() -> None:
    # Noise says yes to b in 50 of 1,000, to both in 45; 62.5 more are wanted.
    two = design(sensitive("0.5", question("a", "0.1", "0.9"), question("b", "0.9", "0.1")))
    assert least(1, of=two) == 113
    assert least(2, of=two) == 108
