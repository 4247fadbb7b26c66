"""How many people chose no disguise, and which open records are used: ten or none of what rules show, never a few."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product

import numpy as np
from hypothesis import given, strategies as st

from intake.batches.sealing import draw_batch_size_leaving_least
from mining.disclosure.attacker import OpenPeople, PublishedTotal, bound_open_people
from mining.disclosure.open_record_tables import (
    OpenTable,
    condition_pattern_by_record,
    count_condition_patterns,
    has_named_pattern,
    patterns_safe_to_count,
    publishable_open_questions,
    sensitive_question_conditions,
)
from mining.disclosure.plain_table_counts import LEAST
from privacy.designs import Design
from privacy.records.batch_bit_columns import Columns
from surveys.lifecycle.record_counts import Counts
from tests.mining.listed import pack
from tests.runs.sealed import make_design, plain, section

SEALED = 20
Size = Callable[[np.random.Generator], int]


def draw_batch_size(rng: np.random.Generator) -> int:
    return draw_batch_size_leaving_least(SEALED, 0, lambda n: int(rng.integers(n)))


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
        low = Counts(n).as_shown_to_people(SEALED, rounded=True).sealed
        return low, low + SEALED - 1

    def open_people_ranges(self, ends: Sequence[int], smallest: int, largest: int) -> list[OpenPeople]:
        disguised = {end: self.in_all[end] - sum(self.opened[:end]) for end in ends}
        return bound_open_people(disguised, self.totals(ends, smallest, largest))

    def published(self, smallest: int, largest: int) -> list[int]:
        """The ends of reports that are not refused: one that shows too few is joined with the next."""
        ends: list[int] = []
        for end in range(1, 5):
            spans = self.open_people_ranges([*ends, end], smallest, largest)
            if not any(span.is_few(only_exact=False) for span in spans):
                ends.append(end)
        return ends

    def true_open_people(self, span: OpenPeople) -> int:
        return sum(self.opened[span.first_batch - 1 : span.last_batch])


def few_that_follow(watched: Watched, spans: Sequence[OpenPeople]) -> int:
    """How many spans of one to nine open people follow exactly."""
    return sum(
        span.low == span.high == watched.true_open_people(span) and 1 <= span.low <= 9 for span in spans
    )


def count_outcomes(
    size: Size, smallest: int, largest: int, *, refusing: bool, surveys: int = 150
) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in range(surveys):
        watched = Watched(seed, size)
        ends = watched.published(smallest, largest) if refusing else range(1, 5)
        spans = watched.open_people_ranges(list(ends), smallest, largest)
        found["spans"] += len(spans)
        found["few"] += sum(1 <= watched.true_open_people(span) <= 9 for span in spans)
        found["exact"] += few_that_follow(watched, spans)
        found["surveys"] += few_that_follow(watched, spans) > 0
        found["reports"] += len(ends)
    return found


def test_no_small_open_group_follows_with_drawn_sizes_and_joined_spans() -> None:
    """With batches of `least` every count of few open people did; the sizes alone leave some that follow, where a batch
    has an end of the sizes, or the page turns: so spans are joined, too."""
    # As batches were sealed at calm before their size was drawn.
    of_least_alone = count_outcomes(lambda _rng: SEALED, SEALED, SEALED, refusing=False)
    assert of_least_alone["exact"] == of_least_alone["few"] > 500
    assert of_least_alone["surveys"] > 125
    most = SEALED + SEALED // 2
    sizes_alone, joined = (
        count_outcomes(draw_batch_size, SEALED, most, refusing=joins) for joins in (False, True)
    )
    assert 0 < sizes_alone["exact"] < sizes_alone["few"] / 20
    assert joined["exact"] == 0
    assert joined["reports"] > 150


def test_bounds_are_those_of_all_fitting_sizes() -> None:
    """By brute force: every size of every batch that readers cannot rule out."""
    for seed in range(40):
        watched, ends = Watched(seed, draw_batch_size), [1, 3]
        disguised = {end: watched.in_all[end] - sum(watched.opened[:end]) for end in ends}
        pages = {end: watched.page(watched.in_all[end]) for end in ends}
        possible = []
        for first, second in product(range(20, 31), range(40, 61)):
            opened = first - disguised[1], first + second - disguised[3]
            fits = pages[1][0] <= first <= pages[1][1] and pages[3][0] <= first + second <= pages[3][1]
            if fits and 0 <= opened[0] <= opened[1]:
                possible.append((*opened, opened[1] - opened[0]))
        lows, highs = np.min(possible, axis=0), np.max(possible, axis=0)
        ends_of = zip(((1, 1), (1, 3), (2, 3)), lows, highs, strict=True)
        expected = [OpenPeople(*batches, low, high) for batches, low, high in ends_of]
        assert sorted(watched.open_people_ranges(ends, 20, 30), key=str) == sorted(expected, key=str), seed


def test_span_ending_below_ten_counts_as_few() -> None:
    few_before, few_after = [(0, 9), (3, 3), (9, 9)], [(3, 3), (9, 9)]
    for ends in (*few_before, (0, 0), (0, 10), (10, 10)):
        span = OpenPeople(1, 1, *ends)
        assert span.is_few(only_exact=False) == (ends in few_before), ends
        assert span.is_few(only_exact=True) == (ends in few_after), ends
    # A total without an upper end leaves the span without one.
    spans = bound_open_people({1: 30}, [PublishedTotal(0, 1, 20, None)])
    assert spans == [OpenPeople(1, 1, 0, None)]
    assert not spans[0].is_few(only_exact=False)


A, B, C = range(3)


def design(*, asked: int | None = None) -> Design:
    """theft is shown to a and b, lie to a alone, and drugs to everybody."""
    sensitive = section("theft", "lie", "drugs", asked=asked)
    sensitive["questions"][0]["show_if"] = {"where": ["a", "b"]}
    sensitive["questions"][1]["show_if"] = {"where": ["a"]}
    return make_design(plain("where", "a", "b", "c"), plain("age", "young", "old"), sensitive)


def columns(of: Design, where: list[int], **answers: int) -> Columns:
    """Of these classes; a question that a rule hides has no answer."""
    n = len(where)
    codes = np.zeros((len(of.questions), n), np.uint16)
    codes[0] = where
    codes[1] = answers.get("age", 0)
    for place, question in enumerate(of.questions[2:], 2):
        codes[place] = answers.get(question.name, 0)
        for rule in question.show_if:
            codes[place, ~np.isin(codes[rule.place], sorted(rule.codes))] = question.not_applicable
    return pack(of, np.zeros(n, np.uint8), codes)


def count_patterns(of: Columns) -> Mapping[str, int]:
    return count_condition_patterns(condition_pattern_by_record(of))


def test_open_people_are_grouped_by_what_rules_show() -> None:
    """a and b differ in a condition, young and old in none; a survey without rules has one group."""
    of = design()
    assert [sorted(rule.codes) for rule in sensitive_question_conditions(of.mined)] == [[A], [A, B]]
    young, old = (count_patterns(columns(of, [A] * 12 + [B] * 13 + [C] * 4, age=age)) for age in (0, 1))
    assert sorted(young.values()) == [4, 12, 13]
    assert young == old
    without = make_design(plain("where", "a", "b"), plain("age", "young", "old"), section("theft"))
    found = count_patterns(columns(without, [A] * 30))
    assert list(found.values()) == [30]
    assert patterns_safe_to_count(found) == frozenset(found)


@given(st.dictionaries(st.sampled_from([f"{n:02x}" for n in range(12)]), st.integers(1, 30)))
def test_one_to_nine_open_people_are_never_left_out(of: dict[str, int]) -> None:
    used = patterns_safe_to_count(of)
    out = sum(size for pattern, size in of.items() if pattern not in used)
    assert all(of[pattern] >= LEAST for pattern in used)
    assert out == 0 or out >= LEAST or not used
    # No more than must be: without the largest of those left out they would be a few, or it is one of a few.
    if out and used:
        largest = max(size for pattern, size in of.items() if pattern not in used)
        assert largest < LEAST or out - largest < LEAST


def test_choice_of_open_records_depends_on_no_sensitive_answer_or_draw() -> None:
    of, where = design(asked=2), [A] * 12 + [B] * 9 + [C] * 20
    first = columns(of, where)
    others = columns(of, where, theft=1, drugs=1), columns(of, where, lie=of.questions[3].not_asked)
    found = count_patterns(first)
    assert [count_patterns(other) for other in others] == [found, found]
    # Nine are too few; with the next smallest group they are at least ten.
    has_large = has_named_pattern(condition_pattern_by_record(first), patterns_safe_to_count(found))
    assert has_large.tolist() == [False] * 21 + [True] * 20


def test_class_beside_a_pattern_has_none_or_ten_people() -> None:
    """Of 13 with the pattern ten are in one class: three follow by subtraction."""
    of = design().mined
    for counts, told in (
        ([[10, 0, 0], [3, 0, 0], [0, 20, 20]], False),
        ([[10, 0, 0], [0, 20, 0], [0, 0, 20]], True),
        ([[9, 0, 0], [0, 20, 0], [0, 0, 20]], False),
    ):
        assert OpenTable((0,), np.array(counts)).may_be_published(of, {}) is told, counts
    table = OpenTable((0,), np.array([[20, 0, 0], [0, 20, 0], [0, 0, 20]]))
    assert not table.may_be_published(of, {0: frozenset({A, C})})
    assert publishable_open_questions(of, [table], {}) == {0}


def test_condition_patterns_are_two_bits_and_read_back_from_names() -> None:
    """Where s needs a in {1, 2} and r in {1, 2}, the cell of both threes follows from a bit a question."""
    both = section("s")
    both["questions"][0]["show_if"] = {"first": ["1", "2"], "second": ["1", "2"]}
    of = make_design(plain("first", "1", "2", "3"), plain("second", "1", "2", "3"), both)
    codes = np.array([[0, 0, 2, 2], [0, 2, 0, 2], [0, 2, 2, 2]], np.uint16)
    codes[2, 1:] = of.questions[2].not_applicable
    assert len(sensitive_question_conditions(of.mined)) == 2
    packed = pack(of, np.zeros(4, np.uint8), codes)
    assert sorted(count_patterns(packed).values()) == [1, 1, 1, 1]
    for n in [1, 9, 63, 64, 65]:
        group = condition_pattern_by_record(columns(design(), [A] * n + [C]))
        (name,) = count_condition_patterns(group[:1])
        assert has_named_pattern(group, frozenset({name})).tolist() == [True] * n + [False], n
