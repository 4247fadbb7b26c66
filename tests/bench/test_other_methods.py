"""The variances of other mechanisms for pairs of answers, against sums over all records of three questions."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

import pytest

from bench.other_methods import hadamard, hypercube, pair_variance, subset_selection, unary_encoding

GAMMA, SHARE, ASKED = Fraction(19), Fraction(1, 10), 3
CELLS = list(product((0, 1), repeat=ASKED))
Law = Mapping[Any, Fraction]
Scores = Mapping[Any, Fraction]


def moment_over_all_records(laws: Mapping[tuple[int, ...], Law], scores: Scores) -> Fraction:
    """E z^2 of records by these laws, whose scores z are unbiased for "yes to the first two"."""
    half, total = SHARE / 2, Fraction(0)
    for cell in CELLS:
        law = laws[cell]
        assert sum(law.values()) == 1
        assert sum(chance * scores[record] for record, chance in law.items()) == (cell[:2] == (1, 1))
        pair = {(1, 1): half, (1, 0): half, (0, 1): half, (0, 0): 1 - 3 * half}[cell[0], cell[1]]
        total += pair / 2 * sum(chance * scores[record] ** 2 for record, chance in law.items())
    return total


def is_gamma_bounded(laws: Mapping[tuple[int, ...], Law]) -> bool:
    records = laws[CELLS[0]]
    worst = (
        max(law[record] for law in laws.values()) / min(law[record] for law in laws.values())
        for record in records
    )
    return max(worst) == GAMMA


def test_subset_selection() -> None:
    sets = list(combinations(CELLS, 2))
    total = 7 * GAMMA + 21
    laws = {
        cell: {chosen: (GAMMA if cell in chosen else Fraction(1)) / total for chosen in sets}
        for cell in CELLS
    }
    assert is_gamma_bounded(laws)
    p = 7 * GAMMA / total
    q = (2 - p) / 7
    scores = {chosen: (sum(cell[:2] == (1, 1) for cell in chosen) - 2 * q) / (p - q) for chosen in sets}
    assert subset_selection(GAMMA, SHARE, ASKED, 2) == moment_over_all_records(laws, scores)


def test_unary_encoding() -> None:
    off = 1 / (GAMMA + 1)

    def chance(bit: int, is_true: bool) -> Fraction:
        return Fraction(1, 2) if is_true else off if bit else 1 - off

    records = list(product((0, 1), repeat=len(CELLS)))
    laws = {
        cell: {
            bits: prod(
                (chance(*pair) for pair in zip(bits, map(cell.__eq__, CELLS), strict=True)), start=Fraction(1)
            )
            for bits in records
        }
        for cell in CELLS
    }
    assert is_gamma_bounded(laws)
    yes = [row for row, cell in enumerate(CELLS) if cell[:2] == (1, 1)]
    scores = {bits: (sum(bits[row] for row in yes) - 2 * off) / (Fraction(1, 2) - off) for bits in records}
    assert unary_encoding(GAMMA, SHARE, ASKED) == moment_over_all_records(laws, scores)


def test_hadamard() -> None:
    drawn = [members for size in (1, 2) for members in combinations(range(ASKED), size)]
    keep = GAMMA / (GAMMA + 1)

    def sign(members: tuple[int, ...], cell: tuple[int, ...]) -> int:
        return prod(2 * cell[member] - 1 for member in members)

    laws = {
        cell: {
            (members, sent): (keep if sent == sign(members, cell) else 1 - keep) / len(drawn)
            for members in drawn
            for sent in (-1, 1)
        }
        for cell in CELLS
    }
    assert is_gamma_bounded(laws)
    scores = {
        (members, sent): (1 + (len(drawn) * sent / (2 * keep - 1) if {*members} <= {0, 1} else Fraction(0)))
        / 4
        for members in drawn
        for sent in (-1, 1)
    }
    assert hadamard(GAMMA, SHARE, ASKED) == moment_over_all_records(laws, scores)


def test_hypercube() -> None:
    """At most no, one or two answers turned; with one, no pair can be estimated: 3 pairs less 3 times 1."""
    moments = []
    for most in (0, 2):

        def weight(cell: tuple[int, ...], sent: tuple[int, ...], most: int = most) -> Fraction:
            return GAMMA if sum(map(int.__ne__, cell, sent)) <= most else Fraction(1)

        laws = {
            cell: {sent: weight(cell, sent) / sum(weight(cell, any_) for any_ in CELLS) for sent in CELLS}
            for cell in CELLS
        }
        assert is_gamma_bounded(laws)
        law = laws[1, 1, 1]
        one = sum(chance * (2 * sent[0] - 1) for sent, chance in law.items())
        two = sum(chance * (2 * sent[0] - 1) * (2 * sent[1] - 1) for sent, chance in law.items())
        scores = {
            (a, b, c): Fraction(1 + (2 * a - 1 + 2 * b - 1) / one + (2 * a - 1) * (2 * b - 1) / two) / 4
            for a, b, c in CELLS
        }
        moments.append(moment_over_all_records(laws, scores))
    assert hypercube(GAMMA, SHARE, ASKED) == min(moments)


@pytest.mark.parametrize(("asked", "pairs"), [(2, 28), (3, Fraction(28, 3)), (8, 1)])
def test_a_pair_is_drawn_by_so_many_devices(asked: int, pairs: Fraction) -> None:
    assert pair_variance(lambda *_: Fraction(1), GAMMA, SHARE, asked) == pairs * (1 - Fraction(1, 400))
