"""Leakage of the laws of all kinds, where every answer is equally likely: by hand, and by its definition."""

from decimal import Context, Decimal
from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import given

from privacy.guarantee.breaches import Matrix
from privacy.guarantee.leakage import Bits, leakage
from privacy.kinds.disguise_law_interface import Disguised
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.number.window.law import WindowLaw
from tests.privacy.definition import Noise, exact_law, law_of, matrix_of, sections
from tests.privacy.strategies import GridPlace, grid_places

HALF = (Fraction(1, 2), Fraction(1, 2))


def agrees_with_its_definition(law: Disguised, matrix: Matrix) -> None:
    """I = H(X) + H(Y) - H(X,Y), and the divergences term by term, each answer with the same probability."""
    found = leakage(law, places=12)
    assert found
    joint = matrix.astype(float) / len(matrix)
    of_y = joint.sum(axis=0)

    def h(weights: list[float]) -> float:
        return -sum(w * log2(w) for w in weights if w)

    information = log2(len(matrix)) + h(of_y.tolist()) - h(joint.ravel().tolist())
    assert float(found.mutual_information) == pytest.approx(information, abs=1e-10)
    distances = [
        sum(cell / total * log2(cell / total * len(matrix)) for cell in column if cell)
        for column, total in zip(joint.T.tolist(), of_y.tolist(), strict=True)
        if total
    ]
    assert float(found.largest_distance) == pytest.approx(max(distances), abs=1e-10)


def bits(law: Disguised, places: int = 15) -> Decimal:
    found = leakage(law, places)
    assert found
    return found.mutual_information


def test_pure_noise_leaks_nothing() -> None:
    assert bits(SectionLaw(Fraction(0), (HALF,), 1)) == 0


def test_the_truth_leaks_the_whole_entropy() -> None:
    found = leakage(SectionLaw(Fraction(1), (HALF, HALF), 2))
    assert found
    assert found.mutual_information == found.largest_distance == 2


def test_warners_question_leaks_what_its_channel_does() -> None:
    # A quarter of the answers are false: 1 - h(1/4) = 0.188721875540867136...
    assert bits(SectionLaw(Fraction(1, 2), (HALF,), 1)) == Decimal("0.188721875540868")


def test_asking_one_of_two_leaks_what_that_one_does() -> None:
    assert bits(SectionLaw(Fraction(1, 2), (HALF, HALF), 1)) == Decimal("0.188721875540868")


def test_the_rarer_answer_says_more_than_the_average() -> None:
    """Noise says yes with .4: a yes is sent by .7 of those of whom it is true and .2 of the others."""
    found = leakage(SectionLaw(Fraction(1, 2), ((Fraction(3, 5), Fraction(2, 5)),), 1))
    assert found
    yes, no = 0.45, 0.55
    of_yes = 7 / 9 * log2(14 / 9) + 2 / 9 * log2(4 / 9)
    of_no = 3 / 11 * log2(6 / 11) + 8 / 11 * log2(16 / 11)
    assert float(found.largest_distance) == pytest.approx(of_yes, abs=1e-6)
    assert float(found.mutual_information) == pytest.approx(yes * of_yes + no * of_no, abs=1e-6)


@pytest.mark.proof
@given(sections(questions=3, most_work=150))
def test_a_section_leaks_what_its_matrix_does(section: tuple[tuple[int, int], Noise, int]) -> None:
    law = law_of(*section)
    agrees_with_its_definition(law, matrix_of(law))


@pytest.mark.proof
def test_a_number_leaks_what_its_matrix_does(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int, int]] = [(7, 1, 5_000), (9, 0, 2_500), (11, 4, 9_000)]
    for values, half, uniform in cases:
        with subtests.test(f"{values} {half}"):
            law = WindowLaw(values, half, uniform)
            rows = [[law.law.probability(x, y) for y in range(values)] for x in range(values)]
            agrees_with_its_definition(law, exact_law(rows))


@pytest.mark.proof
@given(grid_places())
def test_a_place_inside_leaks_what_its_matrix_does(made: GridPlace) -> None:
    inside = list(made.law.cells_in_regions)
    weights = np.array(made.weights, dtype=object)[np.ix_(inside, inside)]
    agrees_with_its_definition(made.law, weights * Fraction(1, made.law.coin_sides))


def test_ten_questions_leak_four_of_their_ten_bits() -> None:
    """The record of the true answers is one of 1,024 that are sent by noise alone: kept with .5 or redrawn."""
    kept, other = 0.5 + 0.5 / 1024, 0.5 / 1024
    expected = kept * log2(kept * 1024) + 1023 * other * log2(other * 1024)
    assert float(bits(SectionLaw(Fraction(1, 2), (HALF,) * 10, 10), 6)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("asked", [12, 6])
def test_with_too_many_kinds_of_records_nothing_is_said(asked: int) -> None:
    noise = tuple((Fraction(place, 1000), 1 - Fraction(place, 1000)) for place in range(300, 324))
    assert leakage(SectionLaw(Fraction(1, 2), noise, asked)) is None


def test_with_too_many_questions_nothing_is_said() -> None:
    assert leakage(SectionLaw(Fraction(1, 2), (HALF,) * 500, 101)) is None


def test_what_is_a_power_of_two_stays_exact() -> None:
    assert Bits.from_weighted_logs(
        [(Fraction(1, 2), Fraction(8)), (Fraction(1, 3), Fraction(1, 8))]
    ).rounded_up(20) == Fraction(1, 2)


def test_logarithms_that_cancel_leave_nothing_to_round() -> None:
    assert Bits.from_weighted_logs(
        [(Fraction(1, 7), Fraction(3, 5)), (Fraction(1, 7), Fraction(10, 3))]
    ) == Bits(Fraction(1, 7), ())


@pytest.mark.parametrize(("weight", "shown"), [(Fraction(1), "1.584963"), (Fraction(-1), "-1.584962")])
def test_bits_are_rounded_up_whatever_their_sign(weight: Fraction, shown: str) -> None:
    # log2 3 = 1.5849625007...
    assert str(Bits.from_weighted_logs([(weight, Fraction(3))]).rounded_up(6)) == shown


@pytest.mark.parametrize("weight", [Fraction(1), Fraction(-1)])
def test_bits_a_hair_above_a_decimal_are_not_rounded_down_to_it(weight: Fraction) -> None:
    fine = Context(prec=90)
    log2_of_3 = Fraction(fine.divide(fine.ln(Decimal(3)), fine.ln(Decimal(2))))
    hair = Fraction(1, 10**70)
    assert str(Bits(1 + hair - weight * log2_of_3, ((3, weight),)).rounded_up(6)) == "1.000001"
