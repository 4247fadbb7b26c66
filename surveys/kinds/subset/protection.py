"""What a question that is sent as sets guarantees, and the error to expect."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, sqrt

from privacy.guarantee.error import LEAST_BASE, NORMAL_95
from privacy.kinds.subset.law import SubsetLaw
from surveys.draft import DEFAULT_SHARE
from surveys.kinds.forms.margins import WANTED, margin_words, rounded_up
from surveys.kinds.subset.draft import SubsetDraft
from surveys.questionnaire.protection import Protection


@dataclass(frozen=True)
class SubsetProtection(Protection):
    """The margin of error supposes that one person of ten has the choice."""

    laws: tuple[SubsetLaw]

    @property
    def law(self) -> SubsetLaw:
        return self.laws[0]

    @property
    def keep(self) -> float:
        return float(self.law.keep)

    @property
    def other(self) -> float:
        return float(self.law.other)

    @property
    def half_width(self) -> float:
        return self._times_root / sqrt(self.respondents)

    @property
    def share_margins(self) -> tuple[float, ...]:
        return (self.half_width,) if self.enough else ()

    @property
    def margin(self) -> str:
        return margin_words(self.half_width, self.enough)

    def needed_for(self, half_width: float) -> int:
        return max(LEAST_BASE, rounded_up(ceil((self._times_root / half_width) ** 2)))

    @property
    def needed(self) -> int:
        """How many answers bring the half width down to five points."""
        return self.needed_for(WANTED)

    @cached_property
    def _times_root(self) -> float:
        return NORMAL_95 * sqrt(self.law.n_variance(Fraction(DEFAULT_SHARE)))


def subset_protection(section: SubsetDraft, respondents: int, prior: Fraction) -> SubsetProtection | None:
    """None while its sets do not fit."""
    law = section.law()
    return SubsetProtection((law,), respondents, prior) if law else None
