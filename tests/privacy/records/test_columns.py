"""Columns of bits and integers that hold a batch of records."""

from collections import Counter
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from intake.batches.sealing import random_permutation
from intake.endpoint.store_record import decode_inbox_records, encode_for_inbox
from privacy.designs import Design, parse_design
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.number.window.section import WindowQuestion
from privacy.records import Record, batch_bit_columns as packed, check_codes, encode_answers
from tests.mining.listed import mined_codes_by_hand
from tests.privacy import questionnaires as q
from tests.privacy.strategies import any_codes, small_designs

HEADER = 64


FORTY = q.design(q.sensitive("0.5", *({"name": f"q{place}", "choices": q.YES_NO} for place in range(40))))


def batch_of_all_yes(n: int, design: Design = FORTY) -> bytes:
    """The batch of so many people who say yes to all."""
    return packed.pack_batch(design, np.ones(n, np.uint8), np.ones((40, n), np.uint8))


def records(design: Design, n: int, seed: int) -> tuple[NDArray[np.uint8], Codes]:
    rng = np.random.default_rng(seed)
    codes = np.array([any_codes(design, rng) for _ in range(n)], np.uint16).T
    return rng.integers(0, 2, n, np.uint8), codes


def open_batch(design: Design, group: NDArray[np.uint8], codes: Codes) -> packed.Columns:
    return packed.columns_from_bytes(design, packed.pack_batch(design, group, codes))


def are_records(columns: packed.Columns, group: NDArray[np.uint8], codes: Codes) -> bool:
    back_group, back_codes = packed.unpack_columns(columns)
    return bool((back_group == group).all() and (back_codes == codes).all())


def is_damaged(data: bytes, design: Design = FORTY) -> bool:
    try:
        packed.columns_from_bytes(design, data)
    except packed.DamagedBatch:
        return True
    return False


