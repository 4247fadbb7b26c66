"""The formulas (1) to (16) of document 004, checked in exact fractions against the law by which records are drawn."""

from fractions import Fraction
from itertools import combinations, product
from math import comb

from papers.grouped_model.simulated_survey import KEEP, PATTERNS, PRIOR, THETA, USUAL, improved_model_law

OPEN = Fraction(str(USUAL.k))
"""k, the share who answer openly."""


def warner(share: Fraction, theta: Fraction) -> tuple[Fraction, Fraction]:
    """Returns P*(yes) by (1), and the share that its inverse gives back."""
    seen = share * theta + (1 - share) * (1 - theta)
    return seen, (seen - (1 - theta)) / (2 * theta - 1)


def grouped(share: Fraction, k: Fraction = OPEN) -> tuple[Fraction, Fraction]:
    """Returns the share of yes by (3), and the share that (4) gives back; with k = 0 the two of (2)."""
    chance = (1 - k) * (1 - KEEP) * THETA
    seen = k * share + (1 - k) * KEEP * share + chance
    return seen, (seen - chance) / (k + (1 - k) * KEEP)


def mean_and_variance(share: Fraction, people: int) -> tuple[Fraction, Fraction, Fraction]:
    """Returns mean and variance of the estimate (4) over all numbers of yes, and the variance by (6)."""
    seen, _back = grouped(share)
    chance, gain = (1 - OPEN) * (1 - KEEP) * THETA, OPEN + (1 - OPEN) * KEEP
    first = second = Fraction(0)
    for count in range(people + 1):
        weight = comb(people, count) * seen**count * (1 - seen) ** (people - count)
        estimate = (Fraction(count, people) - chance) / gain
        first, second = first + weight * estimate, second + weight * estimate**2
    return first, second - first**2, seen * (1 - seen) / (people * gain**2)


def check_inversion() -> dict[tuple[int, int], list[bool]]:
    """Inverts every set of answers of the three questions; returns whether each comes back, by its numbers of yes, no.

    What is received is drawn by the product's law, and inverted by (8), (9), (12) and (14) to (16), which are one
    formula; that it comes back is (7), (10) and (11) too.
    """
    law, gain = improved_model_law(), OPEN + KEEP * (1 - OPEN)
    received = {
        sent: OPEN * PRIOR[at]
        + (1 - OPEN) * sum(p * law.probability(x, sent) for p, x in zip(PRIOR, PATTERNS, strict=True))
        for at, sent in enumerate(PATTERNS)
    }
    checks: dict[tuple[int, int], list[bool]] = {}
    for size in (1, 2, 3):
        for questions, answers in product(combinations(range(3), size), product((0, 1), repeat=size)):
            wanted = dict(zip(questions, answers, strict=True))
            fitting = [at for at, x in enumerate(PATTERNS) if all(x[q] == code for q, code in wanted.items())]
            truth = sum((PRIOR[at] for at in fitting), start=Fraction(0))
            seen = sum((received[PATTERNS[at]] for at in fitting), start=Fraction(0))
            yes = sum(answers)
            chance = (1 - OPEN) * (1 - KEEP) * THETA**yes * (1 - THETA) ** (size - yes)
            checks.setdefault((yes, size - yes), []).append((seen - chance) / gain == truth)
    return checks


def last_yes_alone_as_printed() -> tuple[Fraction, Fraction]:
    """Returns the share with yes to the last of three questions alone, and what the line of (12) that prints it gives.

    It has (1 - theta) theta^(N - 1), where (1 - theta)^(N - 1) theta is meant.
    """
    truth, mixed, gain = PRIOR[PATTERNS.index((0, 0, 1))], (1 - OPEN) * (1 - KEEP), OPEN + KEEP * (1 - OPEN)
    seen = gain * truth + mixed * (1 - THETA) ** 2 * THETA
    return truth, (seen - mixed * (1 - THETA) * THETA**2) / gain
