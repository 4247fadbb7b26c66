"""A search by itself: what `frequent` finds, without the evidence that nobody asked for."""

from typing import Any

import numpy as np
import pytest

from mining.itemsets import frequent as module
from mining.itemsets.frequent import find_frequent_itemsets, search_itemsets
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from tests.intake import asked
from tests.mining.listed import DISGUISED, OPEN, Listed

pytestmark = pytest.mark.proof
WANTED = Parameters(min_support=0.1, min_confidence=0.5)
EVIDENCE = ("low", "high", "low_listed", "high_listed", "low_shown", "high_shown")


@pytest.fixture
def counted() -> CachedCounter:
    """600 records of one plain question and three sensitive ones, a quarter of them open."""
    sensitive = [{"name": name, "choices": ["no", "yes"], "noise": ["0.6", "0.4"]} for name in "abc"]
    design = asked.written(
        {"kind": "plain", "questions": [{"name": "age", "choices": ["y", "o"]}]},
        {"kind": "unrelated-question", "keep": "0.5", "questions": sensitive},
    )
    rng = np.random.default_rng(3)
    group = np.where(np.arange(600) % 4 == 0, OPEN, DISGUISED)
    return CachedCounter(Listed(design, group, rng.integers(0, 2, (4, 600))))


def test_a_search_finds_what_frequent_finds_and_leaves_the_evidence_out(counted: CachedCounter) -> None:
    searched, whole = search_itemsets(counted, WANTED), find_frequent_itemsets(counted, WANTED)
    assert len(searched.supports) > 5
    assert searched.itemsets.tolist() == whole.itemsets.tolist()
    assert searched.supports.support.tolist() == whole.supports.support.tolist()
    assert (searched.levels, searched.stopped) == (whole.levels, whole.stopped)
    for name in EVIDENCE:
        assert np.isnan(getattr(searched.supports, name)).all(), name
    assert not np.isnan(whole.supports.low_listed).any()


def test_a_search_never_computes_evidence(counted: CachedCounter, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **_more: Any) -> None:
        raise AssertionError("a search asked for evidence")

    monkeypatch.setattr(module, "add_intervals", refuse)
    search_itemsets(counted, WANTED)
    with pytest.raises(AssertionError, match="asked for evidence"):
        find_frequent_itemsets(counted, WANTED)
