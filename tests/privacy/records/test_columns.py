import json
from collections.abc import Callable
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from intake.batches.sealing import random_permutation
from intake.endpoint.store_record import encode_for_inbox, read_inbox
from privacy.designs import Design, parse
from privacy.kinds.number.window.section import WindowQuestion
from privacy.kinds.smallest_code_type import Codes
from privacy.records import Record, check_codes, encode_answers, packed_bit_columns
from tests.intake.shapes import any_codes, designs
from tests.mining.listed import mined
from tests.privacy.questionnaires import (
    ASKED,
    IF_EMPLOYED,
    WORK,
    classes,
    design as of_sections,
    place_in_row as place_section,
    plain,
    window,
)

HEADER = 64


def forty() -> Design:
    questions = [{"name": f"q{place}", "choices": ["no", "yes"]} for place in range(40)]
    section = {"kind": "unrelated-question", "keep": "0.5", "questions": questions}
    return parse(json.dumps({"format": "candor-design/1", "sections": [section]}))


def records(design: Design, n: int, seed: int) -> tuple[NDArray[np.uint8], Codes]:
    rng = np.random.default_rng(seed)
    codes = np.array([any_codes(design, rng) for _ in range(n)], np.uint16).T
    return rng.integers(0, 2, n, np.uint8), codes


