"""No place in a batch, and no place among the keys, tells when somebody came."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from intake.batches import sealing
from intake.endpoint.accept import hashed
from intake.models import FreshKey, Inbox
from tests.intake import asked
from tests.intake.test_sealing import sealed

pytestmark = [pytest.mark.django_db, pytest.mark.page]
LEAST = 10_000
WAITING = 25_000
ASKS = asked.design(least=LEAST)
SHUFFLES = 1_500
"""So that a p of 1/1,501 is below 0.001."""


def statistics(arrivals: NDArray[np.float64]) -> NDArray[np.float64]:
    """How places go with arrivals, how neighbours do, and how far apart neighbours came, in absolute terms."""
    n = len(arrivals)
    centred = arrivals - arrivals.mean()
    steps = np.abs(np.diff(arrivals))
    return np.array(
        [
            # A sum of products, not @: threads of the matrix product cost more than they save.
            abs((centred * (np.arange(n) - (n - 1) / 2)).sum()),
            abs((centred[:-1] * centred[1:]).sum()),
            abs(steps.mean() - (n + 1) / 3),
            (steps == 1).sum(),
        ]
    )


@cache
def by_chance(n: int) -> NDArray[np.float64]:
    """The statistics of random orders of n."""
    rng = np.random.default_rng(1)
    return np.array([statistics(rng.permutation(n).astype(float)) for _ in range(SHUFFLES)])


def p_values(arrivals: Sequence[float]) -> NDArray[np.float64]:
    """The share of random orders that look at least as little random, statistic by statistic."""
    ranks = np.argsort(np.argsort(arrivals)).astype(float)
    as_much = (by_chance(len(ranks)) >= statistics(ranks)).sum(axis=0)
    p: NDArray[np.float64] = np.divide(1 + as_much, 1 + SHUFFLES)
    return p


def test_places_in_a_batch_of_ten_thousand_and_among_its_keys_tell_nothing() -> None:
    survey = asked.survey(ASKS)
    rng = np.random.default_rng(2)
    arrival = {hashed(rng.bytes(16).hex()): number for number in range(WAITING)}
    Inbox.objects.bulk_create(Inbox(survey=survey, record=f"1{n:06o}".encode()) for n in arrival.values())
    FreshKey.objects.bulk_create(FreshKey(survey=survey, hash=key) for key in arrival)
    # Seeded, so that what fails by chance once in a while always gives the same.
    sealing.seal(survey.pk, random_bytes=rng.bytes)
    (batch,) = sealed(survey)
    assert LEAST <= len(batch) <= 3 * LEAST // 2
    assert (p_values(batch) > 0.001).all()
    # Neither the earlier nor the later half was sealed: mean 12499.5, standard deviation at most 56.
    assert abs(sum(batch) / len(batch) - 12499.5) < 220
    keys = asked.as_they_lie("intake_seenkey", str)
    assert (p_values([arrival[key] for key in keys]) > 0.001).all()
    left = asked.as_they_lie("intake_inbox", bytes)
    assert (p_values([int(record[1:], 8) for record in left]) > 0.001).all()


@pytest.mark.parametrize("left_in_order", [1000, 3000])
def test_the_test_itself_notices_an_order(left_in_order: int) -> None:
    order = np.random.default_rng(3).permutation(LEAST)
    order[:left_in_order].sort()
    assert (p_values(order.tolist()) < 0.001).any()
