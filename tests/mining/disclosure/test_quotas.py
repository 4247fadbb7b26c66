"""The attack of a quota: who fills the last place? By brute force over all answers and all noise.

Nine people answer in three batches of three; an attacker sees after which batch a quota is told as full, and knows all
answers but those of some, or exact tables of the first batches besides.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, combinations, product
from math import fsum, isclose

import pytest

from mining.disclosure.quotas import MARGIN, NEIGHBOUR_RATIO, QuotaCount, draw_noise

Q = float(NEIGHBOUR_RATIO)
FURTHEST = 100
"""Beyond it lies less than 1e-9 of the noise."""
VALUES = range(-FURTHEST, FURTHEST + 1)
NOISE = {k: (1 - Q) / (1 + Q) * Q ** abs(k) for k in VALUES}
UP_TO = [0.0, *accumulate(NOISE.values())]
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
def product_law(added: tuple[int, ...], limit: int = LIMIT - MARGIN) -> dict[int, float]:
    """Runs the product's own state over all noise. The limit is so low that the bar lies among the counts."""
    chances: dict[int, list[float]] = {output: [] for output in OUTPUTS}
    for bar, weight in NOISE.items():
        alive, cell = weight, QuotaCount(limit, bar)
        for number, more in enumerate(added, 1):
            # It is told for all noise below some value, which is found by asking the state.
            stops = bisect_left(VALUES, 1, key=lambda e: not cell.after_batch(number, more, e).full_after)
            told = UP_TO[stops]
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
    possible = [
        sequence
        for sequence in SEQUENCES
        if all(sequence[i] == known[i] for i in range(len(known)) if i not in unknown)
        and law(in_cell(sequence))[output] > 0
    ]
    return [i for i in unknown if len({sequence[i] for sequence in possible}) < 2] if possible else []


@pytest.mark.proof
def test_who_knows_all_others_learns_who_fills_the_last_place_of_an_exact_count() -> None:
    known = (1, 1, 1, 0, 0, 0, 0, 0, 0)
    assert determined_people(naive_law, 2, [5], known) == [5]
    assert determined_people(naive_law, NEVER, [5], known) == [5]


@pytest.mark.proof
def test_so_does_who_knows_an_exact_table_of_the_batches_before() -> None:
    """With one in the cell of the first batch, all three of the second fill it."""
    following = [
        sequence for sequence in SEQUENCES if in_cell(sequence)[0] == 1 and naive_law(in_cell(sequence))[2]
    ]
    assert {sequence[3:6] for sequence in following} == {(1, 1, 1)}


@pytest.mark.proof
def test_a_random_bar_alone_does_not_help_where_nobody_else_of_the_batch_is_in_the_cell() -> None:
    def bar_alone(added: Sequence[int]) -> dict[int, float]:
        chances = dict.fromkeys(OUTPUTS, 0.0)
        for bar, weight in NOISE.items():
            cell = QuotaCount(LIMIT - MARGIN, bar)
            for number, more in enumerate(added, 1):
                cell = cell.after_batch(number, more, 0)
            chances[cell.full_after] += weight
        return chances

    assert determined_people(bar_alone, 2, [5], (1, 1, 1, 0, 0, 0, 0, 0, 0)) == [5]
    assert determined_people(product_law, 2, [5], (1, 1, 1, 0, 0, 0, 0, 0, 0)) == []


@pytest.mark.proof
def test_no_answer_of_fewer_than_ten_people_follows_whatever_is_known_of_the_others() -> None:
    for output in OUTPUTS:
        assert all(product_law(in_cell(sequence))[output] > 0 for sequence in SEQUENCES)
    for count in (1, 2, 9):
        for unknown in list(combinations(range(9), count))[:12]:
            for output in OUTPUTS:
                assert not determined_people(product_law, output, unknown, (1, 1, 1, 0, 0, 0, 0, 0, 0))


