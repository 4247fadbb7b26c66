"""What a design promises, section by section and for the whole person."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from privacy.designs import Design, PlainSection
from privacy.guarantee.amplification import Guarantee, Limit
from privacy.guarantee.by_guarantee import admissible_keep
from privacy.guarantee.decimals import down
from privacy.mechanisms.section import SectionLaw

KEEP_PLACES = 4
PROBABILITY = re.compile(r"0?\.[0-9]{1,15}", re.ASCII)


def probability(text: str) -> Fraction:
    """A decimal strictly between 0 and 1, exactly."""
    if not PROBABILITY.fullmatch(text) or not (value := Fraction(text)):
        raise ValueError("not a decimal between 0 and 1")
    return value


@dataclass(frozen=True, slots=True)
class SectionAudit:
    """One sensitive section by itself; `place` is its index in the design.

    `admissible_keep` is the largest keep with which it causes no rho1-to-rho2 breach; `admissible`, whether
    the present one causes none.
    """

    place: int
    guarantee: Guarantee
    posterior: Decimal
    admissible_keep: Fraction | None
    admissible: bool

    def as_json(self) -> dict[str, Any]:
        keep = self.admissible_keep
        return {
            **_amplification(self.guarantee),
            "posterior": float(self.posterior),
            "admissible_keep": None if keep is None else str(down(keep, KEEP_PLACES)),
            "admissible": self.admissible,
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """`person` is None where no section is sensitive: nothing is disguised then, and nothing promised.

    `together`: no breach even by all sections at once. Whoever sees the record sees them all, and two sections
    may each keep the limit and break it together.
    """

    person: Guarantee | None
    sections: tuple[SectionAudit, ...]
    plain: tuple[int, ...]
    together: bool

    @property
    def described(self) -> str:
        """Which sections of the design the audit's stand for, where that is not plain to see."""
        return ", ".join(f"sections[{section.place}]" for section in self.sections) if self.plain else ""

    def as_json(self) -> dict[str, Any]:
        """DESIGN 5: gamma as an exact fraction, decimals rounded up at six places."""
        return {
            "person": _amplification(self.person),
            "sections": [section.as_json() for section in self.sections],
        }


def audit(design: Design, prior: Fraction, rho1: Fraction, rho2: Fraction) -> Audit:
    """For anything `prior` likely before, and for breaches from rho1 to rho2 (strict) and back."""
    limit = Limit.never_reaches(rho1, rho2)
    laws = {
        place: section.law
        for place, section in enumerate(design.sections)
        if not isinstance(section, PlainSection)
    }
    plain = tuple(place for place in range(len(design.sections)) if place not in laws)
    if not laws:
        return Audit(None, (), plain, together=True)
    person = Guarantee(tuple(laws.values()))
    sections = tuple(_section(place, law, prior, limit) for place, law in laws.items())
    return Audit(person, sections, plain, limit.admits(person.gamma))


def _section(place: int, law: SectionLaw, prior: Fraction, limit: Limit) -> SectionAudit:
    guarantee = Guarantee((law,))
    keep = admissible_keep(law.noise, law.asked, limit)
    admissible = limit.admits(guarantee.gamma)
    return SectionAudit(place, guarantee, guarantee.posterior_up(prior), keep, admissible)


def _amplification(guarantee: Guarantee | None) -> dict[str, Any]:
    if guarantee is None:
        return {"gamma": None, "epsilon": None}
    # Through Decimal: Python writes no integer of more than 4300 digits.
    numerator, denominator = map(Decimal, guarantee.gamma.as_integer_ratio())
    return {"gamma": f"{numerator}/{denominator}", "epsilon": float(guarantee.epsilon())}
