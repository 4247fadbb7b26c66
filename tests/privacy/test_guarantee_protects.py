"""A law may protect only some people: what is stated says for whom."""

from dataclasses import dataclass
from fractions import Fraction

from privacy.guarantee.amplification import GammaLimit, Guarantee
from privacy.guarantee.design_guarantees import Audit, SectionAudit
from privacy.kinds.disguise_law_interface import Protected
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.number.window.law import WindowLaw

WARNER = SectionLaw(Fraction(1, 2), ((Fraction(1, 2), Fraction(1, 2)),), 1)
WINDOW = WindowLaw(5, 1, 4000)


@dataclass(frozen=True)
class InsideLaw:
    """Any law that promises nothing to people outside some regions."""

    gamma: Fraction = Fraction(2)
    protected_people: Protected = Protected.INSIDE

    def record_kinds(self) -> None:
        return None


def audited(*laws: SectionLaw | WindowLaw | InsideLaw) -> Audit:
    person, prior = Guarantee(laws), Fraction(1, 20)
    sections = tuple(
        SectionAudit(place, Guarantee((law,)), Guarantee((law,)).posterior_rounded_up(prior), None, True)
        for place, law in enumerate(laws)
    )
    limit = GammaLimit.never_reaches(prior, Fraction(1, 2))
    return Audit(
        person, person.posterior_rounded_up(prior), sections, (), limit, limit.admits(person.gamma), ()
    )


def test_the_laws_of_questions_and_numbers_protect_everybody() -> None:
    assert Guarantee((WARNER, WINDOW)).protected_people is Protected.EVERYBODY


def test_together_with_a_law_for_some_only_those_are_protected() -> None:
    found = Guarantee((WARNER, InsideLaw(), WINDOW))
    assert found.protected_people is Protected.INSIDE
    assert found.after_repetitions(2).protected_people is Protected.INSIDE
    # 3 * 2 * 3.5
    assert found.gamma == 21


def test_an_audit_says_for_whom_only_where_it_is_not_everybody() -> None:
    everybody, inside = audited(WARNER, WINDOW).as_json(), audited(WARNER, InsideLaw()).as_json()
    assert "protects" not in str(everybody)
    assert everybody["together"]["says"] == "All sections together keep the limit."
    assert inside["person"]["protects"] == "inside"
    assert ["protects" in section for section in inside["sections"]] == [False, True]
    assert inside["together"]["says"] == (
        "All sections together keep the limit. This holds for people inside the regions only; "
        "nothing is promised to anybody outside them."
    )
