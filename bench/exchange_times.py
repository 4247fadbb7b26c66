"""How often times alone tie an exchanged invitation to its record: an attacker who sees when each was.

`./run bench exchange_times` simulates people who exchange their invitations at random moments, answer for five minutes
in the middle (log-normal), and whose devices wait; the attacker knows both laws, and matches all exchanges to all
records by the likeliest assignment. Printed is the share of exchanges that it matches rightly: as devices wait now,
after the last answer and for an hour on average; as they wait where they cannot keep a record; and as they waited
before, for seconds from the exchange on. Beside them the bound that pages state (`privacy/blind_signatures/waits.py`).
"""

import argparse
from collections.abc import Callable
from math import log
from statistics import fmean

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment  # type: ignore[attr-defined]

from privacy.blind_signatures.waits import MEAN_WAIT, SHORT_WAIT, tied_share

MIDDLE, SPREAD = 300.0, 0.5
"""Seconds in which half of the people have answered, and the standard deviation of the logarithm."""

HOUR = 3600.0
Array = NDArray[np.float64]
Apart = Callable[[int, Generator], Array]
"""Seconds between exchange and sending of so many people."""


def answering(number: int, random: Generator) -> Array:
    return random.lognormal(log(MIDDLE), SPREAD, number)


def from_the_exchange(number: int, random: Generator) -> Array:
    return np.maximum(answering(number, random), random.uniform(*SHORT_WAIT, number))


def in_this_tab(number: int, random: Generator) -> Array:
    return answering(number, random) + random.uniform(*SHORT_WAIT, number)


def kept(number: int, random: Generator) -> Array:
    return answering(number, random) + random.exponential(MEAN_WAIT, number)


WAITS: dict[str, Apart] = {
    "kept by the device": kept,
    "in this tab": in_this_tab,
    "before: from the exchange": from_the_exchange,
}


def share_tied(pace: float, people: int, apart: Apart, random: Generator) -> float:
    """Of the exchanges of so many people, at this pace an hour, that the likeliest assignment matches rightly."""
    law, edges = np.histogram(apart(200_000, random), bins=400, density=True)
    exchanged = np.sort(random.uniform(0, people / pace * HOUR, people))
    sent = exchanged + apart(people, random)
    order = np.argsort(sent)
    between = sent[order][None, :] - exchanged[:, None]
    index = np.searchsorted(edges, between) - 1
    density = np.where((index >= 0) & (index < len(law)), law[np.clip(index, 0, len(law) - 1)], 0)
    with np.errstate(divide="ignore"):
        likelihood = np.where(density > 0, np.log(density), -100.0)
    _rows, matched = linear_sum_assignment(-likelihood)
    return float(np.mean(order[matched] == np.arange(people)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench exchange_times", description=__doc__)
    parser.add_argument("--paces", type=float, nargs="+", default=[2, 10, 30], help="people an hour")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--times", type=int, default=20)
    args = parser.parse_args()
    random = default_rng(1)
    print(f"| people an hour | {' | '.join(WAITS)} | stated |\n|{' --: |' * (len(WAITS) + 2)}")
    for pace in args.paces:
        shares = [
            fmean([share_tied(pace, args.people, apart, random) for _ in range(args.times)])
            for apart in WAITS.values()
        ]
        cells = [f"{100 * share:.0f} %" for share in (*shares, tied_share(pace))]
        print(f"| {pace:g} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
