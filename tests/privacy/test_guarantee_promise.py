"""Promise 4: what is stated, read back as it is shown, is never better than brute force over all answers."""

import json
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction
from itertools import accumulate, combinations, pairwise, product
from math import gcd, pi, prod, sin
from typing import Any

import pytest
from hypothesis import given, strategies as st

from privacy.designs import parse_design
from privacy.guarantee.design_guarantees import audit, parse_probability
from proof.record_probabilities import (
    DISGUISED,
    Law,
    largest_ratio,
    number_code_law,
    number_of_true_codes,
    record_law,
)
from tests.privacy import questionnaires as q, strategies as by_definition
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, classes, plain, question, sensitive, window

FINE, PARTS = Context(prec=60), 10_000
Section = tuple[int, by_definition.Noise, int]
"""Keep and noise in ten-thousandths, and how many are asked."""
decimals = st.integers(1, PARTS - 1).map(lambda parts: f"0.{parts:04d}")
rhos = st.lists(st.integers(1, 999), min_size=2, max_size=2, unique=True).map(sorted)


@st.composite
def noise_rows(draw: st.DrawFn) -> tuple[int, ...]:
    cuts = draw(st.lists(st.integers(1, PARTS - 1), min_size=1, max_size=2, unique=True).map(sorted))
    return tuple(end - start for start, end in pairwise([0, *cuts, PARTS]))


@st.composite
def small_sections(draw: st.DrawFn) -> Section:
    noise = tuple(draw(st.lists(noise_rows(), min_size=1, max_size=3)))
    return draw(st.integers(1, PARTS - 1)), noise, draw(st.integers(1, len(noise)))


tiny_sections = small_sections().filter(lambda section: by_definition.pair_count(section[1], section[2]) < 90)


def as_written(section: Section, place: int = 0) -> dict[str, Any]:
    keep, noise, asked = section
    rows = ([f"{part / PARTS:.4f}" for part in row] for row in noise)
    questions = (question(f"q{place}.{turn}", *row) for turn, row in enumerate(rows))
    return sensitive(f"0.{keep:04d}", *questions, asked=asked)


def stated_audit(
    *sections: dict[str, Any], prior: str = "0.05", rhos: tuple[str, str] = ("0.05", "0.5")
) -> Any:
    """The audit of a design in which a plain section stands before these."""
    age = plain({"name": "years", "choices": ["young", "old"]})
    found = audit(parse_design(json.dumps(q.make_design(age, *sections))), *map(Fraction, (prior, *rhos)))
    return json.loads(json.dumps(found.as_json()), parse_float=Decimal)


def limit_of(rhos: list[int]) -> tuple[Fraction, tuple[str, str]]:
    low, high = (Fraction(rho, 1000) for rho in rhos)
    return high * (1 - low) / (low * (1 - high)), (f"0.{rhos[0]:03d}", f"0.{rhos[1]:03d}")


def brute(section: Section) -> Fraction:
    keep, noise, asked = section
    return by_definition.brute_gamma((keep, PARTS), noise, asked)


def brute_person(sections: list[Section]) -> Fraction:
    """Over all truths about all sections and all records of them at once."""
    every = [list(by_definition.tables((keep, PARTS), noise, asked)) for keep, noise, asked in sections]
    worst = Fraction(1)
    for tables in product(*every):
        for record in product(*(table[0] for table in tables)):
            chances = [
                prod(truth[said] for truth, said in zip(truths, record, strict=True))
                for truths in product(*tables)
            ]
            worst = max(worst, Fraction(max(chances), min(chances)))
    return worst


def figures_are_no_better(figures: Any, gamma: Fraction, prior: Fraction) -> bool:
    """The prior on the two truths that differ most gives this posterior."""
    return (
        Fraction(figures["gamma"]) == gamma
        and Fraction(FINE.next_plus(FINE.exp(figures["epsilon"]))) >= gamma
        and Fraction(figures["posterior"]) >= prior * gamma / (prior * gamma + 1 - prior)
    )


@pytest.mark.proof
@given(small_sections(), decimals)
def test_section_guarantee_is_never_overstated(section: Section, prior: str) -> None:
    (found,) = stated_audit(as_written(section), prior=prior)["sections"]
    assert figures_are_no_better(found, brute(section), Fraction(prior))


