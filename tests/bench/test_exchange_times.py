"""What the times of exchanges and records tell: the attack that is simulated, and the figure that pages state.

People exchange their invitations at random moments, answer for five minutes in the middle (log-normal), and their
devices wait; the attacker knows both laws, and matches all exchanges to all records by the likeliest assignment.
"""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment  # type: ignore[attr-defined]

from privacy.blind_signatures.tokens import MEAN_WAIT, SHORT_WAIT, share_linkable_by_time
from ui.statements import read_limits

pytestmark = pytest.mark.proof
HOUR = 3600.0
Seconds = NDArray[np.float64]


def draw_answer_times(people: int, random: Generator) -> Seconds:
    return random.lognormal(np.log(300.0), 0.5, people)


def from_the_exchange(people: int, random: Generator) -> Seconds:
    """As devices waited before."""
    return np.maximum(draw_answer_times(people, random), random.uniform(*SHORT_WAIT, people))


def send_times_with_wait(people: int, random: Generator) -> Seconds:
    return draw_answer_times(people, random) + random.exponential(MEAN_WAIT, people)


def share_tied(
    pace: float, people: int, apart: Callable[[int, Generator], Seconds], random: Generator
) -> float:
    """Of the exchanges of so many people, at this pace an hour, that the likeliest assignment matches rightly."""
    law, edges = np.histogram(apart(200_000, random), bins=400, density=True)
    exchanged = np.sort(random.uniform(0, people / pace * HOUR, people))
    sent = exchanged + apart(people, random)
    order = np.argsort(sent)
    index = np.searchsorted(edges, sent[order][None, :] - exchanged[:, None]) - 1
    density = np.where((index >= 0) & (index < len(law)), law[np.clip(index, 0, len(law) - 1)], 0)
    _rows, matched = linear_sum_assignment(-np.log(np.maximum(density, np.exp(-100.0))))
    return float(np.mean(order[matched] == np.arange(people)))


def test_hour_long_wait_ties_fewer_sending_times_to_exchanges() -> None:
    random = default_rng(1)
    shares = (
        [share_tied(10, 100, law, random) for _ in range(5)]
        for law in (from_the_exchange, send_times_with_wait)
    )
    before, now = (np.mean(of) for of in shares)
    assert before > 0.5
    assert now < share_linkable_by_time(10) + 0.03


def test_limits_state_the_share_tied_for_a_poisson_number_of_people(subtests: pytest.Subtests) -> None:
    """The sum of exp(-m) m^n / n! / (n + 1), term by term."""
    cases: list[tuple[float, int]] = [(2, 43), (10, 10), (30, 3)]
    for people_an_hour, percent in cases:
        with subtests.test(f"{people_an_hour} {percent}"):
            term, total = np.exp(-people_an_hour), 0.0
            for waiting in range(200):
                total += term / (waiting + 1)
                term *= people_an_hour / (waiting + 1)
            assert share_linkable_by_time(people_an_hour) == pytest.approx(total)
            assert round(100 * total) == percent
            assert "43, 10 or 3 of 100" in read_limits()["exchange-times"].defence


def test_sending_times_tie_everybody_when_nobody_else_takes_part() -> None:
    assert share_linkable_by_time(0) == 1
