"""What the start page says of a survey that asks again what earlier surveys asked."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from privacy.designs import Design, InputError
from privacy.guarantee.amplification import Guarantee
from privacy.kinds.mined_law import Protected
from surveys.lifecycle.waves import chain_guarantee, earlier_designs


@dataclass(frozen=True, slots=True)
class EarlierWaves:
    """The earlier surveys, the nearest first, and what answering all of them reveals.

    `guarantee` is None where an earlier survey is not stored here, so that nobody can say.
    """

    designs: tuple[Design, ...]
    guarantee: Guarantee | None
    has_group_open: bool

    @property
    def times(self) -> Fraction | None:
        """How many times as likely all records together can make an answer: with one decimal, rounded up."""
        return Fraction(ceil(self.guarantee.gamma * 10), 10) if self.guarantee else None

    @property
    def is_inside_only(self) -> bool:
        return self.guarantee is not None and self.guarantee.protects is Protected.INSIDE


def earlier_waves(design: Design) -> EarlierWaves | None:
    """None where nothing was asked before, or nothing is disguised."""
    if not design.follows:
        return None
    designs = tuple(earlier_designs(design.follows))
    has_group_open = any(each.has_group_open for each in (design, *designs))
    try:
        guarantee = chain_guarantee(design)
    except InputError:
        return EarlierWaves(designs, None, has_group_open)
    return EarlierWaves(designs, guarantee, has_group_open) if guarantee else None
