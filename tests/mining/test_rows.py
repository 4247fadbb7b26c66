import numpy as np
import pytest

from mining.distinct_rows import RowIndex, pack_row_keys
from mining.queries_and_counters import NONE


def test_one_key_orders_and_tells_apart_as_the_rows_do(subtests: pytest.Subtests) -> None:
    """Nine numbers below a thousand are more than 62 bits."""
    for width in [1, 3, 9, 20]:
        with subtests.test(f"{width}"):
            rows = np.random.default_rng(width).integers(NONE, 3, (300, width), np.int32)
            keys = pack_row_keys(rows, 1000).tolist()
            as_tuples = [tuple(row) for row in rows.tolist()]
            ranks = {row: rank for rank, row in enumerate(sorted(set(as_tuples)))}
            assert [sorted(set(keys)).index(key) for key in keys] == [ranks[row] for row in as_tuples]


def test_rows_are_found_again_where_they_stand(subtests: pytest.Subtests) -> None:
    for width in [1, 3, 9, 20]:
        with subtests.test(f"{width}"):
            different = np.random.default_rng(width).permutation(1000)[:400].astype(np.int32)
            rows = np.tile(different[:, None], width)
            known = RowIndex(rows[:300], 1000)
            places = known.find_rows(rows[::-1])
            assert places.tolist() == [NONE] * 100 + list(range(299, -1, -1))