def bits_of_column(words: packed.Words, n: int) -> list[bool]:
    """The bits of a column, read one by one."""
    return [bool(int(words[place // 64]) >> place % 64 & 1) for place in range(n)]


@pytest.mark.proof
@given(small_designs(numbers=True), st.integers(1, 200), st.integers(0, 2**32))
def test_packed_or_sent_records_come_back_unchanged(design: Design, n: int, seed: int) -> None:
    group, codes = records(design, n, seed)
    assert are_records(open_batch(design, group, codes), group, codes)
    rows = codes.T.tolist()
    for row in rows[:3]:
        check_codes(design, row)
    people = zip(group.tolist(), rows, strict=True)
    sent = (Record(design.fingerprint, own, encode_answers(design, row)) for own, row in people)
    back_group, back_codes = decode_inbox_records(design, [encode_for_inbox(record) for record in sent])
    assert (back_group == group).all()
    assert (back_codes == codes).all()


@pytest.mark.proof
@given(small_designs(numbers=True), st.integers(1, 130), st.integers(0, 2**32))
def test_columns_cover_every_respondent_and_nothing_beyond(design: Design, n: int, seed: int) -> None:
    group, codes = records(design, n, seed)
    columns = open_batch(design, group, codes)
    said = [(columns.everyone_bits, [True] * n), (columns.disguised, [g == 1 for g in group])]
    records_as_mined = [mined_codes_by_hand(design, row) for row in codes.T.tolist()]
    for place, question in enumerate(design.mined.questions):
        row = [record[place] for record in records_as_mined]
        unanswered = (question.not_asked, question.not_applicable)
        said.append((columns.asked(place), [code != question.not_asked for code in row]))
        said.append((columns.answered(place), [code not in unanswered for code in row]))
        choices = range(0 if question.scored else len(question.choices))
        said += [(columns.choice(place, choice), [code == choice for code in row]) for choice in choices]
    for words, bits in said:
        assert bits_of_column(words, n) == bits
        assert sum(int(word).bit_count() for word in words) == sum(bits)
    for place, question in enumerate(design.questions):
        if isinstance(question, WindowQuestion):
            assert columns.integer_codes(place).tolist() == codes[place].tolist()


@pytest.mark.proof
@given(
    small_designs(numbers=True), st.lists(st.integers(1, 90), min_size=1, max_size=4), st.integers(0, 2**32)
)
def test_merged_and_picked_records_come_in_the_order_asked_for(
    design: Design, sizes: list[int], seed: int
) -> None:
    parts = [records(design, n, seed + place) for place, n in enumerate(sizes)]
    groups, each = zip(*parts, strict=True)
    group, codes = np.concatenate(groups), np.concatenate(each, axis=1)
    order = np.random.default_rng(seed).permutation(sum(sizes))
    merged = packed.merge_batches([packed.pack_batch(design, *part) for part in parts], order)
    assert are_records(packed.columns_from_bytes(design, merged), group[order], codes[:, order])
    rows = order[: 1 + sum(sizes) // 2]
    picked = packed.take_numbered_records([open_batch(design, *part) for part in parts], rows)
    assert are_records(picked, group[rows], codes[:, rows])


@pytest.mark.proof
@given(small_designs(numbers=True), st.integers(1, 300), st.integers(0, 4), st.integers(0, 2**32))
def test_slices_hold_the_records_of_a_range(design: Design, n: int, word: int, seed: int) -> None:
    group, codes = records(design, n, seed)
    batch = packed.pack_batch(design, group, codes)
    start = min(64 * word, (n - 1) // 64 * 64)
    stop = int(np.random.default_rng(seed).integers(start + 1, n + 1))
    cut = [batch[at : at + length] for at, length in packed.column_slices(design, n, start, stop)]
    stretch = packed.columns_from_slices(design, stop - start, cut)
    assert are_records(stretch, group[start:stop], codes[:, start:stop])


def test_a_million_records_of_forty_questions_take_about_five_megabytes() -> None:
    # 41 columns of 10,000 bits, each padded to whole words: 157 words of 8 bytes.
    assert len(batch_of_all_yes(10_000)) == HEADER + 41 * 157 * 8 < 52_000


def test_column_is_read_without_copying() -> None:
    batch, numbers = batch_of_all_yes(100), NUMBERS_BATCH
    column = packed.columns_from_bytes(FORTY, batch).choice(7, 1)
    assert not column.flags.owndata
    # The group, then one column of two words for each question.
    start = np.frombuffer(batch, np.uint8).__array_interface__["data"][0]
    assert column.__array_interface__["data"][0] == start + HEADER + (1 + 7) * 2 * 8
    values = packed.columns_from_bytes(WITH_NUMBERS, numbers).integer_codes(2)
    assert values.tolist() == [299, 302, 7]
    start = np.frombuffer(numbers, np.uint8).__array_interface__["data"][0]
    assert values.__array_interface__["data"][0] == start + HEADER + 48


def test_a_changed_byte_or_cut_columns_or_those_of_another_design_are_refused() -> None:
    for batch, design, places in (
        (batch_of_all_yes(100), FORTY, (0, 9, 13, 17, 30, 56, 61, 64, 200)),
        (NUMBERS_BATCH, WITH_NUMBERS, (8, 64, 72, 73, 80, 103, 104, 117)),
    ):
        assert not is_damaged(batch, design)
        for place in places:
            changed = batch[:place] + bytes([batch[place] ^ 4]) + batch[place + 1 :]
            assert is_damaged(changed, design), place
    assert [length for length in (0, 63, 64, -1) if not is_damaged(batch_of_all_yes(100)[:length])] == []
    other = parse_design(FORTY.canonical.replace('"q0"', '"p0"'))
    assert is_damaged(batch_of_all_yes(9), other)
    with pytest.raises(packed.DamagedBatch):
        packed.merge_batches([batch_of_all_yes(9), batch_of_all_yes(9, other)], np.arange(18))


def test_every_record_order_is_equally_likely() -> None:
    assert sorted(random_permutation(1000).tolist()) == list(range(1000))
    rng = np.random.default_rng(7)
    seen = Counter(tuple(random_permutation(3, rng.bytes).tolist()) for _ in range(6000))
    assert len(seen) == 6
    # 1,000 expected of each, standard deviation 29.
    assert all(abs(count - 1000) < 150 for count in seen.values())


# --- numbers

WITH_NUMBERS = q.design(
    q.plain(q.WORK),
    q.classes("debt", "0.5", 0, 5, 10, **q.IF_EMPLOYED),
    q.window("pay", 301, 1, "0.5", **q.IF_EMPLOYED),
)
# Work, debt, pay: of the six intervals of three classes the fourth is [1, 2), hidden is 7; a hidden pay is 302.
THREE = np.array([[0, 3, 299], [1, 7, 302], [0, 0, 7]], np.uint16).T
NUMBERS_BATCH = packed.pack_batch(WITH_NUMBERS, np.array([1, 0, 1], np.uint8), THREE)


def test_batch_with_numbers_has_the_expected_bytes() -> None:
    assert NUMBERS_BATCH[8:12] == b"\2\0\0\0"
    body = NUMBERS_BATCH[HEADER:]
    # Two columns of integers, of one and of two bytes each, then the table is padded.
    assert body[:16] == b"\2" + 7 * b"\0" + b"\1\2" + 6 * b"\0"
    # Group, not employed; pay applies.
    bits = [0b101, 0b010, 0b101]
    assert body[16 : 16 + 24] == b"".join(bytes([word, 0, 0, 0, 0, 0, 0, 0]) for word in bits)
    assert body[40:48] == bytes([3, 7, 0, 0, 0, 0, 0, 0])
    assert body[48:] == b"".join(value.to_bytes(2, "little") for value in (299, 302, 7, 0))


def forge_batch(version: int, body: bytes) -> bytes:
    """Another version and body, with checksums that are right."""
    header = NUMBERS_BATCH[:8] + version.to_bytes(4, "little") + NUMBERS_BATCH[12:56]
    header += crc32(body).to_bytes(4, "little")
    return header + crc32(header).to_bytes(4, "little") + body


def test_columns_of_another_layout_are_refused() -> None:
    body = NUMBERS_BATCH[HEADER:]
    assert packed.columns_from_bytes(WITH_NUMBERS, forge_batch(2, body)).n == 3
    bodies = [b"", body[8:], body[16:], b"\0" * 8 + body[16:], body[:8] + b"\3" + body[9:]]
    bodies += [body[:8] + b"\2" + body[9:], b"\xff" * 8 + body[8:], body[:-8], body + b"\0" * 8]
    batches = [forge_batch(1, body), forge_batch(3, body), *(forge_batch(2, each) for each in bodies)]
    assert [at for at, batch in enumerate(batches) if not is_damaged(batch, WITH_NUMBERS)] == []
    # Integers of one byte, though the largest code of the design needs two.
    narrow = forge_batch(2, body[:9] + b"\1" + body[10:48] + bytes([9, 8, 7, 0, 0, 0, 0, 0]))
    with pytest.raises(packed.DamagedBatch, match="another design"):
        packed.columns_from_bytes(WITH_NUMBERS, narrow)
    with pytest.raises(packed.DamagedBatch, match="two designs"):
        packed.merge_batches([NUMBERS_BATCH, narrow], np.arange(6))


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
    assert are_records(packed.columns_from_bytes(q.ASKED, STORED), FIVE_GROUPS, FIVE)
    assert packed.pack_batch(q.ASKED, FIVE_GROUPS, FIVE) == STORED
    assert packed.merge_batches([STORED, STORED], np.arange(10)[::-1]) == MERGED


def test_region_bits_come_from_cells_or_a_mined_design() -> None:
    home = q.place_in_row("home", {"north": [0, 1, 300], "south": [4, 5]}, 400, 2, "6", **q.IF_EMPLOYED)
    form = q.design(q.plain(q.WORK), home)
    cells = [300, 4, 7, form.questions[1].not_applicable, 0]
    columns = open_batch(form, np.ones(5, np.uint8), np.array([[0, 0, 0, 1, 0], cells], np.uint16))
    assert columns.integer_codes(1).tolist() == cells
    bits = [[1, 0, 0, 0, 1], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]]
    assert [bits_of_column(columns.choice(1, item), 5) for item in range(3)] == bits
    for shown in (columns.asked(1), columns.answered(1)):
        assert bits_of_column(shown, 5) == [True, True, True, False, True]
    codes = np.array([[0, 0, 0, 1], [0, 1, 2, 3]], np.uint8)
    columns = open_batch(form.mined, np.ones(4, np.uint8), codes)
    assert (packed.unpack_columns(columns)[1] == codes).all()
    assert bits_of_column(columns.choice(1, 2), 4) == [False, False, True, False]
    assert bits_of_column(columns.asked(1), 4) == [True, True, True, False]
