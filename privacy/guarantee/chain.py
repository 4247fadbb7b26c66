"""The guarantee over surveys that repeat each other: for whoever answers all of them, the gammas multiply."""

from collections.abc import Sequence
from itertools import pairwise

from privacy.designs import Design, Refusal
from privacy.grammar.refusal import marked as _
from privacy.guarantee.amplification import Guarantee


def chain(designs: Sequence[Design]) -> Guarantee | None:
    """Of a design, the one that it follows, the one that this follows, and so on; None if nothing is disguised.

    A design that does not follow the next one is refused, and so is a chain that does not reach its first survey.
    """
    for later, earlier in pairwise(designs):
        if not later.follows:
            raise Refusal("follows", _("this design follows none: leave the earlier design out"))
        if later.follows != earlier.fingerprint:
            raise Refusal(
                "follows",
                _(
                    "is %(follows)s, not %(given)s, the fingerprint of the design given: give the one it follows"
                ),
                follows=later.follows,
                given=earlier.fingerprint,
            )
    if designs[-1].follows:
        raise Refusal(
            "follows", _("the design %(follows)s is missing: give it too"), follows=designs[-1].follows
        )
    laws = tuple(law for design in designs for section in design.sections if (law := section.law))
    return Guarantee(laws) if laws else None
