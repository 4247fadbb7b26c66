"""What rounds with the same people cost: the page is current, and its numbers are those of the vectors."""

import json
from fractions import Fraction

import pytest

from bench.panels import written
from privacy.guarantee.panel_sample_sizes import (
    find_lasting_stages,
    respondent_factor_if_lasting,
    respondent_factor_if_split,
)
from tests.servers import ROOT


def test_panel_page_is_what_the_command_writes() -> None:
    assert (ROOT / "bench" / "figures" / "panels.md").read_text(encoding="utf-8") == written()


def test_panel_stages_and_prices_match_the_vectors() -> None:
    for case in json.loads((ROOT / "tests" / "vectors" / "panels.json").read_text())["planner"]:
        found = find_lasting_stages(Fraction(case["G"]), Fraction(case["H"]), Fraction(case["Q"]))
        assert (found.lasting, found.keep) == (Fraction(case["lasting"]), Fraction(case["keep"]))
        assert respondent_factor_if_lasting(found) == pytest.approx(case["respondents"], rel=1e-9)


def test_a_split_over_two_rounds_by_hand() -> None:
    """With one question of noise 1/2, gamma keeps (gamma - 1) / (gamma + 1)."""
    keep, once = (19**0.5 - 1) / (19**0.5 + 1), 0.9 * 0.1 + 0.05
    sent = keep * 0.1 + (1 - keep) / 2
    by_hand = (sent * (1 - sent) / keep**2) / (once * (1 - once) / 0.9**2)
    assert respondent_factor_if_split(19, 0.5, 2) == pytest.approx(by_hand)
