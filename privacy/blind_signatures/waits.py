"""How long a device waits with the record of an exchanged invitation, and what the times still tell."""

from math import exp

MEAN_WAIT = 3_600
"""Seconds on average, exponential from the last answer on, where the device keeps the record."""
LONGEST_WAIT = 86_400
"""Seconds: nobody waits longer. One in 26 thousand million would."""
SHORT_WAIT = (30, 120)
"""Seconds between which the wait is drawn, evenly, where the device cannot keep the record."""


def tied_share(people_an_hour: float) -> float:
    """The share of exchanges that times alone tie to their records at this pace, for somebody who even knows who waits.

    The wait has no memory. So each of those who wait, whose number N beside one is Poisson with mean m, is as likely to
    be the next: E[1 / (1 + N)] = (1 - exp(-m)) / m. Whoever sees times alone ties fewer
    (`tests/bench/test_exchange_times.py`).
    """
    waiting = people_an_hour * MEAN_WAIT / 3_600
    return (1 - exp(-waiting)) / waiting if waiting else 1.0
