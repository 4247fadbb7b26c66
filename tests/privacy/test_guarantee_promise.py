"""Promise 4: what is stated, read back as it is shown, is never better than brute force over all answers."""

import json
from decimal import Context, Decimal
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod
from typing import Any

import pytest
from hypothesis import given, strategies as st

from privacy.designs import parse
from privacy.guarantee.design_guarantees import audit
from tests.privacy import definition

FINE = Context(prec=60)
PARTS = 10_000

Section = tuple[int, definition.Noise, int]
"""Keep and noise in ten-thousandths, and how many are asked."""


@st.composite
def noise_rows(draw: st.DrawFn) -> tuple[int, ...]:
    cuts = draw(st.lists(st.integers(1, PARTS - 1), min_size=1, max_size=2, unique=True).map(sorted))
    ends = [0, *cuts, PARTS]
    return tuple(end - start for start, end in pairwise(ends))


@st.composite
def small_sections(draw: st.DrawFn) -> Section:
    noise = tuple(draw(st.lists(noise_rows(), min_size=1, max_size=3)))
    return draw(st.integers(1, PARTS - 1)), noise, draw(st.integers(1, len(noise)))


def decimal(parts: int) -> str:
    return f"0.{parts:04d}"


def written(sections: list[Section]) -> str:
    """The design as a researcher would write it, with a plain section before the others."""
    plain = {"kind": "plain", "questions": [{"name": "age", "choices": ["young", "old"]}]}
    sensitive = [
        {
            "kind": "unrelated-question",
            "keep": decimal(keep),
            "asked": asked,
            "questions": [
                {
                    "name": f"q{place}.{turn}",
                    "choices": [f"c{code}" for code in range(len(row))],
                    "noise": [decimal(part) for part in row],
                }
                for turn, row in enumerate(noise)
            ],
        }
        for place, (keep, noise, asked) in enumerate(sections)
    ]
    return json.dumps({"format": "candor-design/1", "sections": [plain, *sensitive]})


def stated(sections: list[Section], prior: str = "0.05", rho1: str = "0.05", rho2: str = "0.5") -> Any:
    found = audit(parse(written(sections)), Fraction(prior), Fraction(rho1), Fraction(rho2))
    return json.loads(json.dumps(found.as_json()), parse_float=Decimal)


def brute(section: Section) -> Fraction:
    keep, noise, asked = section
    return definition.brute_gamma((keep, PARTS), noise, asked)


def brute_person(sections: list[Section]) -> Fraction:
    """Over all truths about all sections and all records of them at once."""
    every = [list(definition.tables((keep, PARTS), noise, asked)) for keep, noise, asked in sections]
    worst = Fraction(1)
    for tables in product(*every):
        for record in product(*(table[0] for table in tables)):
            chances = [
                prod(truth[said] for truth, said in zip(truths, record, strict=True))
                for truths in product(*tables)
            ]
            worst = max(worst, Fraction(max(chances), min(chances)))
    return worst


def at_least_log(shown: Decimal, gamma: Fraction) -> bool:
    return Fraction(FINE.next_plus(FINE.exp(shown))) >= gamma


@pytest.mark.proof
@given(small_sections(), st.integers(1, 9999).map(decimal))
def test_a_sections_figures_are_never_better_than_the_truth(section: Section, prior: str) -> None:
    (found,) = stated([section], prior)["sections"]
    gamma = brute(section)
    assert Fraction(found["gamma"]) == gamma
    assert at_least_log(found["epsilon"], gamma)
    # The prior on the two truths that differ most gives this posterior.
    before = Fraction(prior)
    assert Fraction(found["posterior"]) >= before * gamma / (before * gamma + 1 - before)


@given(st.lists(small_sections().filter(lambda s: definition.work(s[1], s[2]) < 90), min_size=1, max_size=2))
def test_a_persons_figures_are_never_better_than_the_truth(sections: list[Section]) -> None:
    person = stated(sections)["person"]
    gamma = brute_person(sections)
    assert Fraction(person["gamma"]) == gamma
    assert at_least_log(person["epsilon"], gamma)
    # Something .05 likely before: odds of 1 to 19.
    assert Fraction(person["posterior"]) >= gamma / (gamma + 19)
    assert person["admissible"] is (gamma < 19)


