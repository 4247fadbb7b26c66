"""The compiled loop and what it needs."""

import json
import tracemalloc

import numpy as np
import pytest

from mining.counting import load_counting_loop, make_counter
from mining.itemsets.frequent import find_frequent_itemsets
from mining.parameters import Parameters
from privacy.designs import parse
from privacy.records.packed_bit_columns import columns_from_bytes, pack_batch


@pytest.mark.proof
def test_half_a_million_records_of_forty_questions_need_little_memory_besides() -> None:
    questions = [{"name": f"q{place}", "choices": ["no", "yes"]} for place in range(40)]
    section = {"kind": "unrelated-question", "keep": "0.5", "questions": questions}
    form = parse(json.dumps({"format": "candor-design/1", "open_answers": True, "sections": [section]}))
    rng = np.random.default_rng(5)
    n = 500_000
    group = (rng.random(n) < 0.8).astype(np.uint8)
    # Often enough that every triple is counted.
    columns = columns_from_bytes(
        form, pack_batch(form, group, (rng.random((40, n), np.float32) < 0.6).astype(np.uint8))
    )
    load_counting_loop()
    for exact in (False, True):
        tracemalloc.start()
        found = find_frequent_itemsets(make_counter(form, [columns]), Parameters(0.1, 0.5, exact=exact))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert found.levels[2].candidates == 9880, exact

        assert peak < 48_000_000, exact
