"""Bitmaps and histograms against counting records one at a time, from batches and from record files."""

import threading
import time
import tracemalloc
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mining.counting import (
    BitmapCounter,
    HistogramCounter,
    PatternHistogram,
    SummedCounter,
    UnreadableHistogram,
    bitmap_counter,
    counting_kernel,
    fits_in_histogram,
    load_counting_loop,
    make_counter,
    read_record_csv,
)
from mining.counting.bitmap_counter import MOST_WORDS
from mining.counting.counting_kernel import compile_counting_loop
from mining.itemsets.frequent import find_frequent_itemsets
from mining.parameters import Parameters
from mining.queries_and_counters import Counter, Query
from privacy.designs import Design
from privacy.records.batch_bit_columns import Columns, Words
from privacy.records.record_file_blocks import BLOCK
from tests.mining.listed import (
    Records,
    any_queries,
    any_records,
    count_by_hand,
    mined_codes_by_hand,
    pack,
    pack_records,
)
from tests.privacy.questionnaires import (
    ASKED,
    HALF,
    IF_EMPLOYED,
    THIRDS,
    WORK,
    YES_NO,
    classes,
    design,
    plain,
    question,
    refusal,
    sensitive,
)
from tests.privacy.strategies import small_designs

seeds = st.integers(0, 2**32)

TWO = design(plain(WORK), sensitive("0.5", question("theft", *HALF), question("drugs", *HALF)))

SIX: Records = [(0, [0, 1, 1]), (0, [1, 1, 0]), (1, [0, 1, 1]), (1, [0, 0, 1])]
SIX += [(1, [0, 1, 1]), (1, [1, 0, 0])]


def test_six_records_are_counted_by_hand() -> None:
    form, columns = TWO, pack_records(TWO, SIX)
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
    return [pack_records(form, records[start:end]) for start, end in pairwise(cuts)]


def counted_all(
    form: Design, records: Records, queries: list[Query], *, withheld: bool = False
) -> list[list[int]]:
    as_mined = [(group, mined_codes_by_hand(form, codes)) for group, codes in records]
    return [count_by_hand(form.mined, as_mined, query, withheld=withheld) for query in queries]


@pytest.mark.proof
@settings(max_examples=max(15, settings().max_examples))
@given(small_designs(numbers=True), seeds, st.booleans())
def test_bitmaps_histograms_and_sums_count_the_records(form: Design, seed: int, withheld: bool) -> None:
    rng = np.random.default_rng(seed)
    records, queries = any_records(form, 150, rng), any_queries(form.mined, 20, rng)
    parts = parts_of(form, records)
    of_parts = [BitmapCounter(form.mined, [part], withheld) for part in parts]
    counters: list[Counter] = [SummedCounter(form.mined, of_parts)]
    counters.append(BitmapCounter(form.mined, parts, withheld))
    if fits_in_histogram(form.mined, 200):
        divided = parts[:1], parts[1:], [pack_records(form, records)]
        first, others, whole = (PatternHistogram.count_records(form.mined, of) for of in divided)
        summed = first + others
        assert (summed.keys.tolist(), summed.counts.tolist()) == (whole.keys.tolist(), whole.counts.tolist())
        counters.append(HistogramCounter(summed, withheld))
    expected = counted_all(form, records, queries, withheld=withheld)
    for counter in counters:
        assert counter.count(queries).tolist() == expected
        assert [list(counter.n)] == counted_all(form, records, [Query()])


@pytest.mark.night
@pytest.mark.proof
@given(small_designs(numbers=True), seeds, st.integers(2, 5))
def test_threads_count_like_one(form: Design, seed: int, threads: int) -> None:
    rng = np.random.default_rng(seed)
    records, queries = any_records(form, 500, rng), any_queries(form.mined, 30, rng)
    with pytest.MonkeyPatch.context() as patch:
        # Blocks of two words, so that all threads have some.
        patch.setattr(bitmap_counter, "MOST_WORDS", 2)
        patch.setattr(bitmap_counter, "LEAST_WORDS", 1)
        parts = parts_of(form, records)
        one, several = (BitmapCounter(form.mined, parts, threads=many) for many in (1, threads))
        assert several.count(queries).tolist() == one.count(queries).tolist()


def test_open_records_are_counted_alike_in_any_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitmap_counter, "MOST_WORDS", 3)
    monkeypatch.setattr(bitmap_counter, "LEAST_WORDS", 1)
    for opened, disguised in [(0, 130), (130, 0), (64, 64), (63, 66), (65, 1), (1, 1), (200, 321)]:
        rng = np.random.default_rng(opened)
        queries, some = any_queries(TWO, 50, rng), any_records(TWO, opened + disguised, rng)
        records = [(int(index >= opened), codes) for index, (_group, codes) in enumerate(some)]
        parts = [
            pack_records(TWO, records),
            pack_records(TWO, records[::-1]),
            pack_records(TWO, records[1::2]),
        ]
        expected = [count_by_hand(TWO, [*records, *records, *records[1::2]], query) for query in queries]
        assert BitmapCounter(TWO, parts).count(queries).tolist() == expected, (opened, disguised)


