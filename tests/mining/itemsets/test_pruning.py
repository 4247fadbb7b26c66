"""What pruning loses: in nine of ten surveys nothing with the default, more with a smaller allowance."""

from pathlib import Path

import numpy as np
import pytest

from bench.pruning import ALLOWANCES, ONE_IN_A_HUNDRED, Lost, Setting, kinds, lost, row_of, settings
from mining.parameters import ERRORS
from runs.pages.forms import StartRunForm

DOCS = Path(__file__).parents[3] / "bench" / "figures" / "pruning.md"


@pytest.mark.night
@pytest.mark.proof
@pytest.mark.parametrize("keep", ["0.2", "0.5"])
@pytest.mark.parametrize("min_support", [0.02, 0.1])
def test_a_large_survey_loses_nothing_with_the_default(keep: str, min_support: float) -> None:
    found = lost(Setting(100_000, keep, min_support), 20, seed=7)
    assert found.itemsets > 50
    assert max(found.shares[ERRORS]) == 0


@pytest.mark.night
@pytest.mark.proof
def test_a_small_and_noisy_survey_loses_little_with_the_default_and_more_with_less() -> None:
    found = lost(Setting(100, "0.2", 0.02), 60, seed=7)
    assert np.quantile(found.shares[ERRORS], 0.9) < ONE_IN_A_HUNDRED
    assert sum(found.shares[ERRORS]) < sum(found.shares[2.0])


def test_what_the_form_says_is_what_was_measured() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in DOCS.read_text().splitlines()
        if line.startswith("| ") and line[2].isdigit()
    ]
    assert len(rows) == len(list(settings()))
    with_default = [row[4 + ALLOWANCES.index(ERRORS)] for row in rows]
    shares = [
        [float(share.removesuffix(" %")) for share in cell.split(";")[0].split(", ")] for cell in with_default
    ]
    assert max(in_nine_of_ten for in_nine_of_ten, _ in shares) == 0
    assert max(worst for _, worst in shares) == 12.5
    said = str(StartRunForm.base_fields["exact"].help_text)
    assert f"With the {ERRORS:g} set here, nine of ten simulated surveys" in said
    assert "the worst one an eighth" in said


def test_a_row_is_written_by_hand() -> None:
    found = Lost(
        Setting(1_000, "0.2", 0.1), 1_912, {2.0: [0.0] * 9 + [0.5], 3.0: [0.0] * 9 + [0.004], 4.0: []}
    )
    assert row_of(found) == ["1,000", "0.2", "0.1", "1,912", "5.0 %, 50.0 %; 1", "0.0 %, 0.4 %; 0", ""]


def test_both_kinds_of_people_give_an_answer_as_often_in_all() -> None:

    for alike in (True, False):
        drawn = kinds(0.1, alike=alike).draw(200_000, np.random.default_rng(1))
        assert (drawn == 1).mean() == pytest.approx(0.1, abs=0.002)