@given(st.lists(tiny_sections, min_size=1, max_size=2))
def test_person_guarantee_is_never_overstated(sections: list[Section]) -> None:
    person = stated_audit(*(as_written(section, place) for place, section in enumerate(sections)))["person"]
    gamma = brute_person(sections)
    assert figures_are_no_better(person, gamma, Fraction(1, 20))
    assert person["admissible"] is (gamma < 19)


@pytest.mark.proof
@given(small_sections(), rhos)
def test_admissible_design_breaches_under_no_prior(section: Section, rhos: list[int]) -> None:
    limit, texts = limit_of(rhos)
    (found,) = stated_audit(as_written(section), rhos=texts)["sections"]
    keep, noise, asked = section
    assert found["admissible"] == (brute(section) < limit)
    if found["admissible_keep"] is None:
        assert brute((1, noise, asked)) >= limit
    else:
        most = int(Decimal(found["admissible_keep"]) * PARTS)
        assert brute((most, noise, asked)) < limit
        assert most == PARTS - 1 or brute((most + 1, noise, asked)) >= limit
        assert found["admissible"] == (keep <= most)


@pytest.mark.proof
@given(st.lists(tiny_sections, min_size=1, max_size=5), rhos)
def test_smallest_groups_of_sections_over_the_limit_are_named(
    sections: list[Section], rhos: list[int]
) -> None:
    limit, texts = limit_of(rhos)
    gammas = [brute(section) for section in sections]
    found = stated_audit(*(as_written(section, place) for place, section in enumerate(sections)), rhos=texts)
    expected: set[int] = set()
    for size in range(1, len(gammas) + 1):
        groups = combinations(range(len(gammas)), size)
        expected = {of for group in groups if prod(gammas[of] for of in group) >= limit for of in group}
        if expected:
            break
    assert found["together"]["breaks"] == [f"sections[{place + 1}]" for place in sorted(expected)]
    assert found["person"]["admissible"] is (prod(gammas) < limit)
    assert Fraction(found["together"]["limit"]) == limit


def test_the_limit_itself_is_inadmissible_and_little_noise_admits_no_keep() -> None:
    # t = .36/.64 = 9/16, gamma = 1 + 32 * 9/16 = 19
    cases = {
        (3600, ((5000, 5000),) * 5, 5): ("19/1", "0.3599", False),
        (3599, ((5000, 5000),) * 5, 5): (None, "0.3599", True),
        (1, ((1, 9999),) * 2, 2): (None, None, False),
    }
    for section, (gamma, keep, admissible) in cases.items():
        (found,) = stated_audit(as_written(section))["sections"]
        assert (found["admissible_keep"], found["admissible"]) == (keep, admissible), section
        assert gamma in (None, found["gamma"])


@pytest.mark.proof
def test_design_of_a_thousand_questions_is_audited() -> None:
    # An exact fraction of more digits than Python turns into text by itself.
    (found,) = stated_audit(as_written((5000, ((3333, 6667),) * 1300, 1300)))["sections"]
    assert len(found["gamma"]) > 4300
    assert found["posterior"] == 1


def test_a_probability_is_a_decimal_between_nought_and_one() -> None:
    for text in ("0", "1", "1.0", "-0.1", "5e-2", "1/20", "", "nan", ".", "0.0", "0,5"):
        with pytest.raises(ValueError, match="between 0 and 1"):
            parse_probability(text)


# --- numbers


