"""The precision to expect of all sections whose questions are disguised together, and of each of their questions.

Errors suppose that everybody chooses disguise, and that an answer is true of as many people as the researcher expects;
two answers together of half as many, three of a quarter.
"""

from dataclasses import dataclass
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
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.forms.margins import WANTED, margin_words, rounded_up
from surveys.kinds.grouped.draft import GroupedDraft, is_grouped, share_text
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.questionnaire import Questionnaire

LENGTHS = (1, 2, 3)


def share_of(question: DraftQuestion) -> float:
    return float(share_text(question))


def supposed(shares: list[float]) -> Supposed:
    single = sum(shares) / len(shares)
    return Supposed((single, single / 2, single / 4))


def asked_for(question: DraftQuestion, noise: tuple[Fraction, ...]) -> int:
    """The code of the answer whose share is expected: yes, else the one with the largest error."""
    names = question.choice_names
    return names.index("yes") if "yes" in names else wanted_choice(noise)


def parameters_of(section: GroupedDraft, law: SectionLaw) -> SectionParameters:
    pairs = zip(section.questions, law.noise, strict=True)
    return SectionParameters.of(law, [asked_for(question, noise) for question, noise in pairs])


@dataclass(frozen=True)
class Expectation:
    """For itemsets of one length: the error at the expected number of answers; None where some are never asked at once.

    `scarce` is the inverse of the share of people who are asked all of the itemset that is asked of the fewest.
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
    def asked(self) -> int | None:
        """How many of those who answer are asked all of them, at least."""
        return int(self.respondents / self.scarce) if self.spread else None

    @property
    def enough(self) -> bool:
        return self.spread is not None and self.respondents / self.scarce >= LEAST_BASE

    @property
    def needed(self) -> int | None:
        """How many answers bring the half width down to five points, to two figures."""
        if self.spread is None:
            return None
        return rounded_up(self.spread.respondents_for_half_width(WANTED))

    @property
    def words(self) -> str:
        """The margin of error as every page says it."""
        return margin_words(self.half_width, self.enough)


def expectations_of(sections: list[tuple[GroupedDraft, SectionLaw]], respondents: int) -> list[Expectation]:
    """Of all itemsets of these sections, by their length; up to the number of questions."""
    parts = [parameters_of(section, law) for section, law in sections]
    shares = [share_of(question) for section, _law in sections for question in section.questions]
    return [
        Expectation(
            length, error_curve(parts, length, supposed(shares)), scarcest(parts, length), respondents
        )
        for length in LENGTHS[: len(shares)]
    ]


def precision(draft: Questionnaire) -> list[Expectation]:
    """Of the whole questionnaire; empty where no questions are disguised together."""
    sections = [(each, law) for each in draft.sections if is_grouped(each) and (law := each.law())]
    return expectations_of(sections, draft.respondents)


@dataclass(frozen=True)
class QuestionMargin:
    """The margin of error of one question's share, in points and as a part of the share that is expected."""

    question: DraftQuestion
    share: float
    half_width: float
    enough: bool

    @property
    def words(self) -> str:
        return margin_words(self.half_width, self.enough)

    @property
    def words_of_question(self) -> str:
        return next(iter(self.question.text.values()), "") or self.question.name

    @property
    def relative(self) -> float:
        return self.half_width / self.share


def question_margins(section: GroupedDraft, law: SectionLaw, respondents: int) -> list[QuestionMargin]:
    part = parameters_of(section, law)
    return [_margin(question, part, index, respondents) for index, question in enumerate(section.questions)]


def _margin(question: DraftQuestion, part: SectionParameters, index: int, respondents: int) -> QuestionMargin:
    share = share_of(question)
    curve = itemset_error_curve([(part, [index])], Supposed((share,)))
    assert curve is not None
    error = curve.at(respondents)
    return QuestionMargin(question, share, NORMAL_95 * error.se, error.enough)
