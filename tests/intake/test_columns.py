import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from privacy.designs import Design, Record, check_codes, encode, parse
from privacy.kinds.codes import Codes
from surveys.intake import columns, inbox_record
from surveys.intake.shuffling import permutation
from tests.intake.shapes import any_codes, designs

HEADER = 64


def forty() -> Design:
    questions = [{"name": f"q{place}", "choices": ["no", "yes"]} for place in range(40)]
    section = {"kind": "unrelated-question", "keep": "0.5", "questions": questions}
    return parse(json.dumps({"format": "candor-design/1", "sections": [section]}))


def records(design: Design, n: int, seed: int) -> tuple[NDArray[np.uint8], Codes]:
    rng = np.random.default_rng(seed)
    codes = np.array([any_codes(design, rng) for _ in range(n)], np.uint8).T
    return rng.integers(0, 2, n, np.uint8), codes


def ones(words: columns.Words, n: int) -> list[bool]:
    """The bits of a column, read one by one."""
    return [bool(int(words[place // 64]) >> place % 64 & 1) for place in range(n)]


@pytest.mark.slow
@given(designs(), st.integers(1, 200), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_what_is_packed_comes_back(design: Design, n: int, seed: int) -> None:
    group, codes = records(design, n, seed)
    opened = columns.read(design, columns.pack(design, group, codes))
    back_group, back_codes = columns.unpack(opened)
    assert (back_group == group).all()
    assert (back_codes == codes).all()


@pytest.mark.slow
@given(designs(), st.integers(1, 130), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_every_column_says_its_fact_of_every_respondent(design: Design, n: int, seed: int) -> None:
    group, codes = records(design, n, seed)
    opened = columns.read(design, columns.pack(design, group, codes))
    assert ones(opened.disguised, n) == [g == 1 for g in group]
    for place, question in enumerate(design.questions):
        row = codes[place].tolist()
        assert ones(opened.asked(place), n) == [code != question.not_asked for code in row]
        assert ones(opened.answered(place), n) == [code < len(question.choices) for code in row]
        for choice in range(len(question.choices)):
            assert ones(opened.choice(place, choice), n) == [code == choice for code in row]


@pytest.mark.slow
@given(designs(), st.integers(1, 130), st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_bits_past_the_last_respondent_are_zero(design: Design, n: int, seed: int) -> None:
    opened = columns.read(design, columns.pack(design, *records(design, n, seed)))
    everything = [opened.everyone, opened.disguised]
    for place, question in enumerate(design.questions):
        everything += [opened.asked(place), opened.answered(place)]
        everything += [opened.choice(place, code) for code in range(len(question.choices))]
    for words in everything:
        assert sum(int(word).bit_count() for word in words) == sum(ones(words, n))


@pytest.mark.slow
@given(designs(), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_possible_records_are_what_the_strategy_draws(design: Design, seed: int) -> None:
    check_codes(design, any_codes(design, np.random.default_rng(seed)))


@pytest.mark.slow
@given(designs(), st.lists(st.integers(1, 90), min_size=1, max_size=4), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_merging_gives_the_records_of_all_parts_in_the_order_asked_for(
    design: Design, sizes: list[int], seed: int
) -> None:
    parts = [records(design, n, seed + place) for place, n in enumerate(sizes)]
    order = np.random.default_rng(seed).permutation(sum(sizes))
    merged = columns.merge([columns.pack(design, *part) for part in parts], order)
    group, codes = columns.unpack(columns.read(design, merged))
    assert (group == np.concatenate([group for group, _ in parts])[order]).all()
    assert (codes == np.concatenate([codes for _, codes in parts], axis=1)[:, order]).all()


@pytest.mark.slow
@given(designs(), st.integers(1, 40), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_records_are_read_from_the_inbox_as_they_were_sent(design: Design, n: int, seed: int) -> None:
    group, codes = records(design, n, seed)
    lying = [
        inbox_record.written(Record(design.fingerprint, int(g), encode(design, row)))
        for g, row in zip(group, codes.T.tolist(), strict=True)
    ]
    back_group, back_codes = inbox_record.read(design, lying)
    assert (back_group == group).all()
    assert (back_codes == codes).all()


def test_a_million_records_of_forty_questions_take_about_five_megabytes() -> None:
    design, n = forty(), 10_000
    packed = columns.pack(design, np.ones(n, np.uint8), np.ones((40, n), np.uint8))
    # 41 columns of 10,000 bits, each padded to whole words: 157 words of 8 bytes.
    assert len(packed) == HEADER + 41 * 157 * 8
    assert 100 * len(packed) < 5_200_000


def test_a_column_is_read_where_it_lies() -> None:
    design = forty()
    packed = columns.pack(design, np.ones(100, np.uint8), np.ones((40, 100), np.uint8))
    opened = columns.read(design, packed)
    start = np.frombuffer(packed, np.uint8).__array_interface__["data"][0]
    column = opened.choice(7, 1)
    assert not column.flags.owndata
    # The group, then one column of two words for each question.
    assert column.__array_interface__["data"][0] == start + HEADER + (1 + 7) * 2 * 8


@pytest.mark.parametrize("place", [0, 9, 13, 17, 30, 56, 61, 64, 200])
def test_a_changed_byte_is_noticed(place: int) -> None:
    design = forty()
    packed = bytearray(columns.pack(design, np.ones(100, np.uint8), np.ones((40, 100), np.uint8)))
    packed[place] ^= 4
    with pytest.raises(columns.Damaged):
        columns.read(design, bytes(packed))


@pytest.mark.parametrize("length", [0, 63, 64, -1])
def test_columns_cut_short_are_refused(length: int) -> None:
    design = forty()
    packed = columns.pack(design, np.ones(100, np.uint8), np.ones((40, 100), np.uint8))
    with pytest.raises(columns.Damaged):
        columns.read(design, packed[:length])


def test_columns_of_another_design_are_refused() -> None:
    design = forty()
    other = parse(design.canonical.replace('"q0"', '"p0"'))
    packed = columns.pack(design, np.ones(9, np.uint8), np.ones((40, 9), np.uint8))
    with pytest.raises(columns.Damaged):
        columns.read(other, packed)
    with pytest.raises(columns.Damaged):
        columns.merge(
            [packed, columns.pack(other, np.ones(9, np.uint8), np.ones((40, 9), np.uint8))], np.arange(18)
        )


def test_a_permutation_holds_every_number_once() -> None:
    assert sorted(permutation(1000).tolist()) == list(range(1000))


def test_every_order_of_three_is_as_likely() -> None:
    seen = np.zeros(27, int)
    rng = np.random.default_rng(7)
    for _ in range(6000):
        order = permutation(3, rng.bytes).tolist()
        seen[order[0] * 9 + order[1] * 3 + order[2]] += 1
    counts = seen[seen > 0]
    assert len(counts) == 6
    # 1,000 expected of each, standard deviation 29.
    assert (abs(counts - 1000) < 150).all()
