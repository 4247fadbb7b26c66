"""A forced-response question: yes or no, answered truly or as a coin says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import (
    NORMAL_95,
    SectionParameters,
    SupposedSupports,
    itemset_error_curve,
)
from privacy.guarantee.presets import DEFAULT
from privacy.guarantee.section_layouts import admissible_keep
from privacy.kinds.grouped.law import SectionLaw
from surveys.draft_json import DEFAULT_SHARE
from surveys.kinds.choices_form import choices_summary_line
from surveys.kinds.kind_interface import ComparedItem, QuestionKind
from surveys.kinds.percent_fields import ProbabilityField, percent_text, probability_text
from surveys.kinds.protection_page_elements import (
    ProtectionSetting,
    SettingsWarning,
    few_answers_warning,
    margin_text,
)
from surveys.kinds.question_form import QuestionBlockForm
from surveys.kinds.record_file_columns import GROUPED_COLUMNS, FileColumns
from surveys.kinds.start_page_probabilities import Chance, CoinChances, SendingChances, chance_from_share
from surveys.questionnaire.draft_question import QuestionInput
from surveys.questionnaire.protection import PRIOR, Protection, keep_probability_text
from surveys.questionnaire.question_block_editing import Block, unused_question_name
from surveys.questionnaire.questionnaire import Questionnaire
from tests.seventh.forced.draft import ForcedDraft
from tests.seventh.forced.section import ForcedQuestion, ForcedSection


class ForcedForm(QuestionBlockForm):
    """Words, name and rules alone; its answers are yes and no."""

    template = "builder/question-forced.html"

    def add_kind_fields(self) -> None:
        self.add_name_field()

    def apply_to_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        return block


@dataclass(frozen=True)
class ForcedProtection(Protection):
    laws: tuple[SectionLaw]

    @property
    def keep(self) -> float:
        return float(self.laws[0].keep)

    @property
    def margin(self) -> str:
        curve = itemset_error_curve(
            [(SectionParameters.from_law(self.laws[0], [1]), [0])], SupposedSupports((float(DEFAULT_SHARE),))
        )
        half_width = float(NORMAL_95 * curve.error_for(self.respondents).se) if curve else None
        return margin_text(half_width, self.has_enough_answers)


def forced_protection(
    section: ForcedDraft, respondents: int, prior: Fraction, language: str = ""
) -> ForcedProtection:
    return ForcedProtection((section.disguise_law(),), respondents, prior)


@dataclass(frozen=True, slots=True)
class ForcedChances(CoinChances):
    """`keep`: how often the true answer is sent; `rarest`: how often the other; `yes`: of the coin."""

    keep: Chance
    rarest: Chance
    yes: Chance

    template: ClassVar[str] = "intake/odds-forced.html"


class ForcedKind(QuestionKind[ForcedDraft]):
    draft = ForcedDraft
    device = "privacy/kinds/forced.js"
    title = "Forced-response question"
    adds = "A forced-response question"
    button = "Add a forced-response question"
    form_class = ForcedForm
    promise = "builder/promise-forced.html"
    panel = "builder/results-forced.html"
    heading = "A forced-response question: %(name)s"
    summary_line = staticmethod(choices_summary_line)
    protection = staticmethod(forced_protection)

    def new_section(self, draft: Questionnaire) -> ForcedDraft:
        question = ForcedDraft.read_question(
            QuestionInput({}, {"name": unused_question_name(draft)}, draft.languages)
        )
        return ForcedDraft(preset=DEFAULT.name, questions=(question,))

    def section_within_limit(self, section: ForcedDraft, limit: GammaLimit) -> ForcedDraft | None:
        keep = admissible_keep(section.disguise_law().noise, 1, limit)
        return replace(section, keep=keep_probability_text(keep)) if keep else None

    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        section = draft.sections[number]
        assert isinstance(section, ForcedDraft)
        protection = forced_protection(section, draft.respondents, PRIOR)
        if not protection.has_enough_answers:
            yield few_answers_warning(protection.respondents, number)

    def items_compared_between_arms(self, section: ForcedDraft) -> Iterator[ComparedItem]:
        yield ComparedItem.from_law(section.disguise_law(), float(DEFAULT_SHARE), Fraction(1, 2))

    def protection_settings(self, section: ForcedDraft) -> Iterator[ProtectionSetting]:
        yield ProtectionSetting(
            "keep", ProbabilityField(label="True answers (%)"), percent_text(section.keep), 99
        )

    def settings_that_end_presets(self, section: ForcedDraft) -> Any:
        return [section.questions[0].name, section.keep]

    def apply_settings(self, section: ForcedDraft, cleaned: Mapping[str, Any]) -> ForcedDraft:
        return replace(section, keep=probability_text(cleaned["keep"]))

    def start_page_chances(self, section: ForcedSection, language: str) -> ForcedChances:
        keep = section.law.keep
        return ForcedChances(
            chance_from_share(keep), chance_from_share((1 - keep) / 2), chance_from_share(Fraction(1, 2))
        )

    def sending_chances(self, section: ForcedSection, question: ForcedQuestion) -> SendingChances:
        keep = section.law.keep
        return [((1 + keep) / 2, (1 - keep) / 2)] * 2

    def file_columns(self, section: ForcedSection) -> FileColumns:
        return GROUPED_COLUMNS
