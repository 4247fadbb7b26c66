"""What the times of exchanges and records tell: the attack that is simulated, and the figure that pages state."""

import numpy as np
import pytest
from numpy.random import default_rng

from bench.exchange_times import from_the_exchange, kept, share_tied
from privacy.blind_signatures.waits import tied_share
from ui.limits import LIMITS

pytestmark = pytest.mark.proof


def test_a_wait_of_an_hour_leaves_few_exchanges_tied_where_a_wait_from_the_exchange_ties_most() -> None:
    random = default_rng(1)
    before, now = (
        np.mean([share_tied(10, 100, apart, random) for _ in range(5)]) for apart in (from_the_exchange, kept)
    )
    assert before > 0.5
    assert now < tied_share(10) + 0.03


@pytest.mark.parametrize(("people_an_hour", "percent"), [(2, 43), (10, 10), (30, 3)])
def test_the_limits_state_the_share_of_a_poisson_number_of_people_who_wait(
    people_an_hour: float, percent: int
) -> None:
    """The sum of exp(-m) m^n / n! / (n + 1), term by term."""
    term, total = np.exp(-people_an_hour), 0.0
    for waiting in range(200):
        total += term / (waiting + 1)
        term *= people_an_hour / (waiting + 1)
    assert tied_share(people_an_hour) == pytest.approx(total)
    assert round(100 * total) == percent
    (limit,) = (limit for limit in LIMITS if limit.key == "exchange-times")
    assert "43, 10 or 3 of 100" in str(limit.defence)


def test_where_nobody_else_takes_part_the_times_tell_all() -> None:
    assert tied_share(0) == 1
