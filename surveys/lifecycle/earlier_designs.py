"""Surveys that ask the same people again: finds the earlier designs of a design, and the guarantee over all
of them.

The member `follows` of a design is the fingerprint of the previous survey's design.
"""

from decimal import Decimal

from privacy import designs
from privacy.guarantee.amplification import Guarantee
from privacy.guarantee.repeated_surveys import laws_of_round, repeated_guarantee
from privacy.kinds.disguise_law_interface import Disguised
from surveys.models import Design


def earlier_designs(latest_fingerprint: str) -> list[designs.Design]:
    """Returns the designs of the earlier surveys of the same people, the latest first, as far as they are stored.

    `latest_fingerprint` is the fingerprint of the latest.
    """
    chain: list[designs.Design] = []
    while latest_fingerprint and Design.objects.filter(pk=latest_fingerprint).exists():
        chain.append(Design.load_parsed(latest_fingerprint))
        latest_fingerprint = chain[-1].follows
    return chain


def design_before(design: designs.Design) -> designs.Design | None:
    """Returns the design of the survey that this one follows; None if it follows none, or if that is not stored."""
    stored = Design.objects.filter(pk=design.follows).exists() if design.follows else False
    return Design.load_parsed(design.follows) if stored else None


def are_all_earlier_designs_stored(latest_fingerprint: str) -> bool:
    """True if the design with this fingerprint and all its earlier designs are stored."""
    earlier = earlier_designs(latest_fingerprint)
    return bool(earlier) and not earlier[-1].follows


def guarantee_with_earlier_surveys(design: designs.Design) -> Guarantee | None:
    """Returns the guarantee for a person who answers this survey and all earlier ones; None if nothing is disguised.

    Raises `InputError` if an earlier design is not stored.
    """
    return repeated_guarantee([design, *earlier_designs(design.follows)])


def epsilon_with_earlier_surveys(design: designs.Design, places: int) -> Decimal | None:
    """Returns epsilon, rounded up, for a person who answers this survey and all earlier ones of the same people.

    None without earlier surveys, or if one of their designs is not stored.
    """
    combined = (
        guarantee_with_earlier_surveys(design) if are_all_earlier_designs_stored(design.follows) else None
    )
    return combined.epsilon(places) if combined else None


def laws_of_earlier_designs(latest_fingerprint: str) -> tuple[Disguised, ...]:
    """Returns the laws (probabilities of the disguise) of all disguised sections of the earlier designs.

    A disguise that lasts over all surveys counts once.
    """
    designs = earlier_designs(latest_fingerprint)
    return tuple(law for design in designs for law in laws_of_round(design, is_first=design is designs[-1]))
