"""The largest keep of `classes` within a limit of gamma."""

from fractions import Fraction

from privacy.grammar.input_error import InputError, marked as _
from privacy.grammar.node import PARTS
from privacy.guarantee.amplification import GammaLimit


def largest_keep(limit: GammaLimit, cuts: int) -> Fraction:
    """The largest p with 1 + p(m+1)/(1-p) within the limit, before it is rounded down; that of the rest for m = 1."""
    return (limit.gamma - 1) / (limit.gamma + cuts)


def rounded_keep(limit: GammaLimit, cuts: int) -> Fraction:
    """The same with four places; refused where not even .0001 is within the limit."""
    most = largest_keep(limit, cuts) * PARTS
    parts = int(most) - (limit.strict and most == int(most))
    if parts < 1:
        raise InputError("limit", _("no keep of four places is within this limit"))
    return Fraction(parts, PARTS)
