"""Presets: three protection levels for one person, and the best law of a section within a level.

A preset limits the posterior of anything that has the prior probability 1 in 20. The strictest two keep epsilon below
3.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import SupposedSupports
from privacy.guarantee.section_layouts import LayoutAim, NoiseLaw, one_section_layout
from privacy.kinds.grouped.law import SectionLaw

BEFORE = Fraction(1, 20)
"""The prior probability (suspicion) for which every preset is stated."""
MOST_ASKED = 8
"""Most questions asked together that can have the least error: each more at least halves the odds."""
MORE_ERROR = 1.25
"""Largest factor on the error of single answers for asking two questions, so that answers can be related."""
SINGLE = SupposedSupports((0.1,))


@dataclass(frozen=True, slots=True)
class Preset:
    """A protection level for one person; `after`: largest posterior of anything with the prior probability `BEFORE`."""

    name: str
    after: Fraction

    @property
    def limit(self) -> GammaLimit:
        return GammaLimit.never_exceeds(BEFORE, self.after)


DEFAULT = Preset("balanced", Fraction(1, 2))
PRESETS = {
    each.name: each
    for each in (Preset("stronger", Fraction(1, 4)), DEFAULT, Preset("weaker", Fraction(3, 4)))
}
LADDER = tuple(map(Fraction, (2, 3, 5, 9, 19, 49, 99)))
"""Limits of gamma to compare: a prior of 1 % becomes at most about 2, 3, 5, 8, 16, 33 or 50 %."""


@lru_cache(maxsize=512)
def best_section_law(
    noise: tuple[NoiseLaw, ...],
    limit: GammaLimit,
    *,
    asks_all: bool = False,
    pairs: SupposedSupports | None = None,
) -> SectionLaw | None:
    """Returns the law of a section with the least error of single answers; None if the limit admits no keep
    probability.

    Its devices draw two or more questions if that costs little, of `pairs` with these supports so many that their error
    is least; `asks_all`: they draw all.
    """
    aim = LayoutAim(noise, limit, pairs or SINGLE)
    most = min(MOST_ASKED, len(noise))
    candidates = [one_section_layout(aim, asked) for asked in range(most if asks_all else 1, most + 1)]
    admitted = [layout for layout in candidates if layout]
    if not admitted:
        return None
    best = min(admitted, key=lambda layout: layout.variance(1))
    near = [
        layout
        for layout in admitted
        if layout.sections[0].law.asked > 1 and layout.variance(1) <= MORE_ERROR**2 * best.variance(1)
    ]
    if near:
        best = min(near, key=lambda layout: layout.variance(2 if pairs else 1))
    return best.sections[0].law


def limit_per_section(limit: GammaLimit, sections: int) -> GammaLimit:
    """Returns the limit of gamma for each of so many `sections` whose joint limit is given: its root, rounded down."""
    if sections == 1:
        return limit
    return GammaLimit(Fraction(int(float(limit.gamma) ** (1 / sections) * 10**6), 10**6), limit.strict)
