"""Gamma, epsilon and the worst posterior: by brute force, by hand, rounded to the safe side, and for whom they hold."""

from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import exp, log

import opendp.prelude as dp
import pytest
from hypothesis import given, strategies as st

from privacy.guarantee.amplification import (
    GammaLimit,
    Guarantee,
    log_bounds,
    log_rounded_up,
    round_down,
    round_up,
    worst_posterior,
)
from privacy.guarantee.design_guarantees import Audit, SectionAudit
from privacy.kinds.disguise_law_interface import Protected
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.number.window.law import WindowLaw
from tests.privacy.strategies import Section, brute_gamma, exact_law, law_of, sections

F, FINE = Fraction, Context(prec=80)
HALF = (F(1, 2), F(1, 2))
WARNER, WINDOW = SectionLaw(F(1, 2), (HALF,), 1), WindowLaw(5, 1, 4000)


@pytest.mark.proof
@given(sections())
def test_gamma_is_the_largest_probability_ratio_of_answers_and_records(section: Section) -> None:
    assert law_of(*section).gamma == brute_gamma(*section)


def test_gamma_of_yes_no_questions_by_hand_and_of_eight_unlike_ones_by_brute_force() -> None:
    # Warner's: P(yes|yes) = 3/4, P(yes|no) = 1/4.
    cases = {
        (F(0), 1): F(1),
        (F(1, 2), 1): F(3),
        (F(1, 2), 10): F(1025),
        (F(1, 10**9), 3): 1 + F(8, 10**9 - 1),
        (1 - F(1, 10**9), 1): F(1 + 2 * (10**9 - 1)),
    }
    assert {(keep, n): SectionLaw(keep, (HALF,) * n, n).gamma for keep, n in cases} == cases
    noise = tuple((part, 9 - part) for part in range(1, 9))
    for asked in (1, 4, 8):
        assert law_of((9, 25), noise, asked).gamma == brute_gamma((9, 25), noise, asked), asked
    with pytest.raises(ZeroDivisionError):
        Guarantee((SectionLaw(F(1), (HALF,), 1),)).gamma  # noqa: B018


def test_epsilon_agrees_with_opendps_randomised_response(subtests: pytest.Subtests) -> None:
    dp.enable_features("contrib")
    for keep in (F(1, 10_000), F(9, 25), F(1, 2), F(8181, 10_000)):
        for questions in (1, 2, 5, 12):
            with subtests.test(f"{keep} {questions}"):
                values = 2**questions
                prob = float(keep + (1 - keep) / values)
                response = dp.m.make_randomized_response(categories=list(range(values)), prob=prob)
                ours = Guarantee((SectionLaw(keep, (HALF,) * questions, questions),)).epsilon(places=15)
                assert float(ours) == pytest.approx(response.map(1), abs=1e-12)  # type: ignore[no-untyped-call]


def test_gamma_multiplies_over_sections_and_with_every_participation() -> None:
    once = Guarantee((WARNER, SectionLaw(F(1, 2), (HALF,) * 2, 2)))
    assert [once.gamma, Guarantee(once.laws * 3).gamma] == [15, 15**3]
    # Odds 1:19, times 19: even.
    assert worst_posterior(F(19), F(1, 20)) == F(1, 2)


def test_design_without_disguise_has_no_guarantee() -> None:
    with pytest.raises(ValueError, match="nothing is disguised"):
        Guarantee(())


def test_invalid_law_is_refused() -> None:
    half = F(1, 2)
    for rows in ([[half, F(1, 3)]], [[F(3, 2), -half]], [[half, half], [F(1), F(1)]]):
        with pytest.raises(ValueError, match="sum to 1"):
            exact_law(rows)


# --- rounding to the safe side


@pytest.mark.proof
@given(st.fractions(), st.integers(0, 12))
def test_guarantee_figures_are_rounded_conservatively_by_less_than_a_step(
    value: Fraction, places: int
) -> None:
    assert 0 <= F(round_up(value, places)) - value < F(1, 10**places)
    assert 0 <= value - F(round_down(value, places)) < F(1, 10**places)


