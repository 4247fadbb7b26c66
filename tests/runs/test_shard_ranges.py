import numpy as np
import pytest
from hypothesis import given, strategies as st

from intake.batches.merging import SealedBatch
from privacy.records.columns import pack, read, unpack
from runs.shards.shard_ranges import ShardRange, divide, record_slice
from tests.runs import sealed


def row(*sizes: int) -> list[SealedBatch]:
    return [SealedBatch(number, number, n) for number, n in enumerate(sizes, 1)]


def test_small_batches_share_a_part() -> None:
    assert divide(row(100, 100, 100), 200) == [ShardRange(1, 2, 0, 200), ShardRange(3, 3, 0, 100)]


def test_a_large_batch_is_cut_at_whole_words_into_parts_of_its_own() -> None:
    assert divide(row(20, 300, 20), 200) == [
        ShardRange(1, 1, 0, 20),
        ShardRange(2, 2, 0, 192),
        ShardRange(2, 2, 192, 300),
        ShardRange(3, 3, 0, 20),
    ]


@pytest.mark.page
@given(st.lists(st.integers(20, 1000), min_size=1, max_size=12), st.integers(64, 700))
def test_parts_hold_every_record_once(sizes: list[int], most: int) -> None:
    parts = divide(row(*sizes), most)
    by_batch = dict.fromkeys(range(1, len(sizes) + 1), 0)
    for part in parts:
        if part.first < part.last:
            assert (part.start, part.stop) == (0, sum(sizes[part.first - 1 : part.last]))
            for number in range(part.first, part.last + 1):
                by_batch[number] += sizes[number - 1]
        else:
            assert part.start == by_batch[part.first]
            by_batch[part.first] = part.stop
    assert list(by_batch.values()) == sizes
    assert all(part.stop - part.start <= most + 63 for part in parts)


@pytest.mark.parametrize(("start", "stop"), [(0, 64), (64, 150), (128, 192), (192, 200)])
def test_a_stretch_is_these_respondents(start: int, stop: int) -> None:
    design = sealed.written(sealed.section("theft", "lie"))
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (2, 200), np.uint16)
    group = rng.integers(0, 2, 200, np.uint8)
    found_group, found = unpack(record_slice(read(design, pack(design, group, codes)), start, stop))
    assert found_group.tolist() == group[start:stop].tolist()
    assert found.tolist() == codes[:, start:stop].tolist()
