"""What a section of questions that are disguised together guarantees, and the errors to expect."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from privacy.guarantee.error import Supposed
from privacy.guarantee.rounds import respondents_needed
from privacy.kinds.grouped.lasting_law import LastingLaw
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.grouped.precision import (
    Expectation,
    QuestionMargin,
    expectations_of,
    question_margins,
    share_of,
    supposed,
)
from surveys.questionnaire.protection import Protection, gamma_text, keep_text


@dataclass(frozen=True)
class GroupedProtection(Protection):
    laws: tuple[SectionLaw]
    section: GroupedDraft

    @property
    def law(self) -> SectionLaw:
        return self.laws[0]

    @cached_property
    def lasting(self) -> "LastingFigures | None":
        law = self.section.lasting_law()
        return LastingFigures(law) if law else None

    @property
    def keep(self) -> float:
        return float(self.law.keep)

    @property
    def questions(self) -> int:
        return len(self.law.noise)

    @property
    def rotates(self) -> bool:
        return self.law.asked < self.questions

    @property
    def supposed(self) -> Supposed:
        return supposed([share_of(question) for question in self.section.questions])

    @cached_property
    def expectations(self) -> list[Expectation]:
        return expectations_of([(self.section, self.law)], self.respondents)

    @cached_property
    def margins(self) -> list[QuestionMargin]:
        return question_margins(self.section, self.law, self.respondents)

    @property
    def share_margins(self) -> list[float]:
        return [margin.half_width for margin in self.margins if margin.enough]


@dataclass(frozen=True)
class LastingFigures:
    """What a disguise that lasts promises over all rounds, and what it costs in each."""

    law: LastingLaw

    @property
    def gamma(self) -> str:
        return gamma_text(self.law.gamma)

    @property
    def departure(self) -> str:
        return gamma_text(self.law.one_departure)

    @property
    def second_code(self) -> str:
        return gamma_text(self.law.gamma**2)

    @property
    def respondents(self) -> str:
        """Times as many for the errors of one asking with the same gamma, at a share of one in ten."""
        return gamma_text(Fraction(respondents_needed(self.law)))


def grouped_protection(section: GroupedDraft, respondents: int, prior: Fraction) -> GroupedProtection | None:
    law = section.law()
    return GroupedProtection((law,), respondents, prior, section) if law else None


def with_law(section: GroupedDraft, law: SectionLaw) -> GroupedDraft:
    """The section with the keep of this law, and as many of its questions asked of each person."""
    return replace(section, keep=keep_text(law.keep), asked=law.asked)
