from decimal import Decimal
from fractions import Fraction
from math import exp, log

import numpy as np
import opendp.prelude as dp
import pytest
from hypothesis import given

from privacy.guarantee.amplification import Guarantee, worst_posterior
from privacy.kinds.grouped.law import SectionLaw
from tests.privacy.definition import Noise, amplification, brute_gamma, exact_law, law_of, matrix_of, sections

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


@pytest.mark.parametrize("asked", [1, 4, 8])
def test_gamma_is_the_largest_ratio_for_eight_unlike_questions(asked: int) -> None:
    noise = tuple((part, 9 - part) for part in range(1, 9))
    assert law_of((9, 25), noise, asked).gamma == brute_gamma((9, 25), noise, asked)


@pytest.mark.proof
@given(sections(most_work=600_000))
def test_gamma_is_the_largest_ratio_in_large_sections_too(
    section: tuple[tuple[int, int], Noise, int],
) -> None:
    assert law_of(*section).gamma == brute_gamma(*section)


@pytest.mark.night
@pytest.mark.proof
@given(sections(questions=4, most_work=400))
def test_the_general_amplification_of_a_sections_matrix_is_its_gamma(
    section: tuple[tuple[int, int], Noise, int],
) -> None:
    law = law_of(*section)
    assert amplification(matrix_of(law)) == law.gamma


def test_ten_yes_no_questions_kept_half_the_time_amplify_by_1025() -> None:
    assert SectionLaw(Fraction(1, 2), (HALF,) * 10, 10).gamma == 1025


def test_one_yes_no_question_is_warners() -> None:
    # P(yes|yes) = 3/4, P(yes|no) = 1/4
    assert SectionLaw(Fraction(1, 2), (HALF,), 1).gamma == 3


def test_a_keep_near_nought_reveals_next_to_nothing() -> None:
    assert SectionLaw(Fraction(0), (HALF,), 1).gamma == 1
    assert SectionLaw(Fraction(1, 10**9), (HALF,) * 3, 3).gamma - 1 == Fraction(8, 10**9 - 1)


def test_a_keep_near_one_reveals_without_bound() -> None:
    assert SectionLaw(1 - Fraction(1, 10**9), (HALF,), 1).gamma == 1 + 2 * (10**9 - 1)


def test_a_keep_of_one_has_no_gamma() -> None:
    with pytest.raises(ZeroDivisionError):
        Guarantee((SectionLaw(Fraction(1), (HALF,), 1),)).gamma  # noqa: B018


@pytest.mark.parametrize("questions", range(1, 13))
@pytest.mark.parametrize(
    "keep", [Fraction(1, 10_000), Fraction(9, 25), Fraction(1, 2), Fraction(8181, 10_000)]
)
def test_epsilon_agrees_with_opendps_randomised_response(questions: int, keep: Fraction) -> None:
    dp.enable_features("contrib")
    values = 2**questions
    response = dp.m.make_randomized_response(
        categories=list(range(values)), prob=float(keep + (1 - keep) / values)
    )
    ours = Guarantee((SectionLaw(keep, (HALF,) * questions, questions),)).epsilon(places=15)
    assert float(ours) == pytest.approx(response.map(1), abs=1e-12)  # type: ignore[no-untyped-call]


def test_the_persons_gamma_is_the_product_over_the_sections() -> None:
    warner = SectionLaw(Fraction(1, 2), (HALF,), 1)
    pair = SectionLaw(Fraction(1, 2), (HALF,) * 2, 2)
    assert Guarantee((warner, pair)).gamma == 3 * 5


def test_the_product_over_two_sections_is_attained() -> None:
    first, second = SectionLaw(Fraction(1, 2), (HALF,), 1), SectionLaw(Fraction(1, 3), (HALF,) * 2, 1)
    both = np.kron(matrix_of(first), matrix_of(second))
    assert amplification(both) == Guarantee((first, second)).gamma


def test_gamma_multiplies_with_every_participation() -> None:
    once = Guarantee((SectionLaw(Fraction(1, 2), (HALF,), 1), SectionLaw(Fraction(1, 2), (HALF,) * 2, 2)))
    assert once.repeated(3).gamma == 15**3


def test_answering_twice_amplifies_as_the_law_of_two_records_does() -> None:
    law = matrix_of(SectionLaw(Fraction(1, 2), (HALF,), 1))
    twice = exact_law([[a * b for a in row for b in row] for row in law])
    assert amplification(twice) == 9


def test_the_worst_posterior_multiplies_the_odds() -> None:
    # odds 1:19, times 19: even
    assert worst_posterior(Fraction(19), Fraction(1, 20)) == Fraction(1, 2)


def test_a_law_that_rules_an_answer_out_has_no_amplification() -> None:
    assert (
        amplification(
            exact_law(
                [[Fraction(1, 2), Fraction(1, 2), Fraction(0)], [Fraction(1, 2), Fraction(0), Fraction(1, 2)]]
            )
        )
        is None
    )


def test_a_record_that_nobody_sends_does_not_count() -> None:
    assert (
        amplification(
            exact_law(
                [[Fraction(2, 3), Fraction(1, 3), Fraction(0)], [Fraction(1, 3), Fraction(2, 3), Fraction(0)]]
            )
        )
        == 2
    )


def test_amplification_of_doubles_is_exact_for_these_doubles() -> None:
    law = np.array([[0.1, 0.9], [0.3, 0.7]])
    assert amplification(law) == Fraction(0.3) / Fraction(0.1)


def test_a_law_of_one_answer_reveals_nothing() -> None:
    assert amplification(exact_law([[Fraction(1, 3), Fraction(2, 3)]])) == 1


@pytest.mark.parametrize(
    "rows",
    [
        [[Fraction(1, 2), Fraction(1, 3)]],
        [[Fraction(3, 2), Fraction(-1, 2)]],
        [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1), Fraction(1)]],
    ],
)
def test_what_is_no_law_is_refused(rows: list[list[Fraction]]) -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        exact_law(rows)


def test_epsilon_is_the_logarithm_rounded_up() -> None:
    found = Guarantee((SectionLaw(Fraction(1, 2), (HALF,) * 10, 10),)).epsilon()
    # ln 1025 = 6.93244789...
    assert found == Decimal("6.932448")
    assert log(1025) < found < log(1025) + 1e-6
    assert exp(found) > 1025