@pytest.mark.proof
@given(small_sections(), st.lists(st.integers(1, 999), min_size=2, max_size=2, unique=True).map(sorted))
def test_what_is_called_admissible_breaches_under_no_prior(section: Section, rhos: list[int]) -> None:
    rho1, rho2 = (f"0.{rho:03d}" for rho in rhos)
    limit = Fraction(rho2) * (1 - Fraction(rho1)) / (Fraction(rho1) * (1 - Fraction(rho2)))
    (found,) = stated([section], "0.05", rho1, rho2)["sections"]
    keep, noise, asked = section
    assert found["admissible"] == (brute(section) < limit)
    if found["admissible_keep"] is None:
        assert brute((1, noise, asked)) >= limit
    else:
        most = int(Decimal(found["admissible_keep"]) * PARTS)
        assert brute((most, noise, asked)) < limit
        assert found["admissible"] == (keep <= most)


@pytest.mark.proof
@given(
    st.lists(small_sections().filter(lambda s: definition.work(s[1], s[2]) < 90), min_size=1, max_size=5),
    st.lists(st.integers(1, 999), min_size=2, max_size=2, unique=True).map(sorted),
)
def test_the_sections_that_break_the_limit_are_those_of_the_smallest_groups_that_do(
    sections: list[Section], rhos: list[int]
) -> None:
    rho1, rho2 = (f"0.{rho:03d}" for rho in rhos)
    limit = Fraction(rho2) * (1 - Fraction(rho1)) / (Fraction(rho1) * (1 - Fraction(rho2)))
    gammas = [brute(section) for section in sections]
    found = stated(sections, "0.05", rho1, rho2)
    expected: set[int] = set()
    for size in range(1, len(gammas) + 1):
        groups = combinations(range(len(gammas)), size)
        expected = {of for group in groups if prod(gammas[of] for of in group) >= limit for of in group}
        if expected:
            break
    assert found["together"]["breaks"] == [f"sections[{place + 1}]" for place in sorted(expected)]
    assert found["person"]["admissible"] is (prod(gammas) < limit)
    assert Fraction(found["together"]["limit"]) == limit


def test_the_figures_are_the_least_that_are_true() -> None:
    (found,) = stated([(5000, ((5000, 5000),) * 10, 10)])["sections"]
    del found["leakage"]  # test_leakage.py
    # ln 1025 = 6.93244789..., 51.25 / 52.2 = .98180076...
    assert found == {
        "gamma": "1025/1",
        "epsilon": Decimal("6.932448"),
        "posterior": Decimal("0.981801"),
        "admissible_keep": "0.0172",
        "admissible": False,
    }


def test_each_section_is_judged_by_itself_and_the_persons_gamma_tells_of_all() -> None:
    # Each 1 + 8 * 6923/3077 = 58461/3077 < 19, together far beyond it.
    found = stated([(6923, ((5000, 5000),) * 3, 3)] * 2)
    assert [section["admissible_keep"] for section in found["sections"]] == ["0.6923", "0.6923"]
    assert [section["admissible"] for section in found["sections"]] == [True, True]
    assert found["person"]["gamma"] == f"{58461**2}/{3077**2}"
    assert found["person"]["admissible"] is False
    assert found["together"]["breaks"] == ["sections[1]", "sections[2]"]


def test_the_limit_itself_is_not_admissible() -> None:
    # t = .36/.64 = 9/16, gamma = 1 + 32 * 9/16 = 19
    (found,) = stated([(3600, ((5000, 5000),) * 5, 5)])["sections"]
    assert (found["gamma"], found["admissible_keep"], found["admissible"]) == ("19/1", "0.3599", False)
    (found,) = stated([(3599, ((5000, 5000),) * 5, 5)])["sections"]
    assert found["admissible"] is True


def test_a_design_without_sensitive_questions_promises_nothing() -> None:
    found = stated([])
    assert found["person"] == {"gamma": None, "epsilon": None, "posterior": None, "admissible": None}
    assert (found["together"]["breaks"], found["sections"]) == ([], [])


def test_no_keep_is_admissible_where_the_sections_noise_is_too_small() -> None:
    (found,) = stated([(1, ((1, 9999),) * 2, 2)])["sections"]
    assert found["admissible_keep"] is None
    assert found["admissible"] is False


@pytest.mark.proof
def test_a_thousand_questions_are_audited_too() -> None:
    # An exact fraction of more digits than Python turns into text by itself.
    (found,) = stated([(5000, ((3333, 6667),) * 1300, 1300)])["sections"]
    assert len(found["gamma"]) > 4300
    assert found["posterior"] == 1


def test_a_probability_is_a_decimal_between_nought_and_one(subtests: pytest.Subtests) -> None:
    for text in ["0", "1", "1.0", "-0.1", "5e-2", "1/20", "", "nan", ".", "0.0", "0,5"]:
        with subtests.test(f"{text}"):
            from privacy.guarantee.design_guarantees import parse_probability

            with pytest.raises(ValueError, match="between 0 and 1"):
                parse_probability(text)
