"""The attack of a quota: who fills the last place? By brute force over all answers and all noise.

Nine people answer in three batches of three; an attacker sees after which batch a quota is told as full, and knows all
answers but those of some, or exact tables of the first batches besides.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import accumulate, chain, combinations, combinations_with_replacement, product
from math import fsum, isclose

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.disclosure.noisy_full_quota_decision import QUOTA_NOISE, QuotaCount

pytestmark = pytest.mark.proof
FURTHEST = 220
"""Beyond it lies less than 1e-9 of the noise."""
VALUES = range(-FURTHEST, FURTHEST + 1)


def noise_law(sets: int) -> dict[int, float]:
    q = float(QUOTA_NOISE[sets].ratio)
    return {k: (1 - q) / (1 + q) * q ** abs(k) for k in VALUES}


NOISE = {sets: noise_law(sets) for sets in QUOTA_NOISE}
UP_TO = {sets: [0.0, *accumulate(NOISE[sets].values())] for sets in QUOTA_NOISE}
MARGIN = QUOTA_NOISE[1].margin
BOUND = 25 / 16 * (1 + 1e-9)
BATCHES, PER_BATCH, LIMIT = 3, 3, 4
SEQUENCES = list(product((0, 1), repeat=BATCHES * PER_BATCH))
NEVER = 0
OUTPUTS = (NEVER, 1, 2, 3)
Law = Callable[[Sequence[int]], dict[int, float]]
"""From the numbers in the cell by batch to the probability of each output: the batch after which it is told."""


def in_cell(sequence: Sequence[int]) -> tuple[int, ...]:
    """How many of each batch are in the cell; within a batch records are shuffled."""
    return tuple(sum(sequence[first : first + PER_BATCH]) for first in range(0, len(sequence), PER_BATCH))


@cache
def noise_that_tells(cell: QuotaCount, more: int) -> int:
    """After this batch it is told for all noise below some value, which is found by asking the state: its index."""
    return bisect_left(VALUES, 1, key=lambda e: not cell.after_batch(1, more, e).full_after)


@cache
def product_law(added: tuple[int, ...], sets: int = 1, above: int = LIMIT) -> dict[int, float]:
    """Runs the product's own state over all noise. The limit is so low that the bar lies among the counts."""
    chances: dict[int, list[float]] = {output: [] for output in OUTPUTS}
    margin = QUOTA_NOISE[sets].margin
    for bar, weight in NOISE[sets].items():
        alive, cell = weight, QuotaCount(above - margin, margin, bar)
        for number, more in enumerate(added, 1):
            told = UP_TO[sets][noise_that_tells(cell, more)]
            chances[number].append(alive * told)
            alive *= 1 - told
            cell = cell.after_batch(number, more, 10 * FURTHEST)
        chances[NEVER].append(alive)
    return {output: fsum(parts) for output, parts in chances.items()}


def naive_law(added: Sequence[int]) -> dict[int, float]:
    """Told as soon as the exact count has the limit."""
    counts = [sum(added[:number]) for number in range(1, len(added) + 1)]
    first = next((number for number, count in enumerate(counts, 1) if count >= LIMIT), NEVER)
    return {output: float(output == first) for output in OUTPUTS}


def determined_people(law: Law, output: int, unknown: Sequence[int], known: Sequence[int]) -> list[int]:
    """Those of the unknown people whose answer follows, where all other answers are those of `known`."""
    others = [i for i in range(len(known)) if i not in unknown]
    fitting = (of for of in SEQUENCES if all(of[i] == known[i] for i in others))
    possible = [sequence for sequence in fitting if law(in_cell(sequence))[output] > 0]
    return [i for i in unknown if len({sequence[i] for sequence in possible}) < 2] if possible else []


KNOWN = (1, 1, 1, 0, 0, 0, 0, 0, 0)


def test_person_who_knows_all_others_learns_who_fills_an_exact_quota() -> None:
    assert determined_people(naive_law, 2, [5], KNOWN) == [5]
    assert determined_people(naive_law, NEVER, [5], KNOWN) == [5]
    # So does who knows an exact table of the batches before: with one in the cell of the first batch, all three of
    # the second fill it.
    following = [of for of in SEQUENCES if in_cell(of)[0] == 1 and naive_law(in_cell(of))[2]]
    assert {sequence[3:6] for sequence in following} == {(1, 1, 1)}


def test_random_bar_alone_does_not_protect_a_lone_person() -> None:
    def bar_alone(added: Sequence[int]) -> dict[int, float]:
        chances = dict.fromkeys(OUTPUTS, 0.0)
        for bar, weight in NOISE[1].items():
            cell = QuotaCount(LIMIT - MARGIN, MARGIN, bar)
            for number, more in enumerate(added, 1):
                cell = cell.after_batch(number, more, 0)
            chances[cell.full_after] += weight
        return chances

    assert determined_people(bar_alone, 2, [5], KNOWN) == [5]
    assert determined_people(product_law, 2, [5], KNOWN) == []


