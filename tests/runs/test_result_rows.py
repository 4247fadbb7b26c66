"""Texts of itemsets in result rows: built for all rows at once, the same as one by one."""

import numpy as np
import pytest

from mining.queries_and_counters import NONE
from runs import result_row_conversion
from runs.result_row_conversion import item_numbers, items_as_text, itemset_texts

ITEMSETS = np.array([[0, NONE, NONE], [3, 12, NONE], [0, 7, 140], [NONE, 7, NONE]], np.int32)


def test_the_text_of_each_itemset_is_that_of_its_items(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [items_as_text(number for number in row if number != NONE) for row in ITEMSETS.tolist()]
    monkeypatch.delattr(result_row_conversion, "items_as_text")
    assert itemset_texts(ITEMSETS) == texts == [" 0 ", " 3 12 ", " 0 7 140 ", " 7 "]
    assert [*map(item_numbers, texts)] == [(0,), (3, 12), (0, 7, 140), (7,)]


def test_no_itemsets_have_no_texts() -> None:
    assert itemset_texts(ITEMSETS[:0]) == []
