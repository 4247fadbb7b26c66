"""Which laws are enumerated, and what chi-square says of counts that were worked out by hand."""

import json
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from privacy.designs import parse_design
from proof.checks import disguise
from proof.record_probabilities import subset_law
from tests.browser.questionnaires import SURVEYS

HALF = {"0": Fraction(1, 2), "1": Fraction(1, 2)}


def test_each_section_has_an_enumerable_form(subtests: pytest.Subtests) -> None:
    for name in ["fourteen", "demo", "places"]:
        with subtests.test(name):
            design = parse_design(json.dumps(SURVEYS[name]["design"]))
            context: Any = SimpleNamespace(design_json=json.loads(design.canonical))
            for _number, section in disguise.randomised_sections(context):
                forms = [section, disguise.enumerable_section(section)]
                assert any(form and disguise.coin_sides_if_enumerable(form) for form in forms), section


def test_modulus_is_the_smallest_that_fits() -> None:
    section = {"keep": "0.6000", "questions": [{"noise": ["0.2500", "0.7500"]}]}
    assert disguise.coin_modulus(section) == 20
    assert disguise.coin_modulus({"keep": "0.6923", "questions": [{}]}) == 10_000


def test_chi_square_of_counts_by_hand() -> None:
    # (60 - 50)^2 / 50 twice is 4 with one degree of freedom.
    assert disguise.chi_square_p(HALF, {"0": 60, "1": 40}) == pytest.approx(0.0455, abs=1e-4)
    assert disguise.chi_square_p(HALF, {"0": 50, "1": 49, "2": 1}) == 0
    assert disguise.chi_square_p({"0": Fraction(1)}, {"0": 9}) == 1
    # Of one record in fifty, two are expected: with the rarer of the others, 38 and 62, of which 70 and 30 are seen.
    rare = {"0": Fraction(62, 100), "1": Fraction(36, 100), "2": Fraction(1, 100), "3": Fraction(1, 100)}
    seen = {"0": 30, "1": 35, "2": 20, "3": 15}
    assert disguise.chi_square_p(rare, seen) == pytest.approx(4.3e-11, rel=0.01)


def test_the_law_of_sets_by_hand() -> None:
    """Of four choices two go out: the three sets with the true one share .6, the three others .4."""
    section = {"size": 2, "keep": "0.6", "questions": [{"choices": ["a", "b", "c", "d"]}]}
    law = subset_law(section, False, 1, 1)
    assert law == {f"0{code}": Fraction(2, 10) if code in (0, 3, 4) else Fraction(4, 30) for code in range(6)}
    assert subset_law(section, False, 0, 1) == {"07": 1}