def test_one_quota_makes_no_answer_of_unknown_people_certain() -> None:
    for output in OUTPUTS:
        assert all(product_law(in_cell(sequence))[output] > 0 for sequence in SEQUENCES)
    for count in (1, 2, 9):
        for unknown in list(combinations(range(9), count))[:6]:
            for output in OUTPUTS:
                assert not determined_people(product_law, output, unknown, KNOWN)


def test_one_quota_beside_exact_tables_excludes_no_answers() -> None:
    for counts in product(range(4), repeat=3):
        beside = [sequence for sequence in SEQUENCES if in_cell(sequence) == counts]
        for output in OUTPUTS:
            assert [sequence for sequence in beside if product_law(in_cell(sequence))[output] > 0] == beside


def test_one_persons_cell_changes_no_probability_beyond_the_stated_factor() -> None:
    furthest = 1.0
    for sequence in SEQUENCES:
        for person in range(9):
            other = (*sequence[:person], 1 - sequence[person], *sequence[person + 1 :])
            one, two = product_law(in_cell(sequence)), product_law(in_cell(other))
            furthest = max(furthest, *(one[output] / two[output] for output in OUTPUTS))
    assert 1.2 < furthest <= BOUND


PEOPLE, ANSWERS = 6, list(product("fm", "yo"))
"""Six people in three batches of two, each with a sex and an age; the cells of two question sets share them."""
CELLS = ({"f"}, {"m"}, {"f", "o"}, {"m", "o"})
Answers = tuple[tuple[str, str], ...]


def study_counts(people: Answers, cell: set[str]) -> tuple[int, ...]:
    """How many of each batch are in the cell."""
    is_in = [cell <= set(answers) for answers in people]
    return tuple(sum(is_in[first : first + 2]) for first in range(0, PEOPLE, 2))


def joint_law(people: Answers, sets: int, cells: Sequence[set[str]]) -> NDArray[np.float64]:
    """The probability of all that is ever told of these cells together, an axis a cell: each has noise of its own."""
    return joint_law_of_counts(tuple(study_counts(people, cell) for cell in cells), sets)


@cache
def joint_law_of_counts(counts: tuple[tuple[int, ...], ...], sets: int) -> NDArray[np.float64]:
    laws = [product_law(added, sets, above=40) for added in counts]
    return reduce(np.multiply.outer, [np.array([law[output] for output in OUTPUTS]) for law in laws])


