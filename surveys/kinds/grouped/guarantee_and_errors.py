"""Guarantee and expected precision of questions that are disguised together.

Errors assume that everybody chooses disguise, and that each answer has the share that the researcher expects,
two answers together half of it, and three a quarter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from privacy.grammar.json_node import PARTS
from privacy.guarantee.expected_error import (
    LEAST_BASE,
    NORMAL_95,
    ErrorCurve,
    ItemsetError,
    SectionParameters,
    SupposedSupports,
    choice_to_estimate,
    error_curve,
    itemset_error_curve,
    max_inverse_asked_share,
)
from privacy.guarantee.panel_sample_sizes import respondent_factor_for_rarest_answer
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.grouped.draft import GroupedDraft, expected_share_text, is_grouped_section
from surveys.kinds.protection_page_elements import PRECISE, margin_text, round_up_to_two_figures
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.protection import Protection, gamma_text, keep_probability_text
from surveys.questionnaire.questionnaire import Questionnaire

LENGTHS = (1, 2, 3)


@dataclass(frozen=True)
class ItemsetMargin:
    """Expected margin of error of all itemsets with `length` answers. `spread`: the error by number of respondents,
    None if the questions of some itemset are never asked together.

    `scarce` is the inverse of the share of people who are asked all questions of the least often asked itemset.
    """

    length: int
    spread: ErrorCurve | None
    scarce: float
    respondents: int

    @cached_property
    def itemset_error(self) -> ItemsetError | None:
        return self.spread.error_for(self.respondents) if self.spread else None

    @property
    def half_width(self) -> float | None:
        return self.itemset_error.half_width if self.itemset_error else None

    @property
    def respondents_of_rarest_itemset(self) -> int | None:
        """Number of respondents who are asked all questions of the least often asked itemset; None if nobody
        is ever asked all of them."""
        return int(self.respondents / self.scarce) if self.spread else None

    @property
    def has_enough_answers(self) -> bool:
        return self.spread is not None and self.respondents / self.scarce >= LEAST_BASE

    @property
    def answers_needed(self) -> int | None:
        """Number of answers at which the margin of error is five percentage points, rounded up to two significant
        figures."""
        return (
            round_up_to_two_figures(self.spread.respondents_for_half_width(PRECISE)) if self.spread else None
        )

    @property
    def margin_text(self) -> str:
        """Margin of error as text, used on every page."""
        return margin_text(self.half_width, self.has_enough_answers)


@dataclass(frozen=True)
class QuestionMargin:
    """Margin of error of the share of one question's answer; `half_width` is a fraction of all people,
    `relative_half_width` one of the expected share."""

    question: DraftQuestion
    share: float
    half_width: float
    enough: bool

    @property
    def margin_text(self) -> str:
        return margin_text(self.half_width, self.enough)

    @property
    def question_text(self) -> str:
        return question_text_or_name(self.question)

    @property
    def relative_half_width(self) -> float:
        return self.half_width / self.share


@dataclass(frozen=True)
class GroupedProtection(Protection):
    """Protection of a section whose questions are disguised together."""

    laws: tuple[SectionLaw]
    section: GroupedDraft

    @property
    def law(self) -> SectionLaw:
        return self.laws[0]

    @cached_property
    def lasting_figures(self) -> Mapping[str, str] | None:
        """Figures of a disguise drawn once for all rounds, as text by name; None if the disguise is not lasting.

        They are the gammas that bound what all rounds reveal, and `respondents`: how many times more people are needed
        for the errors of a single survey with the same gamma. It supposes a share of 10 %.
        """
        if (law := self.section.lasting_law()) is None:
            return None
        figures = {"gamma": law.gamma, "departure": law.departure_factor, "second_code": law.gamma**2}
        figures["respondents"] = Fraction(respondent_factor_for_rarest_answer(law))
        return {name: gamma_text(figure) for name, figure in figures.items()}

    @property
    def keep_probability(self) -> float:
        return float(self.law.keep)

    @property
    def question_count(self) -> int:
        return len(self.law.noise)

    @property
    def asks_random_subset_of_questions(self) -> bool:
        return self.law.asked < self.question_count

    @property
    def supposed_itemset_supports(self) -> SupposedSupports:
        return supposed_shares_by_itemset_length(
            [expected_answer_share(question) for question in self.section.questions]
        )

    @cached_property
    def itemset_margins(self) -> list[ItemsetMargin]:
        return itemset_margins([(self.section, self.law)], self.respondents)

    @cached_property
    def margins(self) -> list[QuestionMargin]:
        return question_margins(self.section, self.law, self.respondents)

    @property
    def share_margins(self) -> list[float]:
        return [margin.half_width for margin in self.margins if margin.enough]


def grouped_protection(
    section: GroupedDraft, respondents: int, prior: Fraction, language: str = ""
) -> GroupedProtection | None:
    law = section.disguise_law()
    return GroupedProtection((law,), respondents, prior, section) if law else None


def section_with_law(section: GroupedDraft, law: SectionLaw) -> GroupedDraft:
    """Returns the section with the keep probability and the number of asked questions of `law`.

    If the disguise is lasting, `law` is that of the permanent draw, so that it bounds what all rounds reveal; each
    round keeps a permanent draw as often as that keeps the true answers.
    """
    keep = keep_probability_text(law.keep)
    if not section.is_lasting:
        return replace(section, keep=keep, asked=law.asked)
    of_a_round = max(law.keep**2, Fraction(1, PARTS))
    return replace(section, lasting=keep, keep=keep_probability_text(of_a_round), asked=law.asked)


def itemset_margins_of_draft(draft: Questionnaire) -> list[ItemsetMargin]:
    """Returns the expected margins of error of itemsets from all grouped sections of the draft, by number of items.

    Empty if the draft has no section whose questions are disguised together.
    """
    sections = [
        (section, law)
        for section in draft.sections
        if is_grouped_section(section) and (law := section.disguise_law())
    ]
    return itemset_margins(sections, draft.disguised_respondents)


def itemset_margins(sections: list[tuple[GroupedDraft, SectionLaw]], respondents: int) -> list[ItemsetMargin]:
    """Returns the expected margins of error of all itemsets from these sections, by number of items."""
    parts = [section_parameters(section, law) for section, law in sections]
    shares = [expected_answer_share(question) for section, _law in sections for question in section.questions]
    return [
        ItemsetMargin(
            length,
            error_curve(parts, length, supposed_shares_by_itemset_length(shares)),
            max_inverse_asked_share(parts, length),
            respondents,
        )
        for length in LENGTHS[: len(shares)]
    ]


def question_margins(section: GroupedDraft, law: SectionLaw, respondents: int) -> list[QuestionMargin]:
    """Returns the margin of error of each question, for the expected share of its answer of interest."""
    part, margins = section_parameters(section, law), []
    for index, question in enumerate(section.questions):
        share = expected_answer_share(question)
        curve = itemset_error_curve([(part, [index])], SupposedSupports((share,)))
        assert curve is not None
        error = curve.error_for(respondents)
        margins.append(QuestionMargin(question, share, NORMAL_95 * error.se, error.has_enough_people))
    return margins


def section_parameters(section: GroupedDraft, law: SectionLaw) -> SectionParameters:
    pairs = zip(section.questions, law.noise, strict=True)
    return SectionParameters.from_law(
        law, [code_of_answer_for_margin(question, noise) for question, noise in pairs]
    )


def code_of_answer_for_margin(question: DraftQuestion, noise: tuple[Fraction, ...]) -> int:
    """Returns the code of the answer whose margin is stated: yes, else the answer with the largest error."""
    names = question.choice_names
    return names.index("yes") if "yes" in names else choice_to_estimate(noise)


def expected_answer_share(question: DraftQuestion) -> float:
    return float(expected_share_text(question))


def supposed_shares_by_itemset_length(shares: list[float]) -> SupposedSupports:
    """Returns the assumed supports of itemsets: the mean of `shares` for one answer, half of it for two, a quarter for
    three."""
    single = sum(shares) / len(shares)
    return SupposedSupports((single, single / 2, single / 4))


def question_text_or_name(question: DraftQuestion) -> str:
    """Returns the text of a question in its first language, else its name."""
    return next(iter(question.text.values()), "") or question.name
