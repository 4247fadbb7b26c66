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
from privacy.kinds.number.classes.law import ClassesLaw, intervals
from privacy.kinds.number.window.law import WindowLaw
from tests.privacy import strategies
from tests.privacy.strategies import GridPlace, Section, exact_law, grid_places, law_of, matrix_of, sections

HALF = (Fraction(1, 2), Fraction(1, 2))


def agrees_with_its_definition(law: Disguised, matrix: Matrix) -> None:
    """I = H(X) + H(Y) - H(X,Y), and the divergences term by term, each answer with the same probability."""
    found = strategies.present(leakage(law, places=12))
    joint = matrix.astype(float) / len(matrix)
    of_y = joint.sum(axis=0)

    def entropy(weights: list[float]) -> float:
        return -sum(w * log2(w) for w in weights if w)

    information = log2(len(matrix)) + entropy(of_y.tolist()) - entropy(joint.ravel().tolist())
    assert float(found.mutual_information) == pytest.approx(information, abs=1e-10)
    distances = [
        sum(cell / total * log2(cell / total * len(matrix)) for cell in column if cell)
        for column, total in zip(joint.T.tolist(), of_y.tolist(), strict=True)
        if total
    ]
    assert float(found.largest_distance) == pytest.approx(max(distances), abs=1e-10)


def bits(law: Disguised, places: int = 15) -> Decimal:
    return strategies.present(leakage(law, places)).mutual_information


def test_leakage_by_hand() -> None:
    assert bits(SectionLaw(Fraction(0), (HALF,), 1)) == 0
    truth = strategies.present(leakage(SectionLaw(Fraction(1), (HALF, HALF), 2)))
    assert truth.mutual_information == truth.largest_distance == 2
    # A quarter of the answers are false: 1 - h(1/4) = 0.188721875540867136..., also where one of two is asked.
    for noise in ((HALF,), (HALF, HALF)):
        assert bits(SectionLaw(Fraction(1, 2), noise, 1)) == Decimal("0.188721875540868")
    # Ten questions leak four of their ten bits: the record of the true answers is one of 1,024 sent by noise alone.
    kept, other = 0.5 + 0.5 / 1024, 0.5 / 1024
    expected = kept * log2(kept * 1024) + 1023 * other * log2(other * 1024)
    assert float(bits(SectionLaw(Fraction(1, 2), (HALF,) * 10, 10), 6)) == pytest.approx(expected, abs=1e-6)


def test_rarer_answer_leaks_more_than_average() -> None:
    """Noise says yes with .4: a yes is sent by .7 of those of whom it is true and .2 of the others."""
    found = strategies.present(leakage(SectionLaw(Fraction(1, 2), ((Fraction(3, 5), Fraction(2, 5)),), 1)))
    of_yes = 7 / 9 * log2(14 / 9) + 2 / 9 * log2(4 / 9)
    of_no = 3 / 11 * log2(6 / 11) + 8 / 11 * log2(16 / 11)
    assert float(found.largest_distance) == pytest.approx(of_yes, abs=1e-6)
    assert float(found.mutual_information) == pytest.approx(0.45 * of_yes + 0.55 * of_no, abs=1e-6)


@pytest.mark.proof
@given(sections(questions=3, most_work=150))
def test_a_section_leaks_what_its_matrix_does(section: Section) -> None:
    law = law_of(*section)
    agrees_with_its_definition(law, matrix_of(law))


@pytest.mark.proof
def test_a_number_leaks_what_its_matrix_does() -> None:
    for values, half, uniform in ((7, 1, 5_000), (9, 0, 2_500), (11, 4, 9_000)):
        law = WindowLaw(values, half, uniform)
        rows = [[law.law.probability(x, y) for y in range(values)] for x in range(values)]
        agrees_with_its_definition(law, exact_law(rows))


@pytest.mark.proof
def test_a_number_by_classes_leaks_what_its_matrix_does() -> None:
    for limits, cuts, keep in ((1, 1, "0.5"), (3, 1, "0.5"), (4, 2, "0.8"), (5, 5, "0.3")):
        law = ClassesLaw(limits, cuts, Fraction(keep))
        sent = [interval for interval in intervals(law.classes) if law.count_draws_with_class(*interval)]
        rows = [[law.probability(*interval, true) for interval in sent] for true in range(law.classes)]
        agrees_with_its_definition(law, exact_law(rows))


@pytest.mark.proof
@given(grid_places())
def test_a_place_inside_leaks_what_its_matrix_does(made: GridPlace) -> None:
    inside = list(made.law.cells_in_regions)
    weights = np.array(made.weights, dtype=object)[np.ix_(inside, inside)]
    agrees_with_its_definition(made.law, weights * Fraction(1, made.law.coin_sides))


def test_leakage_is_missing_for_too_many_kinds_of_records() -> None:
    noise = tuple((Fraction(place, 1000), 1 - Fraction(place, 1000)) for place in range(300, 324))
    for law in ((noise, 12), (noise, 6), ((HALF,) * 500, 101)):
        assert leakage(SectionLaw(Fraction(1, 2), *law)) is None, law[1]


def test_bits_are_exact_and_rounded_up_for_any_sign() -> None:
    f, weighted = Fraction, Bits.from_weighted_logs
    assert weighted([(f(1, 2), f(8)), (f(1, 3), f(1, 8))]).rounded_up(20) == f(1, 2)
    assert weighted([(f(1, 7), f(3, 5)), (f(1, 7), f(10, 3))]) == Bits(f(1, 7), ())
    # log2 3 = 1.5849625007...
    assert [str(weighted([(f(sign), f(3))]).rounded_up(6)) for sign in (1, -1)] == ["1.584963", "-1.584962"]
    fine, hair = Context(prec=90), f(1, 10**70)
    log2_of_3 = f(fine.divide(fine.ln(Decimal(3)), fine.ln(Decimal(2))))
    for sign in (f(1), f(-1)):
        assert str(Bits(1 + hair - sign * log2_of_3, ((3, sign),)).rounded_up(6)) == "1.000001"
