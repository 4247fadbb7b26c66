from decimal import Context, Decimal
from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings

from privacy.guarantee.bits import Bits
from privacy.guarantee.leakage import distortion, leakage, section_distortion, section_leakage
from privacy.guarantee.records import Beliefs, answers_of, matrix_of, prior_of, records_of
from privacy.guarantee.transition import Matrix, Vector, exact_law, exact_prior
from privacy.kinds.grouped.law import NOT_ASKED, SectionLaw
from tests.privacy.definition import believed

HALF = (Fraction(1, 2), Fraction(1, 2))
EVEN: Beliefs = {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}


def entropy(share: float) -> float:
    return -share * log2(share) - (1 - share) * log2(1 - share)


def symmetric(flip: Fraction) -> Matrix:
    return exact_law([[1 - flip, flip], [flip, 1 - flip]])


EVEN_PRIOR = exact_prior([Fraction(1, 2), Fraction(1, 2)])


def test_a_binary_symmetric_channel_has_its_known_capacity() -> None:
    # 1 - h(1/4) = 0.188721875540867136...
    found = leakage(EVEN_PRIOR, symmetric(Fraction(1, 4)), places=15).mutual_information
    assert found == Decimal("0.188721875540868")


def test_a_channel_that_keeps_nine_of_ten_has_the_textbooks_capacity() -> None:
    # 1 - h(.1) = 0.53100440641...
    assert leakage(EVEN_PRIOR, symmetric(Fraction(1, 10))).mutual_information == Decimal("0.531005")


def test_an_erasure_channel_passes_exactly_what_it_does_not_erase() -> None:
    law = exact_law(
        [[Fraction(3, 4), Fraction(0), Fraction(1, 4)], [Fraction(0), Fraction(3, 4), Fraction(1, 4)]]
    )
    found = leakage(EVEN_PRIOR, law)
    assert found.mutual_information == Decimal("0.75")
    assert found.distances == (Decimal(1), Decimal(1), Decimal(0))


def test_pure_noise_leaks_nothing() -> None:
    law = SectionLaw(Fraction(0), (HALF,), 1)
    assert section_leakage(law, EVEN).mutual_information == 0


def test_the_truth_leaks_the_whole_entropy() -> None:
    law = SectionLaw(Fraction(1), (HALF, HALF), 2)
    beliefs = {answer: Fraction(1, 4) for answer in answers_of(law)}
    found = section_leakage(law, beliefs)
    assert found.mutual_information == found.largest_distance == 2


def test_warners_question_leaks_what_its_channel_does() -> None:
    law = SectionLaw(Fraction(1, 2), (HALF,), 1)
    assert section_leakage(law, EVEN, places=15).mutual_information == Decimal("0.188721875540868")


def test_asking_one_of_two_leaks_what_that_one_does() -> None:
    law = SectionLaw(Fraction(1, 2), (HALF, HALF), 1)
    beliefs = {answer: Fraction(1, 4) for answer in answers_of(law)}
    assert section_leakage(law, beliefs, places=15).mutual_information == Decimal("0.188721875540868")


def test_a_rare_record_may_tell_all_though_the_average_is_small() -> None:
    # One in a thousand sends the record that only a thief sends; a thief was 1/1024 likely.
    prior = exact_prior([Fraction(1, 1024), Fraction(1023, 1024)])
    law = exact_law([[Fraction(1, 2), Fraction(1, 2)], [Fraction(0), Fraction(1)]])
    found = leakage(prior, law)
    assert found.largest_distance == found.distances[0] == 10
    assert found.mutual_information < Decimal("0.006")


def test_a_record_never_sent_has_no_distance() -> None:
    law = exact_law([[Fraction(1, 2), Fraction(1, 2), Fraction(0)]] * 2)
    assert leakage(EVEN_PRIOR, law).distances == (Decimal(0), Decimal(0), None)


def direct(prior: Vector, law: Matrix) -> tuple[float, list[float]]:
    """I = H(X) + H(Y) - H(X,Y), and the distances term by term from their definition."""
    joint = [[float(p * q) for q in row] for p, row in zip(prior, law, strict=True)]
    of_x, of_y = [sum(row) for row in joint], [sum(column) for column in zip(*joint, strict=True)]

    def h(weights: list[float]) -> float:
        return -sum(w * log2(w) for w in weights if w)

    distances = [
        sum(cell / total * log2(cell / total / x) for cell, x in zip(column, of_x, strict=True) if cell)
        for column, total in zip(zip(*joint, strict=True), of_y, strict=True)
        if total
    ]
    return h(of_x) + h(of_y) - h([cell for row in joint for cell in row]), distances


