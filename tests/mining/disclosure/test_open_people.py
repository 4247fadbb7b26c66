"""How many people chose no disguise: what follows of it from reports that tell exactly how many chose disguise."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, product

import numpy as np
import pytest

from intake.batches.sealing import batch_size
from mining.disclosure.attacker import OpenPeople, PublishedTotal, bound_open_people
from surveys.lifecycle.record_counts import Counts

LEAST = 20
Size = Callable[[np.random.Generator], int]


def of_least(_rng: np.random.Generator) -> int:
    """As batches were sealed at calm before their size was drawn."""
    return LEAST


def drawn(rng: np.random.Generator) -> int:
    return batch_size(LEAST, 0, lambda n: int(rng.integers(n)))


class Watched:
    """Four batches, a report after each, and a reader who knows how batches are sealed and sees the survey's page."""

    def __init__(self, seed: int, size: Size) -> None:
        rng = np.random.default_rng(seed)
        sizes = [size(rng) for _ in range(4)]
        self.opened = [int(rng.binomial(n, rng.choice([0.05, 0.2, 0.4]))) for n in sizes]
        self.sizes, self.in_all = sizes, [0, *np.cumsum(sizes).tolist()]

    def totals(self, ends: Sequence[int], smallest: int, largest: int) -> list[PublishedTotal]:
        pages = [PublishedTotal(0, end, *self.page(self.in_all[end])) for end in ends]
        return pages + [
            PublishedTotal(after, last, (last - after) * smallest, (last - after) * largest)
            for after, last in combinations([0, *ends], 2)
        ]

    @staticmethod
    def page(n: int) -> tuple[int, int]:
        low = Counts(n).as_shown_to_people(LEAST, rounded=True).sealed
        return low, low + LEAST - 1

    def spans(self, ends: Sequence[int], smallest: int, largest: int) -> list[OpenPeople]:
        disguised = {end: self.in_all[end] - sum(self.opened[:end]) for end in ends}
        return bound_open_people(disguised, self.totals(ends, smallest, largest))

    def published(self, smallest: int, largest: int) -> list[int]:
        """The ends of reports that are not refused: one that shows too few is joined with the next."""
        ends: list[int] = []
        for end in range(1, 5):
            spans = self.spans([*ends, end], smallest, largest)
            if not any(span.is_few(only_exact=False) for span in spans):
                ends.append(end)
        return ends

    def true(self, span: OpenPeople) -> int:
        return sum(self.opened[span.first_batch - 1 : span.last_batch])


def few_that_follow(watched: Watched, spans: Sequence[OpenPeople]) -> int:
    """How many spans of one to nine open people follow exactly."""
    return sum(span.low == span.high == watched.true(span) and 1 <= span.low <= 9 for span in spans)


def measured(size: Size, smallest: int, largest: int, *, refusing: bool, surveys: int = 150) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in range(surveys):
        watched = Watched(seed, size)
        ends = watched.published(smallest, largest) if refusing else range(1, 5)
        spans = watched.spans(list(ends), smallest, largest)
        found["spans"] += len(spans)
        found["few"] += sum(1 <= watched.true(span) <= 9 for span in spans)
        found["exact"] += few_that_follow(watched, spans)
        found["surveys"] += few_that_follow(watched, spans) > 0
        found["reports"] += len(ends)
    return found


def test_with_batches_of_least_every_count_of_few_open_people_follows() -> None:
    found = measured(of_least, LEAST, LEAST, refusing=False)
    assert found["exact"] == found["few"] > 500
    assert found["surveys"] > 125


def test_with_drawn_sizes_and_joined_spans_none_follows() -> None:
    found = measured(drawn, LEAST, LEAST + LEAST // 2, refusing=True)
    assert found["exact"] == 0
    assert found["reports"] > 150


def test_the_sizes_alone_leave_some_that_follow() -> None:
    """Where a batch has an end of the sizes, or the page turns: so spans are joined, too."""
    found = measured(drawn, LEAST, LEAST + LEAST // 2, refusing=False)
    assert 0 < found["exact"] < found["few"] / 20


def test_the_ends_are_those_of_all_sizes_that_fit(subtests: pytest.Subtests) -> None:
    """By brute force: every size of every batch that readers cannot rule out."""
    for seed in range(40):
        with subtests.test(f"{seed}"):
            watched, ends = Watched(seed, drawn), [1, 3]
            disguised = {end: watched.in_all[end] - sum(watched.opened[:end]) for end in ends}
            pages = {end: watched.page(watched.in_all[end]) for end in ends}
            possible = []
            for first, second in product(range(20, 31), range(40, 61)):
                opened = first - disguised[1], first + second - disguised[3]
                fits = pages[1][0] <= first <= pages[1][1] and pages[3][0] <= first + second <= pages[3][1]
                if fits and 0 <= opened[0] <= opened[1]:
                    possible.append((*opened, opened[1] - opened[0]))
            lows, highs = np.min(possible, axis=0), np.max(possible, axis=0)
            expected = [
                OpenPeople(1, 1, lows[0], highs[0]),
                OpenPeople(1, 3, lows[1], highs[1]),
                OpenPeople(2, 3, lows[2], highs[2]),
            ]
            spans = watched.spans(ends, 20, 30)
            assert sorted(spans, key=str) == sorted(expected, key=str)


def test_a_total_without_an_upper_end_leaves_the_span_without_one() -> None:
    spans = bound_open_people({1: 30}, [PublishedTotal(0, 1, 20, None)])
    assert spans == [OpenPeople(1, 1, 0, None)]
    assert not spans[0].is_few(only_exact=False)


def test_a_span_that_ends_below_ten_is_few_and_after_the_end_an_exact_one(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int, bool, bool]] = [
        (0, 0, False, False),
        (0, 9, True, False),
        (3, 3, True, True),
        (9, 9, True, True),
        (0, 10, False, False),
        (10, 10, False, False),
    ]
    for low, high, before, after in cases:
        with subtests.test(f"{low} {high}"):
            span = OpenPeople(1, 1, low, high)
            assert (span.is_few(only_exact=False), span.is_few(only_exact=True)) == (before, after)