def furthest_factor(sets: int, cells: Sequence[set[str]], changes: Sequence[tuple[str, str]]) -> float:
    """The largest factor by which other answers of one person change the probability of anything told of the cells.
    An answer "?" is in no cell; the two people of a batch are exchangeable."""
    pairs = list(combinations_with_replacement(ANSWERS, 2))
    furthest = 1.0
    for others, batch, change in product(product(pairs, repeat=PEOPLE // 2), range(0, PEOPLE, 2), changes):
        people = tuple(chain(*others))
        if ("f", "o") not in people[batch : batch + 2]:
            continue
        person = people.index(("f", "o"), batch)
        changed = (*people[:person], change, *people[person + 1 :])
        factor = joint_law(people, sets, cells) / joint_law(changed, sets, cells)
        furthest = max(furthest, factor.max(), 1 / factor.min())
    return furthest


def test_two_cells_change_no_probability_more_than_one() -> None:
    assert 1.15 < furthest_factor(2, (CELLS[0], CELLS[2]), [("?", "?")]) <= BOUND


def test_other_answers_change_announcement_probabilities_within_the_bound() -> None:
    """With the noise of one question set three of them would break it."""
    assert furthest_factor(1, ({"f"}, {"o"}, {"f", "o"}), [("?", "?")]) > BOUND
    factor = furthest_factor(2, CELLS, [("m", "o"), ("m", "y"), ("f", "y")])
    assert 1.2 < factor <= float(QUOTA_NOISE[2].ratio) ** -6 * (1 + 1e-9) < BOUND**2


def test_quota_probabilities_sum_to_one_and_figures_for_nine_people_follow() -> None:
    for added in product(range(4), repeat=3):
        assert isclose(fsum(product_law(added).values()), 1, abs_tol=1e-8), added
    for sets, noise in QUOTA_NOISE.items():
        assert noise.ratio ** (-2 * sets) <= Fraction(25, 16)
        assert noise.ratio ** (-2 * sets * 9) < 56
        assert noise.ratio ** (-3 * sets * 9) < 414


def test_cell_one_below_its_limit_is_rarely_announced() -> None:
    def sum_of_two_noises(q: Fraction, k: int) -> Fraction:
        """P(B + E = -k) for k >= 0."""
        return ((1 - q) / (1 + q)) ** 2 * q**k * (k + 1 + 2 * q**2 / (1 - q**2))

    for sets, noise in QUOTA_NOISE.items():
        assert 0.0005 < product_law((29,), sets, above=30 + noise.margin)[1] < 0.001
        q, m = noise.ratio, noise.margin
        # The exact tail of the sum of two such noises: P(B + E <= -(m+1)), and of a margin of one less.
        tails = [sum(sum_of_two_noises(q, k) for k in range(n, n + 400)) for n in (m + 1, m)]
        assert tails[0] < Fraction(1, 1000)
        assert sets == 1 or tails[1] > Fraction(1, 1000)
    # That stays there, it is told at some time by the stated bounds.
    for sets, bounds in {1: {1: 0.001, 10: 0.007, 100: 0.045}, 2: {1: 0.001, 10: 0.0075, 100: 0.048}}.items():
        start = FURTHEST - QUOTA_NOISE[sets].margin
        for batches, bound in bounds.items():
            told_at = {bar: UP_TO[sets][max(start - bar, 0)] for bar in VALUES}
            told = (weight * (1 - (1 - told_at[bar]) ** batches) for bar, weight in NOISE[sets].items())
            assert 0.85 * bound < fsum(told) < bound, (sets, batches)


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    ("sets", "step", "mean", "low", "high", "below"),
    [
        (1, 1, 28, 5, 48, 0.0037),
        (1, 5, 35, 12, 55, 0.0009),
        (1, 20, 44, 18, 70, 0.0003),
        (1, 50, 59, 23, 96, 0.0002),
        (2, 1, 53, 3, 95, 0.0071),
        (2, 5, 68, 19, 110, 0.0018),
        (2, 20, 82, 32, 127, 0.0006),
        (2, 50, 98, 41, 155, 0.0003),
    ],
)
def test_quota_is_announced_so_many_people_above_its_limit_on_average(
    sets: int, step: int, mean: int, low: int, high: int, below: float
) -> None:
    """The figures of docs/mathematics.md, Quotas, with each offset of the first batch equally likely."""
    above = chances_above_limit(sets, step)
    assert abs(fsum(n * chance for n, chance in above.items()) - mean) < 0.6
    assert below / 3 < fsum(chance for n, chance in above.items() if n < 0) < below
    assert fsum(chance for n, chance in above.items() if low <= n <= high) > 0.98


def chances_above_limit(sets: int, step: int, limit: int = 200) -> dict[int, float]:
    """The chance of each number above the limit at which it is told, where each batch brings so many more."""
    chances: dict[int, float] = {}
    margin = QUOTA_NOISE[sets].margin
    for start, (bar, weight) in product(range(step), NOISE[sets].items()):
        alive = weight / step
        for count in range(start, limit + 3 * FURTHEST, step):
            told = alive * UP_TO[sets][min(max(count - limit - margin - bar + FURTHEST + 1, 0), len(VALUES))]
            chances[count - limit] = chances.get(count - limit, 0) + told
            alive -= told
    return chances


def test_announced_quota_stays_and_counting_below_the_bar_is_silent() -> None:
    full = QuotaCount(30, 35, 0, count=64).after_batch(4, 1, 0)
    assert full.full_after == 4
    assert full.after_batch(5, 2, -1000) == QuotaCount(30, 35, 0, count=67, full_after=4)
    assert QuotaCount(30, 35, 0, count=63).after_batch(4, 1, 0) == QuotaCount(30, 35, 0, count=64)
    assert not QuotaCount(30, 35, 1, count=64).after_batch(4, 1, 0).full_after
    assert not QuotaCount(30, 35, 0, count=64).after_batch(4, 1, 1).full_after


def test_noise_is_the_difference_of_two_geometric_numbers() -> None:
    """A geometric number goes on for 0 to 3 of five, or 0 to 8 of ten, so P(k) = (1-q) q^k, and the difference
    has the law of NOISE."""
    draws = iter([0, 3, 1, 4, 2, 4])
    assert QUOTA_NOISE[1].draw(lambda n: next(draws)) == 3 - 1
    asked, more = list[int](), iter([3, 4, 4, 8, 9, 9])

    def next_number_below(n: int) -> int:
        asked.append(n)
        return next(more)

    assert (QUOTA_NOISE[1].draw(next_number_below), QUOTA_NOISE[2].draw(next_number_below)) == (1, 1)
    assert asked == [5, 5, 5, 10, 10, 10]
    for q, noise in ((0.8, NOISE[1]), (0.9, NOISE[2])):
        geometric = [(1 - q) * q**k for k in range(400)]
        for k in range(-20, 21):
            law = fsum(geometric[j] * geometric[j + abs(k)] for j in range(300))
            assert isclose(law, noise[k], rel_tol=1e-9)
