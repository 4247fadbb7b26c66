"""Promise 4 for numbers: no stated guarantee is better than brute force over all answers, for both laws."""

import json
from decimal import Context, Decimal
from fractions import Fraction
from itertools import accumulate
from math import gcd
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from privacy.designs import parse
from privacy.guarantee.audit import audit
from privacy.guarantee.transition import amplification, exact_law
from tests.privacy.number_definition import laws_by_plain_answers, most_amplified, number_law, numbers
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    THIRDS,
    WORK,
    plain,
    question,
    sensitive,
    thresholds,
    window,
    written,
)

pytestmark = pytest.mark.proof
FINE = Context(prec=60)
IF_NOT = {"show_if": {"work": ["not"]}}


def four_places(parts: int) -> str:
    return f"0.{parts:04d}"


@st.composite
def windows(draw: st.DrawFn) -> dict[str, Any]:
    values = draw(st.integers(2, 12))
    halves = [half for half in range((values - 2) // 2 + 1) if gcd(2 * half + 1, values) == 1]
    # Below .1 the first eigenvalue is refused: it is at least u / 3 here.
    return window("n", values, draw(st.sampled_from(halves)), four_places(draw(st.integers(1, 5000))))


@st.composite
def number_thresholds(draw: st.DrawFn) -> dict[str, Any]:
    step = draw(st.integers(1, 3))
    gaps = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    points = accumulate((step * gap for gap in gaps), initial=draw(st.integers(-5, 5)))
    keep = four_places(draw(st.integers(1, 9999)))
    return thresholds("n", keep, *points, step=step, mean=draw(st.booleans()))


def stated(design: dict[str, Any], prior: str = "0.05", rho1: str = "0.05", rho2: str = "0.5") -> Any:
    found = audit(parse(json.dumps(design)), Fraction(prior), Fraction(rho1), Fraction(rho2))
    return json.loads(json.dumps(found.as_json()), parse_float=Decimal)


def matrix(section: dict[str, Any]) -> Any:
    laws = [number_law(section, index) for index in range(numbers(section))]
    return exact_law([[law[code] for code in sorted(law)] for law in laws])


def brute(section: dict[str, Any]) -> Fraction:
    found = amplification(matrix(section))
    assert found is not None
    return found


@settings(deadline=None)
@given(st.one_of(windows(), number_thresholds()), st.integers(1, 9999).map(four_places))
def test_a_numbers_figures_are_never_better_than_the_truth(section: dict[str, Any], prior: str) -> None:
    (found,) = stated(written(section), prior)["sections"]
    gamma, before = brute(section), Fraction(prior)
    assert Fraction(found["gamma"]) == gamma
    assert Fraction(FINE.next_plus(FINE.exp(found["epsilon"]))) >= gamma
    assert Fraction(found["posterior"]) >= before * gamma / (before * gamma + 1 - before)
    assert found["admissible"] is (gamma < 19)
    assert "protects" not in found


@settings(deadline=None)
@given(number_thresholds())
def test_the_admissible_keep_of_thresholds_is_the_largest(section: dict[str, Any]) -> None:
    (found,) = stated(written(section), rho1="0.2", rho2="0.6")["sections"]
    most = Fraction(found["admissible_keep"])
    more = most + Fraction(1, 10_000)
    assert brute({**section, "keep": most}) < 6 <= brute({**section, "keep": more})
    assert found["admissible"] is (Fraction(section["keep"]) <= most)


def test_a_window_has_no_keep() -> None:
    (found,) = stated(written(window("n", 1001, 100)))["sections"]
    assert found == {
        "gamma": "1202/201",
        "epsilon": Decimal("1.788438"),
        "posterior": Decimal("0.239395"),
        "admissible_keep": None,
        "admissible": True,
    }


def test_the_law_with_a_mean_mixes_the_neighbours() -> None:
    """The vector of thresholds 0, 3, 5, 9 at keep one half, from the number 4."""
    section = thresholds("n", "0.5", 0, 3, 5, 9, mean=True)
    assert number_law(section, 4) == {
        0: Fraction(1, 12),
        1: Fraction(1, 4),
        2: Fraction(1, 6),
        3: Fraction(1, 6),
        4: Fraction(1, 4),
        5: Fraction(1, 12),
    }
    # The ends are never moved, so the worst is that of the unmoved law, (1 + p) / (1 - p).
    assert brute(section) == brute(thresholds("n", "0.5", 0, 3, 5, 9)) == 3


BOTH = (window("age", 5, 1, "0.4"), thresholds("debt", "0.5", 0, 2, 3, mean=True))
ALL_SHOWN_TO_SOMEBODY = {
    "a window behind a rule": written(plain(WORK), window("age", 5, 1, "0.5", **IF_EMPLOYED)),
    "thresholds behind a rule": written(plain(WORK), thresholds("debt", "0.7", 0, 1, 3, **IF_EMPLOYED)),
    "both laws": written(*BOTH),
    "both laws and a question": written(
        plain(WORK),
        *BOTH,
        sensitive("0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED)),
    ),
    "thresholds beside a rotating section": written(
        plain(WORK),
        thresholds("debt", "0.6", 0, 1, 2, 4, mean=True, **IF_EMPLOYED),
        sensitive("0.45", question("drink", *THIRDS, **IF_EMPLOYED), question("drugs", *HALF), asked=1),
    ),
    "a window beside a rotating section": written(
        plain(WORK),
        sensitive("0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED), question("drink", *THIRDS), asked=1),
        window("age", 4, 0, "0.9", **IF_EMPLOYED),
    ),
    "two thresholds": written(
        thresholds("debt", "0.6", 0, 1, 2), thresholds("pay", "0.25", 10, 30, 50, step=10, mean=True)
    ),
}
NEVER_TOGETHER = {
    "of both laws": written(
        plain(WORK),
        window("age", 5, 1, "0.4", **IF_EMPLOYED),
        thresholds("debt", "0.5", 0, 2, 3, **IF_NOT),
    ),
    "beside a question": written(
        plain(WORK),
        thresholds("debt", "0.5", 0, 2, 3, mean=True, **IF_NOT),
        sensitive("0.3", question("theft", "0.4", "0.6", **IF_EMPLOYED)),
    ),
}


@pytest.mark.parametrize("name", ALL_SHOWN_TO_SOMEBODY)
def test_gamma_of_several_sections_is_reached(name: str) -> None:
    design = ALL_SHOWN_TO_SOMEBODY[name]
    found = max(most_amplified(alike) for alike in laws_by_plain_answers(design))
    assert Fraction(stated(design)["person"]["gamma"]) == found


@pytest.mark.parametrize("name", NEVER_TOGETHER)
def test_gamma_is_an_upper_bound_where_numbers_never_show_together(name: str) -> None:
    design = NEVER_TOGETHER[name]
    found = max(most_amplified(alike) for alike in laws_by_plain_answers(design))
    assert found < Fraction(stated(design)["person"]["gamma"])


def test_a_hidden_number_says_nothing() -> None:
    for section in (
        window("age", 5, 1, "0.5", **IF_EMPLOYED),
        thresholds("debt", "0.7", 0, 1, 3, **IF_EMPLOYED),
    ):
        design = written(plain(WORK), section)
        amplified = sorted(most_amplified(alike) for alike in laws_by_plain_answers(design))
        assert amplified == [1, Fraction(stated(design)["person"]["gamma"])]


def test_gamma_of_both_laws_by_hand() -> None:
    # Window: 1 + .6 * 5 / (.4 * 3) = 3.5; thresholds: 1.5 / .5 = 3.
    found = stated(written(*BOTH))
    assert [section["gamma"] for section in found["sections"]] == ["7/2", "3/1"]
    assert found["person"]["gamma"] == "21/2"
    assert found["together"]["breaks"] == []
    assert found["person"]["admissible"] is True
    # No two of the three reach 19: 7/2 * 3 * 3 does.
    three = stated(written(*BOTH, thresholds("pay", "0.5", 0, 2, 3)))
    assert three["together"]["breaks"] == ["sections[0]", "sections[1]", "sections[2]"]