def test_blocks_of_one_part_are_read_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitmap_counter, "MOST_WORDS", 2)
    monkeypatch.setattr(bitmap_counter, "LEAST_WORDS", 1)
    tally, read = counting_kernel.compile_counting_loop(), list[Words]()

    def count(columns: Words, *others: object) -> None:
        read.append(columns)
        tally(columns, *others)

    monkeypatch.setattr(counting_kernel, "compile_counting_loop", lambda: count)
    queries = [Query(((1, 1),)), Query(((0, 1), (2, 1))), Query(((0, 1), (1, 1), (2, 1)))]
    records = sorted(any_records(TWO, 521, np.random.default_rng(7)), key=lambda record: record[0])
    for part in (pack_records(TWO, records), pack_records(TWO, records[::-1])):
        read.clear()
        expected = [count_by_hand(TWO, records, query) for query in queries]
        assert BitmapCounter(TWO, [part]).count(queries).tolist() == expected
        assert sum(np.shares_memory(columns, part.words) for columns in read) == 5


class Stopped(Exception):
    pass


@pytest.mark.parametrize("threads", [1, 3])
def test_watcher_sees_a_count_progress_and_may_end_it(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitmap_counter, "MOST_WORDS", 1)
    monkeypatch.setattr(bitmap_counter, "LEAST_WORDS", 1)
    monkeypatch.setattr(bitmap_counter, "LOOK_SECONDS", 0.01)
    form = TWO
    parts, shares = [pack_records(form, any_records(form, 64, np.random.default_rng(1)) * 400)], list[float]()

    def watch_share(share: float) -> None:
        assert threading.current_thread() is threading.main_thread()
        shares.append(share)
        if share > 0.2:
            raise Stopped

    counter = BitmapCounter(form, parts, threads=threads, watch=watch_share)
    tally = counting_kernel.compile_counting_loop()

    def slow(*arguments: object) -> None:
        time.sleep(0.001)
        tally(*arguments)

    monkeypatch.setattr(counting_kernel, "compile_counting_loop", lambda: slow)
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
FIVE: Records = [(1, [0, 0, 3, 1]), (0, [0, 1, 2, 2]), (1, [1, 3, 0, 2])]
FIVE += [(1, [1, 2, 1, 0]), (0, [0, 2, 2, 1])]


def test_histograms_of_earlier_versions_are_read_or_refused() -> None:
    rng = np.random.default_rng(1)
    queries = any_queries(ASKED, 60, rng)
    stored = HistogramCounter(PatternHistogram.from_bytes(ASKED, STORED))
    assert stored.count(queries).tolist() == [count_by_hand(ASKED, FIVE, query) for query in queries]
    again = PatternHistogram.count_records(ASKED, [pack_records(ASKED, FIVE)])
    assert again.keys.tolist() == stored.histogram.keys.tolist()
    data = PatternHistogram.count_records(TWO, [pack_records(TWO, SIX)]).to_bytes()
    for damaged in (data[:-1], b"?" + data[1:], b""):
        with pytest.raises(UnreadableHistogram):
            PatternHistogram.from_bytes(TWO, damaged)
    with pytest.raises(UnreadableHistogram):
        PatternHistogram.from_bytes(design(sensitive("0.5", question("theft", *HALF))), data)


def test_designs_that_fit_a_histogram_are_recognised() -> None:
    def yes_no(count: int, **more: int) -> Design:
        return design(sensitive("0.5", *[question(f"q{place}", *HALF) for place in range(count)], **more))

    hidden = [question(f"q{place}", *HALF, **IF_EMPLOYED) for place in range(8)]
    shown = [question(f"p{place}", *HALF) for place in range(3)]
    cases = [
        (yes_no(16), 999_999, True),
        (yes_no(17), 999_999, False),
        (yes_no(18), 1_000_000, True),
        (yes_no(19), 1_000_000, False),
        # Under rotation 560 sets of three of sixteen, eight cells each; but 8,008 sets of six, 64 cells each.
        (yes_no(16, asked=3), 1000, True),
        (yes_no(16, asked=6), 1000, False),
        # 190 sets of two of twenty, four cells each, though all twenty together would have a million.
        (yes_no(20, asked=2), 1000, True),
        # 2 for work, and 3^8 = 6,561 times 2^2 for the others: 52,488; with one more of them, too many.
        (design(plain(WORK), sensitive("0.5", *hidden, *shown[:2])), 1000, True),
        (design(plain(WORK), sensitive("0.5", *hidden, *shown)), 1000, False),
        # A number is never counted by patterns.
        (design(classes("debt", "0.5", 0, 1)).mined, 1000, False),
    ]
    assert [fits_in_histogram(form, n) for form, n, _fits in cases] == [fits for *_case, fits in cases]


