"""Bitmaps and histograms against counting records one at a time."""

import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from mining.counting import (
    BitmapCounter,
    HistogramCounter,
    PatternHistogram,
    SummedCounter,
    UnreadableHistogram,
    bitmaps,
    fits_in_histogram,
    kernel,
)
from mining.queries_and_counters import Query
from privacy.designs import Design
from privacy.records.packed_bit_columns import Columns, Words
from tests.intake.shapes import designs
from tests.mining.counting.by_hand import Records, any_queries, any_records, counted, mined, packed
from tests.privacy.questionnaires import (
    ASKED,
    HALF,
    IF_EMPLOYED,
    WORK,
    classes,
    design,
    plain,
    question,
    sensitive,
)

seeds = st.integers(0, 2**32)


def two_questions() -> Design:
    return design(plain(WORK), sensitive("0.5", question("theft", *HALF), question("drugs", *HALF)))


# Work, theft, drugs: employed is 0, yes is 1.
SIX: Records = [
    (0, [0, 1, 1]),
    (0, [1, 1, 0]),
    (1, [0, 1, 1]),
    (1, [0, 0, 1]),
    (1, [0, 1, 1]),
    (1, [1, 0, 0]),
]


def test_six_records_by_hand() -> None:
    form, columns = two_questions(), packed(two_questions(), SIX)
    queries = [Query(), Query(((1, 1),)), Query(((1, 1), (2, 1))), Query(((0, 0), (1, 0))), Query(((2, 0),))]
    histogram = PatternHistogram.count_records(form, [columns])
    stored = PatternHistogram.from_bytes(form, histogram.to_bytes())
    for counter in (HistogramCounter(histogram), HistogramCounter(stored), BitmapCounter(form, [columns])):
        assert counter.count(queries).tolist() == [[2, 4], [2, 2], [1, 2], [0, 1], [1, 1]]
        assert counter.count([]).shape == (0, 2)
    for nothing in (HistogramCounter(PatternHistogram.count_records(form, [])), BitmapCounter(form, [])):
        assert nothing.count(queries[:2]).tolist() == [[0, 0], [0, 0]]


