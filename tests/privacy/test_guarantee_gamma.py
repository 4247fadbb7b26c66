from decimal import Decimal
from fractions import Fraction
from math import exp, log

import opendp.prelude as dp
import pytest
from hypothesis import given

from privacy.guarantee.amplification import Guarantee, worst_posterior
from privacy.kinds.grouped.law import SectionLaw
from tests.privacy.definition import Noise, brute_gamma, exact_law, law_of, sections

HALF = (Fraction(1, 2), Fraction(1, 2))


@pytest.mark.proof
@given(sections())
def test_gamma_is_the_largest_ratio_of_all_answers_and_records(
    section: tuple[tuple[int, int], Noise, int],
) -> None:
    assert law_of(*section).gamma == brute_gamma(*section)


def test_nothing_disguised_makes_no_guarantee() -> None:
    with pytest.raises(ValueError, match="nothing is disguised"):
        Guarantee(())


def test_gamma_is_the_largest_ratio_for_eight_unlike_questions(subtests: pytest.Subtests) -> None:
    for asked in [1, 4, 8]:
        with subtests.test(f"{asked}"):
            noise = tuple((part, 9 - part) for part in range(1, 9))
            assert law_of((9, 25), noise, asked).gamma == brute_gamma((9, 25), noise, asked)


def test_a_keep_of_one_has_no_gamma() -> None:
    with pytest.raises(ZeroDivisionError):
        Guarantee((SectionLaw(Fraction(1), (HALF,), 1),)).gamma  # noqa: B018


def test_gamma_of_yes_no_questions_by_hand(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Fraction, int, Fraction | int]] = [
        (Fraction(0), 1, 1),
        # Warner's: P(yes|yes) = 3/4, P(yes|no) = 1/4.
        (Fraction(1, 2), 1, 3),
        (Fraction(1, 2), 10, 1025),
        (Fraction(1, 10**9), 3, 1 + Fraction(8, 10**9 - 1)),
        (1 - Fraction(1, 10**9), 1, 1 + 2 * (10**9 - 1)),
    ]
    for keep, questions, gamma in cases:
        with subtests.test(f"{keep!r:.60} {questions}"):
            assert SectionLaw(keep, (HALF,) * questions, questions).gamma == gamma


def test_epsilon_agrees_with_opendps_randomised_response(subtests: pytest.Subtests) -> None:
    cases_of_keep: list[Fraction] = [
        Fraction(1, 10_000),
        Fraction(9, 25),
        Fraction(1, 2),
        Fraction(8181, 10_000),
    ]
    for keep in cases_of_keep:
        for questions in [1, 2, 5, 12]:
            with subtests.test(f"{keep!r:.60} {questions}"):
                dp.enable_features("contrib")
                values = 2**questions
                response = dp.m.make_randomized_response(
                    categories=list(range(values)), prob=float(keep + (1 - keep) / values)
                )
                ours = Guarantee((SectionLaw(keep, (HALF,) * questions, questions),)).epsilon(places=15)
                assert float(ours) == pytest.approx(response.map(1), abs=1e-12)  # type: ignore[no-untyped-call]


def test_gamma_multiplies_over_sections_and_with_every_participation() -> None:
    once = Guarantee((SectionLaw(Fraction(1, 2), (HALF,), 1), SectionLaw(Fraction(1, 2), (HALF,) * 2, 2)))
    assert once.gamma == 15
    assert once.after_repetitions(3).gamma == 15**3


def test_the_worst_posterior_multiplies_the_odds() -> None:
    # odds 1:19, times 19: even
    assert worst_posterior(Fraction(19), Fraction(1, 20)) == Fraction(1, 2)


def test_what_is_no_law_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[list[list[Fraction]]] = [
        [[Fraction(1, 2), Fraction(1, 3)]],
        [[Fraction(3, 2), Fraction(-1, 2)]],
        [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1), Fraction(1)]],
    ]
    for rows in cases:
        with subtests.test(f"{rows!r:.60}"), pytest.raises(ValueError, match="sum to 1"):
            exact_law(rows)


def test_epsilon_is_the_logarithm_rounded_up() -> None:
    found = Guarantee((SectionLaw(Fraction(1, 2), (HALF,) * 10, 10),)).epsilon()
    # ln 1025 = 6.93244789...
    assert found == Decimal("6.932448")
    assert log(1025) < found < log(1025) + 1e-6
    assert exp(found) > 1025