WORDS, CODES = 9, 7


def test_each_counting_path_works_for_any_number_of_columns() -> None:
    """Records are sorted by code, 64 columns at a time."""
    for columns in [1, 63, 64, 65, 130]:
        rng = np.random.default_rng(columns)
        bits = rng.random((1 + columns, WORDS * 64)) < 0.5
        codes = rng.integers(0, CODES, WORDS * 64).astype(np.int32)
        codes[codes == 2] = 3  # A code that no record has.
        of = [[*range(at, at + size)] for size in range(1, 5) for at in range(1, columns - size + 2)]
        paths = np.array([path + [-1] * (4 - len(path)) for path in of], np.int32)
        lengths, shared = np.array(list(map(len, of)), np.int32), np.zeros(len(of), np.int32)
        counts = np.ones((len(of), CODES), np.int64)
        words = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
        prefixes = np.empty((4, WORDS), np.uint64)
        compile_counting_loop(by_code=True)(words, WORDS, codes, paths, lengths, shared, prefixes, counts)
        for path, found in zip(of, counts, strict=True):
            having = np.bincount(codes[bits[path].all(axis=0)], minlength=CODES)
            assert found.tolist() == (1 + having).tolist(), (columns, path)


@pytest.mark.proof
def test_records_beyond_a_block_or_chunk_add_up_across_batches() -> None:
    form = design(sensitive("0.5", question("a", *HALF), question("b", *HALF), question("c", *THIRDS)))
    n, rng = 64 * MOST_WORDS + 100_001, np.random.default_rng(3)
    group = rng.integers(0, 2, n).astype(np.uint8)
    codes = np.array([rng.integers(0, most, n) for most in (2, 2, 3)], np.uint8)
    cuts = pairwise([0, 64 * 1000 + 1, 64 * 1000 + 77, 200_000, n])
    batches = [pack(form, group[start:end], codes[:, start:end]) for start, end in cuts]
    queries = [Query(((0, 1),)), Query(((0, 1), (1, 0))), Query(((0, 1), (1, 1), (2, 2))), Query(((2, 0),))]
    holds = [np.all([codes[place] == code for place, code in query.items], axis=0) for query in queries]
    expected = [[int((having & (group == of)).sum()) for of in (0, 1)] for having in holds]
    histogram = HistogramCounter(PatternHistogram.count_records(form, batches))
    for counter in (BitmapCounter(form, batches), histogram):
        assert counter.count(queries).tolist() == expected


WITHHELD = "group,work,theft\nopen,?,yes\nopen,?,no\n"
WITHHELD += "disguised,employed,yes\ndisguised,not,yes\ndisguised,employed,no\n"


def csv_counter(text: str) -> Counter:
    form = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
    return read_record_csv(form, BytesIO(text.encode()), "records.csv").counter()


@pytest.mark.proof
def test_withheld_plain_answer_counts_as_not_asked() -> None:
    both, asked = Query((EMPLOYED, THEFT)), Query(asked=(0,))
    queries = [Query((THEFT,)), Query(), asked, Query((THEFT,), asked=(0,)), both, Query(applies=(0,))]
    assert csv_counter(WITHHELD).count(queries).tolist() == [[1, 2], [2, 3], [0, 3], [0, 2], [0, 1], [0, 3]]
    told = WITHHELD.replace("?", "employed")
    assert csv_counter(told).count([asked, both]).tolist() == [[2, 3], [1, 1]]
    # Longer than one packing.
    many = BLOCK // len("disguised,employed,yes\n") + 5
    rows = ["disguised,employed,yes"] * many + ["open,?,no"] * 3
    counter = csv_counter("\n".join(["group,work,theft", *rows]))
    assert counter.n == (3, many)
    assert counter.count([Query((THEFT,))]).tolist() == [[0, many]]
    bad = "group,work,theft\nopen,not,no\nopen,not,no\nopen,not,maybe\n"
    assert "records.csv:4: theft" in refusal(csv_counter, bad)


THEFT, EMPLOYED = (1, 1), (0, 0)


@pytest.mark.proof
def test_half_a_million_records_of_forty_questions_need_little_memory() -> None:
    form = design(sensitive("0.5", *({"name": f"q{place}", "choices": YES_NO} for place in range(40))))
    rng = np.random.default_rng(5)
    n = 500_000
    group = (rng.random(n) < 0.8).astype(np.uint8)
    # Often enough that every triple is counted.
    codes = (rng.random((40, n), np.float32) < 0.6).astype(np.uint8)
    columns = pack(form, group, codes)
    load_counting_loop()
    for exact in (False, True):
        tracemalloc.start()
        found = find_frequent_itemsets(make_counter(form, [columns]), Parameters(0.1, 0.5, exact=exact))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert found.levels[2].candidates == 9880, exact
        assert peak < 48_000_000, exact
