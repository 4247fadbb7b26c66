"""What a crosswise question guarantees, the error to expect, and what pages show of both."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from django.utils.translation import gettext as _

from look.numbers import percent
from privacy.grammar.node import PARTS
from privacy.guarantee.error import NORMAL_95, SectionParameters, Supposed, itemset_error_curve
from privacy.kinds.grouped.law import SectionLaw
from surveys.draft import DEFAULT_SHARE
from surveys.kinds.crosswise.draft import CrosswiseDraft
from surveys.kinds.forms.margins import margin_words
from surveys.questionnaire.protection import Protection

EXPECTED_SHARE = float(DEFAULT_SHARE)
"""The share of *yes* that the margin of error supposes."""


def margin_of(law: SectionLaw, respondents: int, share: float) -> float:
    """Half the width of the 95 % interval of the share of *yes* to the only question of a section with this law."""
    curve = itemset_error_curve([(SectionParameters.of(law, [1]), [0])], Supposed((share,)))
    assert curve is not None
    return float(NORMAL_95 * curve.at(respondents).se)


@dataclass(frozen=True)
class CrosswiseProtection(Protection):
    laws: tuple[SectionLaw]
    section: CrosswiseDraft

    @property
    def law(self) -> SectionLaw:
        return self.laws[0]

    @property
    def share(self) -> float:
        """Of the secret."""
        return self.section.question.share_parts / PARTS

    @property
    def true(self) -> float:
        """How often a record shows the true answer."""
        return max(self.share, 1 - self.share)

    @cached_property
    def half_width(self) -> float:
        return margin_of(self.law, self.respondents, EXPECTED_SHARE)

    @property
    def share_margins(self) -> tuple[float, ...]:
        return (self.half_width,) if self.enough else ()

    @property
    def margin(self) -> str:
        return margin_words(self.half_width, self.enough)


def crosswise_protection(
    section: CrosswiseDraft, respondents: int, prior: Fraction
) -> CrosswiseProtection | None:
    """None while the share does not fit."""
    law = section.law()
    return CrosswiseProtection((law,), respondents, prior, section) if law else None


@dataclass(frozen=True)
class CrosswiseResults:
    template: ClassVar[str] = "builder/crosswise-results.html"
    picture: ClassVar[None] = None

    protection: CrosswiseProtection
    name: str

    @property
    def words(self) -> str:
        """Its setting and its error in a few words."""
        said = {"share": percent(self.protection.share, 2), "margin": self.protection.margin}
        return _("secret true of %(share)s, share %(margin)s") % said


def crosswise_results(
    section: CrosswiseDraft, respondents: int, prior: Fraction, language: str = ""
) -> CrosswiseResults | None:
    protection = crosswise_protection(section, respondents, prior)
    return CrosswiseResults(protection, section.question.name) if protection else None