@pytest.mark.proof
@settings(max_examples=25, deadline=None)
@given(believed())
def test_leakage_is_that_of_the_definitions(world: tuple[SectionLaw, Beliefs]) -> None:
    law, beliefs = world
    prior, matrix = prior_of(law, beliefs), matrix_of(law)
    information, distances = direct(prior, matrix)
    found = leakage(prior, matrix, places=12)
    assert float(found.mutual_information) == pytest.approx(information, abs=1e-10)
    assert [float(d) for d in found.distances if d is not None] == pytest.approx(distances, abs=1e-10)
    assert float(found.largest_distance) == pytest.approx(max(distances), abs=1e-10)


@pytest.mark.proof
@settings(max_examples=25, deadline=None)
@given(believed())
def test_a_section_leaks_what_its_matrix_does(world: tuple[SectionLaw, Beliefs]) -> None:
    law, beliefs = world
    assert section_leakage(law, beliefs) == leakage(prior_of(law, beliefs), matrix_of(law))


@pytest.mark.proof
@settings(max_examples=25, deadline=None)
@given(believed())
def test_doubles_give_an_upper_bound_close_to_the_exact_value(world: tuple[SectionLaw, Beliefs]) -> None:
    law, beliefs = world
    prior, matrix = prior_of(law, beliefs), matrix_of(law)
    exact = leakage(prior, matrix, places=12)
    rough = leakage(prior.astype(float), matrix.astype(float), places=12)
    assert 0 <= rough.mutual_information - exact.mutual_information < Decimal("3e-9")
    for above, true in zip(rough.distances, exact.distances, strict=True):
        assert (above is None) == (true is None)
        assert above is None or true is None or 0 <= above - true < Decimal("3e-9")


@pytest.mark.proof
@settings(max_examples=25, deadline=None)
@given(believed())
def test_no_record_tells_more_than_epsilon_in_bits(world: tuple[SectionLaw, Beliefs]) -> None:
    law, beliefs = world
    assert float(section_leakage(law, beliefs).largest_distance) <= log2(law.gamma) + 1e-6


@pytest.mark.proof
def test_eight_questions_of_which_four_are_asked_are_quick() -> None:
    law = SectionLaw(Fraction(36, 100), (HALF,) * 8, 4)
    beliefs = {answer: Fraction(1, 256) for answer in answers_of(law)}
    # Whoever sees four even answers sees one even value out of sixteen, kept with .36 or redrawn.
    kept = 0.36 + 0.64 / 16
    other = 0.64 / 16
    expected = kept * log2(kept * 16) + 15 * other * log2(other * 16)
    assert float(section_leakage(law, beliefs).mutual_information) == pytest.approx(expected, abs=1e-6)


def test_a_quarter_of_warners_answers_are_false() -> None:
    assert section_distortion(SectionLaw(Fraction(1, 2), (HALF,), 1), EVEN) == Fraction(1, 4)


@settings(max_examples=25, deadline=None)
@given(believed())
def test_distortion_counts_the_answers_that_differ(world: tuple[SectionLaw, Beliefs]) -> None:
    law, beliefs = world
    cost = np.array(
        [
            [
                sum(said not in (NOT_ASKED, true) for true, said in zip(x, y, strict=True))
                for y in records_of(law)
            ]
            for x in answers_of(law)
        ]
    )
    assert section_distortion(law, beliefs) == distortion(prior_of(law, beliefs), matrix_of(law), cost)


def test_what_is_a_power_of_two_stays_exact() -> None:
    assert Bits.total([(Fraction(1, 2), Fraction(8)), (Fraction(1, 3), Fraction(1, 8))]).up(20) == Fraction(
        1, 2
    )


def test_logarithms_that_cancel_leave_nothing_to_round() -> None:
    assert Bits.total([(Fraction(1, 7), Fraction(3, 5)), (Fraction(1, 7), Fraction(10, 3))]) == Bits(
        Fraction(1, 7), ()
    )


@pytest.mark.parametrize(("weight", "shown"), [(Fraction(1), "1.584963"), (Fraction(-1), "-1.584962")])
def test_bits_are_rounded_up_whatever_their_sign(weight: Fraction, shown: str) -> None:
    # log2 3 = 1.5849625007...
    assert str(Bits.total([(weight, Fraction(3))]).up(6)) == shown


@pytest.mark.parametrize("weight", [Fraction(1), Fraction(-1)])
def test_bits_a_hair_above_a_decimal_are_not_rounded_down_to_it(weight: Fraction) -> None:
    fine = Context(prec=90)
    log2_of_3 = Fraction(fine.divide(fine.ln(Decimal(3)), fine.ln(Decimal(2))))
    hair = Fraction(1, 10**70)
    assert str(Bits(1 + hair - weight * log2_of_3, ((3, weight),)).up(6)) == "1.000001"
