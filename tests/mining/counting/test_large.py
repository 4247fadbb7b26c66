"""More records than a block holds."""

from itertools import pairwise

import numpy as np
import pytest

from mining.counting import BitmapCounter, HistogramCounter, PatternHistogram
from mining.counting.bitmaps import MOST_WORDS
from mining.queries_and_counters import Query
from privacy.designs import Design
from privacy.kinds.code_arrays import Codes
from privacy.records.packed_bit_columns import Columns, columns_from_bytes, pack_batch
from tests.privacy.questionnaires import HALF, THIRDS, design, question, sensitive

pytestmark = pytest.mark.proof
QUERIES = [Query(((0, 1),)), Query(((0, 1), (1, 0))), Query(((0, 1), (1, 1), (2, 2))), Query(((2, 0),))]


def form() -> Design:
    return design(sensitive("0.5", question("a", *HALF), question("b", *HALF), question("c", *THIRDS)))


@pytest.fixture(scope="module")
def drawn() -> tuple[np.ndarray, Codes]:
    rng = np.random.default_rng(3)
    n = 64 * MOST_WORDS + 100_001
    group = rng.integers(0, 2, n).astype(np.uint8)
    return group, np.array([rng.integers(0, 2, n), rng.integers(0, 2, n), rng.integers(0, 3, n)], np.uint8)


def batches(group: np.ndarray, codes: Codes) -> list[Columns]:
    cuts = [0, 64 * 1000 + 1, 64 * 1000 + 77, 200_000, len(group)]
    pairs = pairwise(cuts)
    return [
        columns_from_bytes(form(), pack_batch(form(), group[start:end], codes[:, start:end]))
        for start, end in pairs
    ]


def expected(group: np.ndarray, codes: Codes) -> list[list[int]]:
    found = []
    for query in QUERIES:
        holds = np.logical_and.reduce([codes[place] == code for place, code in query.items])
        found.append([int((holds & (group == 0)).sum()), int((holds & (group == 1)).sum())])
    return found


def test_blocks_across_batches_add_up(drawn: tuple[np.ndarray, Codes]) -> None:
    counter = BitmapCounter(form(), batches(*drawn))
    assert counter.count(QUERIES).tolist() == expected(*drawn)


def test_a_histogram_of_many_chunks_adds_up(drawn: tuple[np.ndarray, Codes]) -> None:
    counter = HistogramCounter(PatternHistogram.count_records(form(), batches(*drawn)))
    assert counter.count(QUERIES).tolist() == expected(*drawn)
