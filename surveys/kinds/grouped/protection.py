"""Guarantee and expected precision of questions that are disguised together.

Errors suppose that everybody chooses disguise, and that an answer is true of as many people as the researcher expects;
two answers together of half as many, three of a quarter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from privacy.guarantee.error import (
    LEAST_BASE,
    NORMAL_95,
    ErrorCurve,
    ItemsetError,
    SectionParameters,
    Supposed,
    error_curve,
    itemset_error_curve,
    scarcest,
    wanted_choice,
)
from privacy.guarantee.rounds import respondents_needed
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.grouped.draft import GroupedDraft, expected_share_text, is_grouped
from surveys.kinds.settings import PRECISE, margin_words, rounded_up
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.protection import Protection, gamma_text, keep_text
from surveys.questionnaire.questionnaire import Questionnaire

LENGTHS = (1, 2, 3)


@dataclass(frozen=True)
class Expectation:
    """Expected margin of error of itemsets of one length; `spread` is None if some are never asked together.

    `scarce` is the inverse of the share of people who are asked all of the itemset that the fewest are asked.
    """

    length: int
    spread: ErrorCurve | None
    scarce: float
    respondents: int

    @cached_property
    def error(self) -> ItemsetError | None:
        return self.spread.at(self.respondents) if self.spread else None

    @property
    def half_width(self) -> float | None:
        return self.error.half_width if self.error else None

    @property
    def least_asked(self) -> int | None:
        """Smallest number of respondents who are asked all of an itemset."""
        return int(self.respondents / self.scarce) if self.spread else None

    @property
    def enough(self) -> bool:
        return self.spread is not None and self.respondents / self.scarce >= LEAST_BASE

    @property
    def needed(self) -> int | None:
        """Number of answers at which the half width is five points, rounded up to two figures."""
        return rounded_up(self.spread.respondents_for_half_width(PRECISE)) if self.spread else None

    @property
    def words(self) -> str:
        """Margin of error as every page says it."""
        return margin_words(self.half_width, self.enough)


@dataclass(frozen=True)
class QuestionMargin:
    """Margin of error of one question's share, in points and relative to the expected share."""

    question: DraftQuestion
    share: float
    half_width: float
    enough: bool

    @property
    def words(self) -> str:
        return margin_words(self.half_width, self.enough)

    @property
    def question_words(self) -> str:
        return text_or_name(self.question)

    @property
    def relative(self) -> float:
        return self.half_width / self.share


@dataclass(frozen=True)
class GroupedProtection(Protection):
    laws: tuple[SectionLaw]
    section: GroupedDraft

    @property
    def law(self) -> SectionLaw:
        return self.laws[0]

    @cached_property
    def lasting(self) -> Mapping[str, str] | None:
        """Figures of a lasting disguise: gammas over all rounds, and `respondents`, its cost; None if it does not last.

        `respondents`: how many times more are needed for the errors of one asking with the same gamma, at a share of 10
        %.
        """
        if (law := self.section.lasting_law()) is None:
            return None
        figures = {"gamma": law.gamma, "departure": law.one_departure, "second_code": law.gamma**2}
        figures["respondents"] = Fraction(respondents_needed(law))
        return {name: gamma_text(figure) for name, figure in figures.items()}

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
    def supposed_shares(self) -> Supposed:
        return shares_by_length([expected_share(question) for question in self.section.questions])

    @cached_property
    def expectations(self) -> list[Expectation]:
        return expectations([(self.section, self.law)], self.respondents)

    @cached_property
    def margins(self) -> list[QuestionMargin]:
        return question_margins(self.section, self.law, self.respondents)

    @property
    def share_margins(self) -> list[float]:
        return [margin.half_width for margin in self.margins if margin.enough]


def grouped_protection(
    section: GroupedDraft, respondents: int, prior: Fraction, language: str = ""
) -> GroupedProtection | None:
    law = section.law()
    return GroupedProtection((law,), respondents, prior, section) if law else None


def with_law(section: GroupedDraft, law: SectionLaw) -> GroupedDraft:
    """Sets the section's keep and number of questions asked to those of a law."""
    return replace(section, keep=keep_text(law.keep), asked=law.asked)


def precision(draft: Questionnaire) -> list[Expectation]:
    """Returns the expected margins for the whole questionnaire; empty if no questions are disguised together."""
    sections = [
        (section, law) for section in draft.sections if is_grouped(section) and (law := section.law())
    ]
    return expectations(sections, draft.respondents)


def expectations(sections: list[tuple[GroupedDraft, SectionLaw]], respondents: int) -> list[Expectation]:
    """Returns the expected margins of all itemsets of these sections, by length."""
    parts = [section_parameters(section, law) for section, law in sections]
    shares = [expected_share(question) for section, _law in sections for question in section.questions]
    return [
        Expectation(
            length,
            error_curve(parts, length, shares_by_length(shares)),
            scarcest(parts, length),
            respondents,
        )
        for length in LENGTHS[: len(shares)]
    ]


def question_margins(section: GroupedDraft, law: SectionLaw, respondents: int) -> list[QuestionMargin]:
    """Returns the margin of error of each question's expected share."""
    part, margins = section_parameters(section, law), []
    for index, question in enumerate(section.questions):
        share = expected_share(question)
        curve = itemset_error_curve([(part, [index])], Supposed((share,)))
        assert curve is not None
        error = curve.at(respondents)
        margins.append(QuestionMargin(question, share, NORMAL_95 * error.se, error.enough))
    return margins


def section_parameters(section: GroupedDraft, law: SectionLaw) -> SectionParameters:
    pairs = zip(section.questions, law.noise, strict=True)
    return SectionParameters.of(law, [expected_code(question, noise) for question, noise in pairs])


def expected_code(question: DraftQuestion, noise: tuple[Fraction, ...]) -> int:
    """Code of the answer whose share is expected: yes, else the one with the largest error."""
    names = question.choice_names
    return names.index("yes") if "yes" in names else wanted_choice(noise)


def expected_share(question: DraftQuestion) -> float:
    return float(expected_share_text(question))


def shares_by_length(shares: list[float]) -> Supposed:
    """Shares supposed for one answer, two together (a half of it) and three (a quarter)."""
    single = sum(shares) / len(shares)
    return Supposed((single, single / 2, single / 4))


def text_or_name(question: DraftQuestion) -> str:
    """Text of a question in its first language, else its name."""
    return next(iter(question.text.values()), "") or question.name
