"""Counting by code: records are sorted by code, 64 columns at a time."""

import numpy as np
import pytest

from mining.counting.kernel import compile_counting_loop

WORDS, CODES = 9, 7


def test_each_path_is_counted_by_code_however_many_columns_there_are(subtests: pytest.Subtests) -> None:
    for columns in [1, 63, 64, 65, 130]:
        with subtests.test(f"{columns}"):
            rng = np.random.default_rng(columns)
            bits = rng.random((1 + columns, WORDS * 64)) < 0.5
            codes = rng.integers(0, CODES, WORDS * 64).astype(np.int32)
            codes[codes == 2] = 3  # A code that no record has.
            of = [[at] for at in range(1, columns + 1)] + [[at, at + 1] for at in range(1, columns)]
            paths = np.array([path + [-1] * (2 - len(path)) for path in of], np.int32)
            lengths, shared = np.array(list(map(len, of)), np.int32), np.zeros(len(of), np.int32)
            counts = np.ones((len(of), CODES), np.int64)
            words = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
            prefixes = np.empty((2, WORDS), np.uint64)
            compile_counting_loop(by_code=True)(words, WORDS, codes, paths, lengths, shared, prefixes, counts)
            for path, found in zip(of, counts, strict=True):
                having = bits[path].all(axis=0)
                assert found.tolist() == [1 + int((having & (codes == code)).sum()) for code in range(CODES)]