def parts_of(form: Design, records: Records) -> list[Columns]:
    """Three batches, one of them shorter than a word."""
    cuts = [0, 20, len(records) // 2, len(records)]
    return [packed(form, records[start:end]) for start, end in pairwise(cuts)]


def counted_all(
    form: Design, records: Records, queries: list[Query], *, withheld: bool = False
) -> list[list[int]]:
    as_mined = [(group, mined(form, codes)) for group, codes in records]
    return [counted(form.mined, as_mined, query, withheld=withheld) for query in queries]


@pytest.mark.proof
@given(designs(numbers=True), seeds, st.booleans())
def test_bitmaps_count_what_is_there(form: Design, seed: int, withheld: bool) -> None:
    rng = np.random.default_rng(seed)
    records, queries = any_records(form, 150, rng), any_queries(form.mined, 20, rng)
    counter = BitmapCounter(form.mined, parts_of(form, records), withheld)
    expected = counted_all(form, records, queries, withheld=withheld)
    assert counter.count(queries).tolist() == expected
    assert [list(counter.n)] == counted_all(form, records, [Query()])


@pytest.mark.proof
@given(designs(numbers=True), seeds, st.booleans())
def test_histograms_count_what_is_there(form: Design, seed: int, withheld: bool) -> None:
    assume(fits_in_histogram(form.mined, 200))
    rng = np.random.default_rng(seed)
    records, queries = any_records(form, 150, rng), any_queries(form.mined, 20, rng)
    counter = HistogramCounter(PatternHistogram.count_records(form.mined, parts_of(form, records)), withheld)
    expected = counted_all(form, records, queries, withheld=withheld)
    assert counter.count(queries).tolist() == expected
    assert [list(counter.n)] == counted_all(form, records, [Query()])


@pytest.mark.proof
@given(designs(numbers=True), seeds)
def test_histograms_of_parts_add_up(form: Design, seed: int) -> None:
    assume(fits_in_histogram(form.mined, 200))
    records = any_records(form, 200, np.random.default_rng(seed))
    first, second, third = parts_of(form, records)
    summed = PatternHistogram.count_records(form.mined, [first]) + PatternHistogram.count_records(
        form.mined, [second, third]
    )
    together = PatternHistogram.count_records(form.mined, [packed(form, records)])
    assert summed.keys.tolist() == together.keys.tolist()
    assert summed.counts.tolist() == together.counts.tolist()


def test_counts_of_parts_add_up() -> None:
    form = two_questions()
    rng = np.random.default_rng(1)
    records, queries = any_records(form, 500, rng), any_queries(form, 50, rng)
    counters = [BitmapCounter(form, [part]) for part in parts_of(form, records)]
    summed = SummedCounter(form, counters)
    assert summed.count(queries).tolist() == [counted(form, records, query) for query in queries]
    assert list(summed.n) == counted(form, records, Query())


@pytest.mark.night
@pytest.mark.proof
@given(designs(numbers=True), seeds, st.integers(2, 5))
def test_threads_count_what_one_counts(form: Design, seed: int, threads: int) -> None:
    rng = np.random.default_rng(seed)
    records, queries = any_records(form, 500, rng), any_queries(form.mined, 30, rng)
    with pytest.MonkeyPatch.context() as patch:
        # Blocks of two words, so that all threads have some.
        patch.setattr(bitmaps, "MOST_WORDS", 2)
        patch.setattr(bitmaps, "LEAST_WORDS", 1)
        one, several = (
            BitmapCounter(form.mined, parts_of(form, records), threads=many) for many in (1, threads)
        )
        assert several.count(queries).tolist() == one.count(queries).tolist()


@pytest.mark.parametrize(
    ("opened", "disguised"), [(0, 130), (130, 0), (64, 64), (63, 66), (65, 1), (1, 1), (200, 321)]
)
def test_open_records_first_or_anywhere_are_counted_alike(
    opened: int, disguised: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bitmaps, "MOST_WORDS", 3)
    monkeypatch.setattr(bitmaps, "LEAST_WORDS", 1)
    form, rng = two_questions(), np.random.default_rng(opened)
    queries, some = any_queries(form, 50, rng), any_records(form, opened + disguised, rng)
    records = [(int(index >= opened), codes) for index, (_group, codes) in enumerate(some)]
    parts = [packed(form, records), packed(form, records[::-1]), packed(form, records[1::2])]
    expected = [counted(form, [*records, *records, *records[1::2]], query) for query in queries]
    assert BitmapCounter(form, parts).count(queries).tolist() == expected


@pytest.mark.parametrize("step", [1, -1])
def test_blocks_of_a_single_part_are_read_where_they_are(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitmaps, "MOST_WORDS", 2)
    monkeypatch.setattr(bitmaps, "LEAST_WORDS", 1)
    form, tally, blocks = two_questions(), kernel.compile_counting_loop(), 0
    records = sorted(any_records(form, 521, np.random.default_rng(7)), key=lambda record: record[0])[::step]
    part = packed(form, records)

    def count(columns: Words, *others: object) -> None:
        nonlocal blocks
        blocks += np.shares_memory(columns, part.words)
        tally(columns, *others)

    monkeypatch.setattr(kernel, "compile_counting_loop", lambda: count)
    queries = [Query(((1, 1),)), Query(((0, 1), (2, 1))), Query(((0, 1), (1, 1), (2, 1)))]
    expected = [counted(form, records, query) for query in queries]
    assert BitmapCounter(form, [part]).count(queries).tolist() == expected
    assert blocks == 5


def test_words_of_one_group_are_told_apart_by_the_records() -> None:
    def spans(group: list[int]) -> list[tuple[int, ...]]:
        part = packed(two_questions(), [(one, [0, 0, 0]) for one in group])
        return [tuple(span) for span in bitmaps._spans_by_group([part])]

    opened, mixed, disguised = bitmaps.OPEN_ALONE, bitmaps.MIXED, bitmaps.DISGUISED_ALONE
    assert spans([0] * 128) == [(0, 0, 2, opened)]
    assert spans([1] * 129) == [(0, 0, 3, disguised)]
    assert spans([0] * 70 + [1] * 100) == [(0, 0, 1, opened), (0, 1, 1, mixed), (0, 2, 1, disguised)]
    assert spans([0] * 64 + [1] * 64) == [(0, 0, 1, opened), (0, 1, 1, disguised)]
    assert spans([1] * 100 + [0] * 70) == [(0, 0, 3, mixed)]


class Stopped(Exception):
    pass


@pytest.mark.parametrize("threads", [1, 3])
def test_whoever_watches_a_count_sees_it_grow_and_may_end_it(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bitmaps, "MOST_WORDS", 1)
    monkeypatch.setattr(bitmaps, "LEAST_WORDS", 1)
    monkeypatch.setattr(bitmaps, "LOOK_SECONDS", 0.01)
    form = two_questions()
    parts, shares = [packed(form, any_records(form, 64, np.random.default_rng(1)) * 400)], list[float]()

    def watch(share: float) -> None:
        assert threading.current_thread() is threading.main_thread()
        shares.append(share)
        if share > 0.2:
            raise Stopped

    counter = BitmapCounter(form, parts, threads=threads, watch=watch)
    tally = kernel.compile_counting_loop()

    def slow(*arguments: object) -> None:
        time.sleep(0.001)
        tally(*arguments)

    monkeypatch.setattr(kernel, "compile_counting_loop", lambda: slow)
    before = threading.active_count()
    with pytest.raises(Stopped):
        counter.count([Query(((1, 1),))])
    assert len(shares) > 1
    assert shares == sorted(shares)
    assert shares[-1] < 1
    assert threading.active_count() == before


# Of the five records below, stored before designs could ask for numbers.
STORED = bytes.fromhex(
    """43414e444f524801d13289cab7fab3a828d60bbe8e48c9579bda62d88023b7d9701b26e5a4b2c4cc0500000000000000
    7801e366800039286d08a55da074049486518c50068c8689c3687471181f46c3d401005f4000fc"""
)
FIVE: Records = [
    (1, [0, 0, 3, 1]),
    (0, [0, 1, 2, 2]),
    (1, [1, 3, 0, 2]),
    (1, [1, 2, 1, 0]),
    (0, [0, 2, 2, 1]),
]


def test_a_histogram_of_an_earlier_version_counts_what_it_did() -> None:
    rng = np.random.default_rng(1)
    queries = any_queries(ASKED, 60, rng)
    stored = HistogramCounter(PatternHistogram.from_bytes(ASKED, STORED))
    assert stored.count(queries).tolist() == [counted(ASKED, FIVE, query) for query in queries]
    again = PatternHistogram.count_records(ASKED, [packed(ASKED, FIVE)])
    assert again.keys.tolist() == stored.histogram.keys.tolist()


def test_a_histogram_that_is_damaged_or_of_another_design_is_refused() -> None:
    data = PatternHistogram.count_records(two_questions(), [packed(two_questions(), SIX)]).to_bytes()
    for damaged in (data[:-1], b"?" + data[1:], b""):
        with pytest.raises(UnreadableHistogram):
            PatternHistogram.from_bytes(two_questions(), damaged)
    with pytest.raises(UnreadableHistogram):
        PatternHistogram.from_bytes(design(sensitive("0.5", question("theft", *HALF))), data)


def yes_no(count: int, **more: int) -> Design:
    return design(sensitive("0.5", *[question(f"q{place}", *HALF) for place in range(count)], **more))


def test_sixteen_items_fit_a_histogram_and_seventeen_do_not() -> None:
    assert fits_in_histogram(yes_no(16), 999_999)
    assert not fits_in_histogram(yes_no(17), 999_999)


def test_from_a_million_records_eighteen_items_fit() -> None:
    assert fits_in_histogram(yes_no(18), 1_000_000)
    assert not fits_in_histogram(yes_no(19), 1_000_000)


def test_under_rotation_the_tables_of_all_drawn_sets_count() -> None:
    # 560 sets of three of sixteen, eight cells each; but 8,008 sets of six, 64 cells each.
    assert fits_in_histogram(yes_no(16, asked=3), 1000)
    assert not fits_in_histogram(yes_no(16, asked=6), 1000)


def test_a_question_that_a_rule_hides_takes_three_places() -> None:
    # 2 for work, and 3^8 = 6,561 times 2^2 for the others: 52,488; with one more of them, too many.
    hidden = [question(f"q{place}", *HALF, **IF_EMPLOYED) for place in range(8)]
    shown = [question(f"p{place}", *HALF) for place in range(3)]
    assert fits_in_histogram(design(plain(WORK), sensitive("0.5", *hidden, *shown[:2])), 1000)
    assert not fits_in_histogram(design(plain(WORK), sensitive("0.5", *hidden, *shown)), 1000)


def test_a_number_is_never_counted_by_patterns() -> None:
    assert not fits_in_histogram(design(classes("debt", "0.5", 0, 1)).mined, 1000)