@pytest.mark.proof
@given(st.fractions(min_value=1, max_value=10**30), st.integers(0, 15))
def test_logarithm_is_never_below_the_true_one(value: Fraction, places: int) -> None:
    shown = log_rounded_up(value, places)
    # exp rounded down, at a precision far beyond the decimals shown
    assert F(FINE.next_plus(FINE.exp(shown))) >= value
    if shown:
        assert F(FINE.next_minus(FINE.exp(shown - Decimal(10) ** -places))) < value


def test_rounding_of_known_logarithms_is_upwards() -> None:
    e, hair = F(FINE.exp(Decimal(1))), F(1, 10**60)
    cases = {
        F(1): "0.000000",
        F(19): "2.944439",  # 2.94443897916...
        F(1025): "6.932448",  # 6.93244789157...
        1 + F(1, 10**12): "0.000001",
        1 + F(1, 10**30): "0.000001",
        1 + F(1, 10**300): "0.000001",
        F(10) ** 500: "1151.292547",  # 500 times 2.302585092994...
        e - hair: "1.000000",
        e + hair: "1.000001",
    }
    assert {value: str(log_rounded_up(value, 6)) for value in cases} == cases
    epsilon = Guarantee((SectionLaw(F(1, 2), (HALF,) * 10, 10),)).epsilon()
    assert log(1025) < epsilon < log(1025) + 1e-6
    assert exp(epsilon) > 1025
    with pytest.raises(ValueError, match="at least 1"):
        log_rounded_up(F(1, 2), 6)


def test_exact_decimal_is_unchanged_in_any_thread_context() -> None:
    assert str(round_up(F(9, 25), 4)) == str(round_down(F(9, 25), 4)) == "0.3600"
    with localcontext() as context:
        context.prec = 2
        assert str(log_rounded_up(F(1025), 6)) == "6.932448"
        assert str(round_up(F(123456789), 2)) == "123456789.00"


def test_logarithm_bounds_enclose_it_at_few_digits() -> None:
    for value, true in ((F(2), FINE.ln(Decimal(2))), (1 + F(1, 10**30), Decimal("1e-30"))):
        low, high = log_bounds(value, 20)
        assert low < true < high
        assert high - low < Decimal("1e-18")
    assert log_bounds(1 + F(1, 10**30), 20)[0] == 0
    for number in range(2, 60):
        low, high = log_bounds(F(number), 3)
        assert low < FINE.ln(Decimal(number)) < high, number


# --- a law may protect only some people: what is stated says for whom


@dataclass(frozen=True)
class InsideLaw:
    """Any law that promises nothing to people outside some regions."""

    gamma: Fraction = HALF[0] * 4
    protected_people: Protected = Protected.INSIDE

    def record_kinds(self) -> None:
        return None


def audit_laws(*laws: SectionLaw | WindowLaw | InsideLaw) -> Audit:
    person, prior = Guarantee(laws), F(1, 20)
    sections = tuple(
        SectionAudit(place, Guarantee((law,)), Guarantee((law,)).posterior_rounded_up(prior), None, True)
        for place, law in enumerate(laws)
    )
    limit = GammaLimit.never_reaches(prior, F(1, 2))
    admitted = limit.admits(person.gamma)
    return Audit(person, person.posterior_rounded_up(prior), sections, (), limit, admitted, ())


def test_partial_law_protects_only_its_people() -> None:
    assert Guarantee((WARNER, WINDOW)).protected_people is Protected.EVERYBODY
    found = Guarantee((WARNER, InsideLaw(), WINDOW))
    assert {found.protected_people, Guarantee(found.laws * 2).protected_people} == {Protected.INSIDE}
    # 3 * 2 * 3.5
    assert found.gamma == 21


def test_audit_names_its_people_if_not_everybody() -> None:
    everybody, inside = audit_laws(WARNER, WINDOW).as_json(), audit_laws(WARNER, InsideLaw()).as_json()
    assert "protects" not in str(everybody)
    assert everybody["together"]["says"] == "All sections together keep the limit."
    assert inside["person"]["protects"] == "inside"
    assert ["protects" in section for section in inside["sections"]] == [False, True]
    assert inside["together"]["says"] == (
        "All sections together keep the limit. This holds for people inside the regions only; "
        "nothing is promised to anybody outside them."
    )