@st.composite
def windows(draw: st.DrawFn) -> dict[str, Any]:
    values = draw(st.integers(2, 12))
    widths = [width for width in range(1, values, 2) if gcd(width, values) == 1]
    # Below .1 the first eigenvalue is refused: with u of at least one half it is no less here.
    halves = [w // 2 for w in widths if sin(w * pi / values) >= 0.2 * w * sin(pi / values)]
    return window("n", values, draw(st.sampled_from(halves)), f"0.{draw(st.integers(1, 5000)):04d}")


@st.composite
def number_classes(draw: st.DrawFn, rests: bool = True) -> dict[str, Any]:
    step = draw(st.integers(1, 3))
    gaps = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    points = list(accumulate((step * gap for gap in gaps), initial=draw(st.integers(-5, 5))))
    more: dict[str, Any] = {"step": step, "cuts": draw(st.integers(1, len(gaps)))}
    if rests and max(gaps) > 1:
        more |= {"rest": draw(st.integers(0, 10)), "keep_rest": draw(decimals)}
    return classes("n", draw(decimals), *points, **more)


def brute_of_number(section: dict[str, Any]) -> Fraction:
    laws = [number_code_law(section, index) for index in range(number_of_true_codes(section["questions"][0]))]
    rows = [[law[code] for code in sorted(law)] for law in laws]
    return by_definition.present(by_definition.amplification(by_definition.exact_law(rows)))


@pytest.mark.proof
@given(st.one_of(windows(), number_classes()), decimals)
def test_number_guarantee_is_never_overstated(section: dict[str, Any], prior: str) -> None:
    (found,) = stated_audit(section, prior=prior)["sections"]
    gamma = brute_of_number(section)
    assert figures_are_no_better(found, gamma, Fraction(prior))
    assert found["admissible"] is (gamma < 19)
    assert "protects" not in found


@pytest.mark.proof
@given(number_classes(rests=False))
def test_the_admissible_keep_of_classes_is_the_largest(section: dict[str, Any]) -> None:
    (found,) = stated_audit(section, rhos=("0.2", "0.6"))["sections"]
    most = Fraction(found["admissible_keep"])
    more = most + Fraction(1, PARTS)
    assert brute_of_number({**section, "keep": most}) < 6 <= brute_of_number({**section, "keep": more})
    assert found["admissible"] is (Fraction(section["keep"]) <= most)


@pytest.mark.proof
def test_number_guarantee_by_hand() -> None:
    (found,) = stated_audit(window("n", 1001, 100))["sections"]
    # 2.9900 times as likely near the number, .5 times elsewhere: 201/1001 · 2.9900 log2 2.9900 - 800/1001 / 2.
    assert found.pop("leakage") == dict.fromkeys(("bits", "largest_distance"), Decimal("0.549133"))
    figures = {"gamma": "1202/201", "epsilon": Decimal("1.788438"), "posterior": Decimal("0.239395")}
    assert found == figures | {"admissible_keep": None, "admissible": True}
    # (1 + p') / (1 - p') = 9 exceeds 1 + 2 p / (1 - p) = 3; below the class's the class decides.
    assert brute_of_number(classes("n", "0.5", 0, 3, 5, 9, rest=2, keep_rest="0.8")) == 9
    assert brute_of_number(classes("n", "0.5", 0, 3, 5, 9, rest=2, keep_rest="0.2")) == 3
    assert brute_of_number(classes("n", "0.5", 0, 3, 5, 9)) == 3
    # Window: 1 + .6 * 5 / (.4 * 3) = 3.5; classes: 1 + 2 * .5 / .5 = 3. No two of the three reach 19: 7/2 * 3 * 3 does.
    assert [section["gamma"] for section in stated_audit(*BOTH)["sections"]] == ["7/2", "3/1"]
    three = stated_audit(*BOTH, classes("pay", "0.5", 0, 2, 3))
    assert three["together"]["breaks"] == ["sections[1]", "sections[2]", "sections[3]"]


# --- whole designs, rules and rotation included, against all truths and all records

IF_NOT = {"show_if": {"work": ["not"]}}
SHIFT = {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED}
BOTH = (window("age", 5, 1, "0.4"), classes("debt", "0.5", 0, 2, 3, rest=2))
THEFT, DRINK, DRUGS = q.THEFT_RULED, q.DRINK, q.DRUGS
DRINK_RULED, IF_HIDDEN = DRINK | IF_EMPLOYED, question("drugs", "0.3", "0.7", **IF_NOT)
RARE = question("theft", "0.9", "0.1", **IF_EMPLOYED)
ALL_SHOWN_TO_SOMEBODY: dict[str, list[dict[str, Any]]] = {
    "a window behind a rule": [window("age", 5, 1, "0.5", **IF_EMPLOYED)],
    "classes behind a rule": [classes("debt", "0.7", 0, 1, 3, **IF_EMPLOYED)],
    "both laws": [*BOTH],
    "both laws and a question": [*BOTH, sensitive("0.3", THEFT)],
    "classes beside a rotating section": [
        classes("debt", "0.6", 0, 1, 2, 4, rest=2, **IF_EMPLOYED),
        sensitive("0.45", DRINK_RULED, DRUGS, asked=1),
    ],
    "a window beside a rotating section": [
        sensitive("0.3", THEFT, DRINK, asked=1),
        window("age", 4, 0, "0.9", **IF_EMPLOYED),
    ],
    "two numbers by classes": [
        classes("debt", "0.6", 0, 1, 2),
        classes("pay", "0.25", 10, 30, 50, step=10, rest=2),
    ],
    "one behind a rule": [sensitive("0.3", THEFT, DRUGS)],
    "rotating": [sensitive("0.6", DRINK, THEFT, DRUGS, asked=2)],
    "one of three": [sensitive("0.45", DRINK_RULED, RARE, DRUGS, asked=1)],
    "a rule behind a rule": [
        plain(SHIFT),
        sensitive("0.25", question("theft", "0.7", "0.3", show_if={"shift": ["night"]}), DRINK_RULED),
    ],
    "two sections": [sensitive("0.3", THEFT), sensitive("0.5", DRUGS | IF_EMPLOYED, DRINK, asked=1)],
}
NEVER_TOGETHER: dict[str, list[dict[str, Any]]] = {
    "numbers of both laws": [
        window("age", 5, 1, "0.4", **IF_EMPLOYED),
        classes("debt", "0.5", 0, 2, 3, **IF_NOT),
    ],
    "a number beside a question": [
        classes("debt", "0.5", 0, 2, 3, rest=2, **IF_NOT),
        sensitive("0.3", THEFT),
    ],
    "in one section": [sensitive("0.3", THEFT, IF_HIDDEN)],
    "in two sections": [sensitive("0.3", THEFT), sensitive("0.3", IF_HIDDEN)],
    "rotating": [sensitive("0.3", THEFT, IF_HIDDEN, question("drink", *HALF), asked=2)],
}


def laws_by_plain_answers(design: dict[str, Any]) -> Iterator[list[Law]]:
    """Yields, for each combination of plain answers, the record probabilities for all true answers of disguised
    people."""
    asked = [(each, section["kind"]) for section in design["sections"] for each in section["questions"]]
    laws: dict[tuple[int, ...], list[Law]] = {}
    for answers in product(*(range(number_of_true_codes(each)) for each, _kind in asked)):
        plain = (code for code, (_each, kind) in zip(answers, asked, strict=True) if kind == "plain")
        laws.setdefault(tuple(plain), []).append(record_law(design, DISGUISED, answers))
    return iter(laws.values())


def ratios_and_gamma(sections: list[dict[str, Any]]) -> tuple[list[Fraction], Fraction]:
    """By plain answers the largest ratio there is; and the gamma that is stated."""
    ratios = sorted(map(largest_ratio, laws_by_plain_answers(q.make_design(plain(WORK), *sections))))
    found = audit(q.design(plain(WORK), *sections), Fraction(1, 20), Fraction(1, 20), Fraction(1, 2))
    return ratios, by_definition.present(found.person).gamma


def test_gamma_is_reached_by_people_shown_everything(subtests: pytest.Subtests) -> None:
    for name, sections in ALL_SHOWN_TO_SOMEBODY.items():
        with subtests.test(name):
            ratios, gamma = ratios_and_gamma(sections)
            assert ratios[-1] == gamma
            assert ratios[0] < gamma or "show_if" not in str(sections)


def test_gamma_is_an_upper_bound_where_questions_never_show_together(subtests: pytest.Subtests) -> None:
    for name, sections in NEVER_TOGETHER.items():
        with subtests.test(name):
            ratios, gamma = ratios_and_gamma(sections)
            assert ratios[-1] < gamma
    # Only one of the two is ever answered: 1 + 3/7 / .3 at most, and not 1 + 3/7 / (.4 * .3).
    odds = Fraction(3, 7)
    in_one = [1 + odds / Fraction(4, 10), 1 + odds / Fraction(3, 10)], 1 + odds / Fraction(12, 100)
    assert ratios_and_gamma(NEVER_TOGETHER["in one section"]) == in_one


def test_section_hidden_wholly_reveals_nothing() -> None:
    hidden = classes("debt", "0.7", 0, 1, 3, **IF_EMPLOYED), window("age", 5, 1, "0.5", **IF_EMPLOYED)
    for section in (*hidden, sensitive("0.3", question("theft", *HALF, **IF_EMPLOYED))):
        ratios, gamma = ratios_and_gamma([section])
        assert ratios == [1, gamma], section
