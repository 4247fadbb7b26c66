"""Two rounds of the same people with codes of their own: the intervals of each round and of the difference cover."""

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.inference.share_differences import compare_side_shares
from mining.inference.sums_of_shares import Side, SumOfShares

PANELS, PEOPLE = 2_000, 400
LASTING, KEEP, YES = 0.9, 0.81, 0.5

Answers = NDArray[np.bool_]


def disguised(answers: Answers, keep: float, rng: np.random.Generator) -> Answers:
    return np.where(rng.random(answers.shape) < keep, answers, rng.random(answers.shape) < YES)


def rounds(first: Answers, second: Answers, rng: np.random.Generator) -> list[Side]:
    """What two rounds received: for each true answer a permanent draw, and an instant one in each round."""
    permanent = [disguised(np.full(first.shape, answer), LASTING, rng) for answer in (False, True)]
    sides = []
    for answers in (first, second):
        sent = disguised(np.where(answers, permanent[1], permanent[0]), KEEP / LASTING, rng)
        zero = np.zeros(PANELS)
        sides.append(
            Side(
                np.stack([zero, np.full(PANELS, PEOPLE)]),
                np.stack([zero, sent.sum(axis=1)]),
                np.array([[1.0], [KEEP]]) * np.ones(PANELS),
                np.array([[0.0], [(1 - KEEP) * YES]]) * np.ones(PANELS),
            )
        )
    return sides


@pytest.mark.at_push(2)
@pytest.mark.proof
@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize("change", ["nobody", "one in ten anew", "everybody where half say yes"])
def test_rounds_and_their_difference_are_covered(share: float, change: str) -> None:
    rng = np.random.default_rng(42)
    first = rng.random((PANELS, PEOPLE)) < share
    second = first
    if change == "one in ten anew":
        second = np.where(rng.random(first.shape) < 0.1, rng.random(first.shape) < share, first)
    if change == "everybody where half say yes":
        second = ~first
    before, after = rounds(first, second, rng)
    expected = [share, 1 - share if change.startswith("everybody") else share]
    for side, true in zip((before, after), expected, strict=True):
        low, high = SumOfShares.from_share(side).interval()
        assert 0.935 < np.mean((low <= true) & (true <= high)) < 0.975
    found = compare_side_shares(before, after, np.full(PANELS, True), shared=True)
    true = expected[1] - expected[0]
    covered = np.mean((found.low <= true) & (true <= found.high))
    assert covered > 0.93
    if change == "nobody":
        # The interval cannot know that the permanent noise cancels.
        assert covered > 0.98