@pytest.mark.proof
def test_beside_exact_tables_of_all_batches_no_answers_are_ruled_out() -> None:
    for counts in product(range(4), repeat=3):
        beside = [sequence for sequence in SEQUENCES if in_cell(sequence) == counts]
        for output in OUTPUTS:
            assert [sequence for sequence in beside if product_law(in_cell(sequence))[output] > 0] == beside


@pytest.mark.proof
def test_one_answer_changes_no_probability_by_more_than_the_stated_factor() -> None:
    furthest = 1.0
    for sequence in SEQUENCES:
        for person in range(9):
            other = (*sequence[:person], 1 - sequence[person], *sequence[person + 1 :])
            one, two = product_law(in_cell(sequence)), product_law(in_cell(other))
            furthest = max(furthest, *(one[output] / two[output] for output in OUTPUTS))
    assert 1.2 < furthest <= float(NEIGHBOUR_RATIO**-2) * (1 + 1e-9)


@pytest.mark.proof
def test_the_probabilities_are_a_law() -> None:
    assert all(
        isclose(fsum(product_law(added).values()), 1, abs_tol=1e-8) for added in product(range(4), repeat=3)
    )


@pytest.mark.proof
def test_a_quota_with_a_person_less_than_its_limit_is_told_once_in_a_thousand_batches_at_most() -> None:
    early = product_law((29,), limit=30)[1]
    assert 0.0005 < early < 0.001


@pytest.mark.proof
def test_it_is_told_thirty_five_to_fifty_nine_people_above_its_limit_on_average() -> None:
    """The figures of docs/mathematics.md, Quotas, with each offset of the first batch equally likely."""
    for step, mean, low, high in ((5, 35, 12, 55), (20, 44, 18, 70), (50, 59, 23, 96)):
        above = chances_above_limit(step)
        assert abs(fsum(n * chance for n, chance in above.items()) - mean) < 0.5
        assert fsum(chance for n, chance in above.items() if n < 0) < 0.001
        assert fsum(chance for n, chance in above.items() if low <= n <= high) > 0.98


def chances_above_limit(step: int, limit: int = 200) -> dict[int, float]:
    """The chance of each number above the limit at which it is told, where each batch brings so many more."""
    chances: dict[int, float] = {}
    for start, (bar, weight) in product(range(step), NOISE.items()):
        alive = weight / step
        for count in range(start, limit + 3 * FURTHEST, step):
            told = alive * UP_TO[min(max(count - limit - MARGIN - bar + FURTHEST + 1, 0), len(VALUES))]
            chances[count - limit] = chances.get(count - limit, 0) + told
            alive -= told
    return chances


def test_what_was_told_stays_and_counting_goes_on() -> None:
    full = QuotaCount(30, 0, count=64).after_batch(4, 1, 0)
    assert full.full_after == 4
    assert full.after_batch(5, 2, -1000) == QuotaCount(30, 0, count=67, full_after=4)


def test_below_the_bar_nothing_is_told() -> None:
    assert QuotaCount(30, 0, count=63).after_batch(4, 1, 0) == QuotaCount(30, 0, count=64)
    assert not QuotaCount(30, 1, count=64).after_batch(4, 1, 0).full_after
    assert not QuotaCount(30, 0, count=64).after_batch(4, 1, 1).full_after


def test_a_noise_is_the_difference_of_two_geometric_numbers() -> None:
    draws = iter([0, 3, 1, 4, 2, 4])
    assert draw_noise(lambda n: next(draws)) == 3 - 1


@pytest.mark.proof
def test_each_draw_goes_on_with_the_stated_ratio() -> None:
    """A geometric number goes on for 0 to 3 of five, so P(k) = (1-q) q^k, and the difference has the law of NOISE."""
    asked, draws = list[int](), iter([3, 4, 4])

    def below(n: int) -> int:
        asked.append(n)
        return next(draws)

    assert draw_noise(below) == 1
    assert asked == [5, 5, 5]
    geometric = {k: (1 - Q) * Q**k for k in range(400)}
    for k in range(-20, 21):
        law = fsum(geometric[j] * geometric[j + abs(k)] for j in range(200))
        assert isclose(law, NOISE[k], rel_tol=1e-9)
