"""What the default pruning loses: nothing of a large survey, little of a small and noisy one."""

from pathlib import Path

import numpy as np
import pytest

from bench.pruning import Lost, Setting, kinds, lost, written
from mining.runs.forms import StartForm

DOCS = Path(__file__).parents[3] / "docs" / "pruning.md"


@pytest.mark.slow
@pytest.mark.parametrize("keep", ["0.2", "0.5"])
@pytest.mark.parametrize("min_support", [0.02, 0.1])
def test_a_large_survey_loses_nothing(keep: str, min_support: float) -> None:
    found = lost(Setting(100_000, keep, min_support), 20, seed=7)
    assert found.itemsets > 50
    assert (found.in_surveys, found.lost_itemsets, found.lost_rules) == (0, 0, 0)


@pytest.mark.slow
def test_a_small_and_noisy_survey_may_lose_two_in_a_hundred() -> None:
    found = lost(Setting(100, "0.2", 0.02), 60, seed=7)
    assert 0 < found.lost_itemsets <= 0.02 * found.itemsets
    assert found.in_surveys > 0


def test_what_the_form_says_is_what_was_measured() -> None:
    rows = [
        [cell.strip().replace(",", "") for cell in line.strip("|").split("|")]
        for line in DOCS.read_text().splitlines()
        if line[:3].strip("| ").isdigit()
    ]
    share = {int(n): 0.0 for n, *_ in rows}
    for n, _keep, _support, _surveys, itemsets, lost_itemsets, _rules, _lost_rules in rows:
        share[int(n)] = max(share[int(n)], int(lost_itemsets) / int(itemsets))
    assert share[100_000] == 0
    assert 0.01 < max(share.values()) <= 0.02
    said = str(StartForm.base_fields["exact"].help_text)
    assert "large surveys lost nothing by that" in said
    assert "small ones with much noise lost up to 2 in 100 itemsets" in said


def test_a_row_is_written_by_hand() -> None:
    found = Lost(Setting(1_000, "0.2", 0.1), 200, 3, 1_912, 4, 2_340, 5)
    assert list(written([found])) == ["| 1,000 | 0.2 | 0.1 | 3 of 200 | 1,912 | 4 | 2,340 | 5 |"]


def test_both_kinds_of_people_give_an_answer_as_often_in_all() -> None:

    for alike in (True, False):
        drawn = kinds(0.1, alike=alike).draw(200_000, np.random.default_rng(1))
        assert (drawn == 1).mean() == pytest.approx(0.1, abs=0.002)
