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


def earlier_designs(follows: str) -> list[designs.Design]:
    """Returns the designs of the earlier surveys of the same people, the latest first, as far as they are stored.

    `follows` is the fingerprint of the latest.
    """
    chain: list[designs.Design] = []
    while follows and Design.objects.filter(pk=follows).exists():
        chain.append(Design.load_parsed(follows))
        follows = chain[-1].follows
    return chain


def are_all_earlier_designs_stored(follows: str) -> bool:
    """True if the design with this fingerprint and all its earlier designs are stored."""
    earlier = earlier_designs(follows)
    return bool(earlier) and not earlier[-1].follows


def chain_guarantee(design: designs.Design) -> Guarantee | None:
    """Returns the guarantee for a person who answers this survey and all earlier ones; None if nothing is disguised.

    Raises `InputError` if an earlier design is not stored.
    """
    return repeated_guarantee([design, *earlier_designs(design.follows)])


def chain_epsilon(design: designs.Design, places: int) -> Decimal | None:
    """Returns epsilon, rounded up, for a person who answers this survey and all earlier ones of the same people.

    None without earlier surveys, or if one of their designs is not stored.
    """
    combined = chain_guarantee(design) if are_all_earlier_designs_stored(design.follows) else None
    return combined.epsilon(places) if combined else None


def earlier_laws(follows: str) -> tuple[Disguised, ...]:
    """Returns the laws (probabilities of the disguise) of all disguised sections of the earlier designs.

    A disguise that lasts over all surveys counts once.
    """
    designs = earlier_designs(follows)
    return tuple(law for design in designs for law in laws_of_round(design, is_first=design is designs[-1]))