def ones(words: packed_bit_columns.Words, n: int) -> list[bool]:
    """The bits of a column, read one by one."""
    return [bool(int(words[place // 64]) >> place % 64 & 1) for place in range(n)]


@pytest.mark.proof
@given(designs(numbers=True), st.integers(1, 200), st.integers(0, 2**32))
def test_what_is_packed_comes_back(design: Design, n: int, seed: int) -> None:
    group, codes = records(design, n, seed)
    opened = packed_bit_columns.columns_from_bytes(
        design, packed_bit_columns.pack_batch(design, group, codes)
    )
    back_group, back_codes = packed_bit_columns.unpack_columns(opened)
    assert (back_group == group).all()
    assert (back_codes == codes).all()


@pytest.mark.proof
@given(designs(numbers=True), st.integers(1, 130), st.integers(0, 2**32))
def test_every_column_says_its_fact_of_every_respondent(design: Design, n: int, seed: int) -> None:
    group, codes = records(design, n, seed)
    opened = packed_bit_columns.columns_from_bytes(
        design, packed_bit_columns.pack_batch(design, group, codes)
    )
    assert ones(opened.disguised, n) == [g == 1 for g in group]
    records_as_mined = [mined(design, row) for row in codes.T.tolist()]
    for place, question in enumerate(design.mined.questions):
        row = [record[place] for record in records_as_mined]
        assert ones(opened.asked(place), n) == [code != question.not_asked for code in row]
        answered = [code not in (question.not_asked, question.not_applicable) for code in row]
        assert ones(opened.answered(place), n) == answered
        for choice in range(0 if question.scored else len(question.choices)):
            assert ones(opened.choice(place, choice), n) == [code == choice for code in row]
    windows = [
        place for place, question in enumerate(design.questions) if isinstance(question, WindowQuestion)
    ]
    assert {place: opened.integer_codes(place).tolist() for place in windows} == {
        place: codes[place].tolist() for place in windows
    }


@pytest.mark.proof
@given(designs(numbers=True), st.integers(1, 130), st.integers(0, 2**32))
def test_bits_past_the_last_respondent_are_zero(design: Design, n: int, seed: int) -> None:
    opened = packed_bit_columns.columns_from_bytes(
        design, packed_bit_columns.pack_batch(design, *records(design, n, seed))
    )
    everything = [opened.everyone, opened.disguised]
    for place, question in enumerate(design.mined.questions):
        everything += [opened.asked(place), opened.answered(place)]
        everything += [
            opened.choice(place, code) for code in range(0 if question.scored else len(question.choices))
        ]
    for words in everything:
        assert sum(int(word).bit_count() for word in words) == sum(ones(words, n))


@pytest.mark.proof
@given(designs(numbers=True), st.integers(0, 2**32))
def test_possible_records_are_what_the_strategy_draws(design: Design, seed: int) -> None:
    check_codes(design, any_codes(design, np.random.default_rng(seed)))


@pytest.mark.proof
@given(designs(numbers=True), st.lists(st.integers(1, 90), min_size=1, max_size=4), st.integers(0, 2**32))
def test_merging_gives_the_records_of_all_parts_in_the_order_asked_for(
    design: Design, sizes: list[int], seed: int
) -> None:
    parts = [records(design, n, seed + place) for place, n in enumerate(sizes)]
    order = np.random.default_rng(seed).permutation(sum(sizes))
    merged = packed_bit_columns.merge_batches(
        [packed_bit_columns.pack_batch(design, *part) for part in parts], order
    )
    group, codes = packed_bit_columns.unpack_columns(packed_bit_columns.columns_from_bytes(design, merged))
    assert (group == np.concatenate([group for group, _ in parts])[order]).all()
    assert (codes == np.concatenate([codes for _, codes in parts], axis=1)[:, order]).all()


@pytest.mark.proof
@given(designs(numbers=True), st.integers(1, 40), st.integers(0, 2**32))
def test_records_are_read_from_the_inbox_as_they_were_sent(design: Design, n: int, seed: int) -> None:
    group, codes = records(design, n, seed)
    lying = [
        encode_for_inbox(Record(design.fingerprint, int(g), encode_answers(design, row)))
        for g, row in zip(group, codes.T.tolist(), strict=True)
    ]
    back_group, back_codes = read_inbox(design, lying)
    assert (back_group == group).all()
    assert (back_codes == codes).all()


def test_a_million_records_of_forty_questions_take_about_five_megabytes() -> None:
    design, n = forty(), 10_000
    packed = packed_bit_columns.pack_batch(design, np.ones(n, np.uint8), np.ones((40, n), np.uint8))
    # 41 columns of 10,000 bits, each padded to whole words: 157 words of 8 bytes.
    assert len(packed) == HEADER + 41 * 157 * 8
    assert 100 * len(packed) < 5_200_000


def test_a_column_is_read_where_it_lies() -> None:
    design = forty()
    packed = packed_bit_columns.pack_batch(design, np.ones(100, np.uint8), np.ones((40, 100), np.uint8))
    opened = packed_bit_columns.columns_from_bytes(design, packed)
    start = np.frombuffer(packed, np.uint8).__array_interface__["data"][0]
    column = opened.choice(7, 1)
    assert not column.flags.owndata
    # The group, then one column of two words for each question.
    assert column.__array_interface__["data"][0] == start + HEADER + (1 + 7) * 2 * 8


def test_a_changed_byte_is_noticed(subtests: pytest.Subtests) -> None:
    for place in [0, 9, 13, 17, 30, 56, 61, 64, 200]:
        with subtests.test(f"{place}"):
            design = forty()
            packed = bytearray(
                packed_bit_columns.pack_batch(design, np.ones(100, np.uint8), np.ones((40, 100), np.uint8))
            )
            packed[place] ^= 4
            with pytest.raises(packed_bit_columns.DamagedBatch):
                packed_bit_columns.columns_from_bytes(design, bytes(packed))


def test_columns_cut_short_are_refused(subtests: pytest.Subtests) -> None:
    for length in [0, 63, 64, -1]:
        with subtests.test(f"{length}"):
            design = forty()
            packed = packed_bit_columns.pack_batch(
                design, np.ones(100, np.uint8), np.ones((40, 100), np.uint8)
            )
            with pytest.raises(packed_bit_columns.DamagedBatch):
                packed_bit_columns.columns_from_bytes(design, packed[:length])


def test_columns_of_another_design_are_refused() -> None:
    design = forty()
    other = parse(design.canonical.replace('"q0"', '"p0"'))
    packed = packed_bit_columns.pack_batch(design, np.ones(9, np.uint8), np.ones((40, 9), np.uint8))
    with pytest.raises(packed_bit_columns.DamagedBatch):
        packed_bit_columns.columns_from_bytes(other, packed)
    with pytest.raises(packed_bit_columns.DamagedBatch):
        packed_bit_columns.merge_batches(
            [packed, packed_bit_columns.pack_batch(other, np.ones(9, np.uint8), np.ones((40, 9), np.uint8))],
            np.arange(18),
        )


def test_a_permutation_holds_every_number_once() -> None:
    assert sorted(random_permutation(1000).tolist()) == list(range(1000))


def test_every_order_of_three_is_as_likely() -> None:
    seen = np.zeros(27, int)
    rng = np.random.default_rng(7)
    for _ in range(6000):
        order = random_permutation(3, rng.bytes).tolist()
        seen[order[0] * 9 + order[1] * 3 + order[2]] += 1
    counts = seen[seen > 0]
    assert len(counts) == 6
    # 1,000 expected of each, standard deviation 29.
    assert (abs(counts - 1000) < 150).all()


# --- numbers ---------------------------------------------------------------------------------------------------------


def with_numbers() -> Design:
    return of_sections(
        plain(WORK),
        classes("debt", "0.5", 0, 5, 10, **IF_EMPLOYED),
        window("pay", 301, 1, "0.5", **IF_EMPLOYED),
    )


# Work, debt, pay: of the six intervals of three classes the fourth is [1, 2), hidden is 7; a hidden pay is 302.
THREE = np.array([[0, 3, 299], [1, 7, 302], [0, 0, 7]], np.uint16).T


def test_the_bytes_of_a_batch_with_numbers() -> None:
    packed = packed_bit_columns.pack_batch(with_numbers(), np.array([1, 0, 1], np.uint8), THREE)
    assert packed[8:12] == b"\2\0\0\0"
    body = packed[HEADER:]
    # Two columns of integers, of one and of two bytes each, then the table is padded.
    assert body[:16] == b"\2" + 7 * b"\0" + b"\1\2" + 6 * b"\0"
    # Group, not employed; pay applies.
    bits = [0b101, 0b010, 0b101]
    assert body[16 : 16 + 24] == b"".join(bytes([word, 0, 0, 0, 0, 0, 0, 0]) for word in bits)
    assert body[40:48] == bytes([3, 7, 0, 0, 0, 0, 0, 0])
    assert body[48:] == b"".join(value.to_bytes(2, "little") for value in (299, 302, 7, 0))


def test_values_are_read_where_they_lie() -> None:
    packed = packed_bit_columns.pack_batch(with_numbers(), np.array([1, 0, 1], np.uint8), THREE)
    values = packed_bit_columns.columns_from_bytes(with_numbers(), packed).integer_codes(2)
    assert values.tolist() == [299, 302, 7]
    start = np.frombuffer(packed, np.uint8).__array_interface__["data"][0]
    assert values.__array_interface__["data"][0] == start + HEADER + 48


@pytest.mark.proof
@given(designs(numbers=True), st.integers(1, 300), st.integers(0, 4), st.integers(0, 2**32))
def test_slices_are_the_records_of_a_stretch(design: Design, n: int, word: int, seed: int) -> None:
    group, codes = records(design, n, seed)
    packed = packed_bit_columns.pack_batch(design, group, codes)
    start = min(64 * word, (n - 1) // 64 * 64)
    stop = int(np.random.default_rng(seed).integers(start + 1, n + 1))
    cut = [
        packed[at : at + length] for at, length in packed_bit_columns.column_slices(design, n, start, stop)
    ]
    in_place = packed_bit_columns.record_slice(
        packed_bit_columns.columns_from_bytes(design, packed), start, stop
    )
    for stretch in (packed_bit_columns.columns_from_slices(design, stop - start, cut), in_place):
        back_group, back_codes = packed_bit_columns.unpack_columns(stretch)
        assert (back_group == group[start:stop]).all()
        assert (back_codes == codes[:, start:stop]).all()


@pytest.mark.proof
@given(designs(numbers=True), st.lists(st.integers(1, 90), min_size=1, max_size=3), st.integers(0, 2**32))
def test_picked_records_come_in_the_order_asked_for(design: Design, sizes: list[int], seed: int) -> None:
    parts = [records(design, n, seed + place) for place, n in enumerate(sizes)]
    opened = [
        packed_bit_columns.columns_from_bytes(design, packed_bit_columns.pack_batch(design, *part))
        for part in parts
    ]
    rows = np.random.default_rng(seed).permutation(sum(sizes))[: 1 + sum(sizes) // 2]
    group, codes = packed_bit_columns.unpack_columns(packed_bit_columns.pick_records(opened, rows))
    assert (group == np.concatenate([group for group, _ in parts])[rows]).all()
    assert (codes == np.concatenate([codes for _, codes in parts], axis=1)[:, rows]).all()


def test_a_changed_byte_of_a_batch_with_numbers_is_noticed(subtests: pytest.Subtests) -> None:
    for place in [8, 64, 72, 73, 80, 103, 104, 117]:
        with subtests.test(f"{place}"):
            packed = bytearray(
                packed_bit_columns.pack_batch(with_numbers(), np.array([1, 0, 1], np.uint8), THREE)
            )
            packed[place] ^= 4
            with pytest.raises(packed_bit_columns.DamagedBatch):
                packed_bit_columns.columns_from_bytes(with_numbers(), bytes(packed))


def forged(packed: bytes, version: int, body: bytes) -> bytes:
    """Another version and body, with checksums that are right."""
    header = packed[:8] + version.to_bytes(4, "little") + packed[12:56] + crc32(body).to_bytes(4, "little")
    return header + crc32(header).to_bytes(4, "little") + body


def test_columns_of_another_layout_are_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, Callable[[bytes], bytes]]] = [
        (1, lambda body: body),
        (3, lambda body: body),
        (2, lambda body: b""),
        (2, lambda body: body[8:]),
        (2, lambda body: body[16:]),
        (2, lambda body: b"\0" * 8 + body[16:]),
        (2, lambda body: body[:8] + b"\3" + body[9:]),
        (2, lambda body: body[:8] + b"\2" + body[9:]),
        (2, lambda body: b"\xff" * 8 + body[8:]),
        (2, lambda body: body[:-8]),
        (2, lambda body: body + b"\0" * 8),
    ]
    for version, change in cases:
        with subtests.test(f"{version!r:.60} {change!r:.60}"):
            packed = packed_bit_columns.pack_batch(with_numbers(), np.array([1, 0, 1], np.uint8), THREE)
            assert (
                packed_bit_columns.columns_from_bytes(with_numbers(), forged(packed, 2, packed[HEADER:])).n
                == 3
            )
            with pytest.raises(packed_bit_columns.DamagedBatch):
                packed_bit_columns.columns_from_bytes(
                    with_numbers(), forged(packed, version, change(packed[HEADER:]))
                )


def test_integers_of_other_widths_are_refused() -> None:
    """Of one byte, though the largest code of the design needs two."""
    packed = packed_bit_columns.pack_batch(with_numbers(), np.array([1, 0, 1], np.uint8), THREE)
    body = packed[HEADER:]
    narrow = body[:9] + b"\1" + body[10:48] + bytes([9, 8, 7, 0, 0, 0, 0, 0])
    with pytest.raises(packed_bit_columns.DamagedBatch, match="another design"):
        packed_bit_columns.columns_from_bytes(with_numbers(), forged(packed, 2, narrow))
    with pytest.raises(packed_bit_columns.DamagedBatch, match="two designs"):
        packed_bit_columns.merge_batches([packed, forged(packed, 2, narrow)], np.arange(6))


# --- batches of version 1 -----------------------------------------------------------------------------------------

# Packed before numbers were possible: the records below, and two copies of them merged back to front.
STORED = bytes.fromhex(
    """43414e444f524342010000000b0000000500000000000000d13289cab7fab3a828d60bbe8e48c9579bda62d88023b7d9
    701b26e5a4b2c4ccdf33002fc1bccfae0d000000000000000c0000000000000007000000000000000300000000000000
    02000000000000001e000000000000000400000000000000080000000000000012000000000000001900000000000000
    1100000000000000"""
)
MERGED = bytes.fromhex(
    """43414e444f524342010000000b0000000a00000000000000d13289cab7fab3a828d60bbe8e48c9579bda62d88023b7d9
    701b26e5a4b2c4cc6bc76e4b17315b63d602000000000000c6000000000000009c030000000000001803000000000000
    0801000000000000ef010000000000008400000000000000420000000000000029010000000000007302000000000000
    3102000000000000"""
)
FIVE = np.array([[0, 0, 3, 1], [0, 1, 2, 2], [1, 3, 0, 2], [1, 2, 1, 0], [0, 2, 2, 1]], np.uint8).T
FIVE_GROUPS = np.array([1, 0, 1, 1, 0], np.uint8)


def test_a_stored_batch_opens_and_is_packed_and_merged_to_the_same_bytes() -> None:
    group, codes = packed_bit_columns.unpack_columns(packed_bit_columns.columns_from_bytes(ASKED, STORED))
    assert (group == FIVE_GROUPS).all()
    assert (codes == FIVE).all()
    assert packed_bit_columns.pack_batch(ASKED, FIVE_GROUPS, FIVE) == STORED
    assert packed_bit_columns.merge_batches([STORED, STORED], np.arange(10)[::-1]) == MERGED


HOME = place_section("home", {"north": [0, 1, 300], "south": [4, 5]}, 400, 2, "6", **IF_EMPLOYED)


def test_the_bits_of_regions_are_made_of_the_cells() -> None:
    form = of_sections(plain(WORK), HOME)
    cells = [300, 4, 7, form.questions[1].not_applicable, 0]
    codes = np.array([[0, 0, 0, 1, 0], cells], np.uint16)
    opened = packed_bit_columns.columns_from_bytes(
        form, packed_bit_columns.pack_batch(form, np.ones(5, np.uint8), codes)
    )
    assert opened.integer_codes(1).tolist() == cells
    found = [ones(opened.choice(1, item), 5) for item in range(3)]
    assert found == [
        [True, False, False, False, True],
        [False, True, False, False, False],
        [False, False, True, False, False],
    ]
    for shown in (opened.asked(1), opened.answered(1)):
        assert ones(shown, 5) == [True, True, True, False, True]


def test_a_mined_design_alone_has_bits_of_regions() -> None:
    form = of_sections(plain(WORK), HOME).mined
    codes = np.array([[0, 0, 0, 1], [0, 1, 2, 3]], np.uint8)
    opened = packed_bit_columns.columns_from_bytes(
        form, packed_bit_columns.pack_batch(form, np.ones(4, np.uint8), codes)
    )
    assert (packed_bit_columns.unpack_columns(opened)[1] == codes).all()
    assert ones(opened.choice(1, 2), 4) == [False, False, True, False]
    assert ones(opened.asked(1), 4) == [True, True, True, False]
