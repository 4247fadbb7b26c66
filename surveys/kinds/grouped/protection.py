"""What a section of questions that are disguised together guarantees, and the errors to expect."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privacy.guarantee.error import Supposed
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.grouped.draft import grouped_law
from surveys.kinds.grouped.precision import (
    Expectation,
    QuestionMargin,
    expectations_of,
    question_margins,
    share_of,
    supposed,
)
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.protection import Protection


@dataclass(frozen=True)
class GroupedProtection(Protection):
    laws: tuple[SectionLaw]
    section: Node

    @property
    def law(self) -> SectionLaw:
        return self.laws[0]

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
        return supposed([share_of(question) for question in self.section["questions"]])

    @cached_property
    def expectations(self) -> list[Expectation]:
        return expectations_of([(self.section, self.law)], self.respondents)

    @cached_property
    def margins(self) -> list[QuestionMargin]:
        return question_margins(self.section, self.law, self.respondents)


def grouped_protection(section: Node, respondents: int, prior: Fraction) -> GroupedProtection | None:
    law = grouped_law(section)
    return GroupedProtection((law,), respondents, prior, section) if law else None
