"""What a forced-response question guarantees, and the error to expect."""

from dataclasses import dataclass
from fractions import Fraction

from privacy.guarantee.error import NORMAL_95, SectionParameters, Supposed, itemset_error_curve
from privacy.kinds.grouped.law import SectionLaw
from surveys.draft import DEFAULT_SHARE
from surveys.kinds.forms.margins import margin_words
from surveys.questionnaire.protection import Protection
from tests.seventh.forced.draft import ForcedDraft


@dataclass(frozen=True)
class ForcedProtection(Protection):
    laws: tuple[SectionLaw]

    @property
    def keep(self) -> float:
        return float(self.laws[0].keep)

    @property
    def margin(self) -> str:
        curve = itemset_error_curve(
            [(SectionParameters.of(self.laws[0], [1]), [0])], Supposed((float(DEFAULT_SHARE),))
        )
        half_width = float(NORMAL_95 * curve.at(self.respondents).se) if curve else None
        return margin_words(half_width, self.enough)


def forced_protection(section: ForcedDraft, respondents: int, prior: Fraction) -> ForcedProtection:
    return ForcedProtection((section.law(),), respondents, prior)
