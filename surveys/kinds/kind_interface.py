"""The interface of a kind of questions: what the builder's pages, respondents' pages and record files need from each
kind.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from django import forms
from django.utils.functional import Promise

from privacy.designs import Texts
from privacy.designs.labels import proposed_label
from privacy.grammar.json_node import PARTS
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.protection_page_elements import ProtectionSetting, SectionFields, SettingsWarning
from surveys.kinds.question_form import QuestionBlockForm, QuestionBlockSummary
from surveys.kinds.record_file_columns import FileColumns
from surveys.kinds.start_page_probabilities import Chances, SendingChances
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.protection import PRIOR, Protection
from surveys.questionnaire.question_block_editing import Block
from surveys.questionnaire.questionnaire import Command, Questionnaire, Sent

D = TypeVar("D", bound=DraftSection)


@dataclass(frozen=True)
class QuestionProtection(Protection):
    """Protection of a section with one question; `template` renders it, also for unsaved values."""

    template: ClassVar[str]

    section: DraftSection

    @property
    def question_name(self) -> str:
        return self.section.questions[0].name

    @property
    def settings_and_error_text(self) -> str:
        """Settings and margin of error as a short text."""
        raise NotImplementedError


@dataclass(frozen=True)
class ComparedItem:
    """An answer whose share is compared between people asked directly and people whose answers are disguised.

    `share` is the expected share. `keep` and `chance` are its law: how often a true answer is kept, and how often the
    answer is sent at random otherwise. `asked` is the share of respondents who are asked the question.
    """

    share: float
    keep: float
    chance: float
    asked: float

    @classmethod
    def from_law(cls, law: SectionLaw, share: float, noise: Fraction) -> "ComparedItem":
        keep = float(law.keep)
        return cls(share, keep, (1 - keep) * float(noise), law.asked / len(law.noise))

    def variance(self, direct_ten_thousandths: int) -> float:
        """Returns the variance, per respondent, of the difference between the share asked directly and the disguised
        share.

        `direct_ten_thousandths` is the share of respondents asked directly, in ten-thousandths.
        """
        received = self.keep * self.share + self.chance
        spread = self.share * (1 - self.share) / direct_ten_thousandths
        return (
            spread + received * (1 - received) / self.keep**2 / (PARTS - direct_ten_thousandths)
        ) / self.asked


def short_label_of_draft(question: DraftQuestion) -> str:
    """Returns the short label of a question in the first language of the survey, without a question mark."""
    text = next(iter(question.text.values()), "")
    label = next(iter(question.label.values()), "") or proposed_label(question.name, text)
    return label.rstrip("?？")


class QuestionKind(ABC, Generic[D]):
    """A kind of questions for the builder and the respondents' pages; `draft` is the class of its sections.

    `adds` and `button` label a menu item and a button that add a section with one question; empty if nothing adds it.
    `promise` is the template of the line above the questions. `panel` is the template of the kind's part of the
    protection page, where `heading` names its question; empty if it has none. `commands`: the commands of the buttons
    in a question's form. `style` is a style sheet of respondents' pages that replaces the usual one.

    `device` is the static module that disguises its answers. `module` is a script in `intake/static/intake/` that shows
    its questions, and loads itself and `device`; empty if they show choices only.
    """

    draft: type[D]
    device: ClassVar[str]
    adds: ClassVar[str | Promise] = ""
    button: ClassVar[str | Promise] = ""
    promise: ClassVar[str] = ""
    panel: ClassVar[str] = ""
    heading: ClassVar[str | Promise] = ""
    commands: ClassVar[Mapping[str, Command]] = {}
    module: ClassVar[str] = ""
    style: ClassVar[str] = ""

    @property
    def kind(self) -> str:
        return self.draft.kind

    @property
    @abstractmethod
    def title(self) -> str | Promise:
        """Heading of a section of this kind."""

    @property
    @abstractmethod
    def form_class(self) -> type[QuestionBlockForm]:
        """Class of the form for its questions."""

    @abstractmethod
    def new_section(self, draft: Questionnaire) -> D:
        """Returns a new section, with its question if the kind holds one question."""

    @abstractmethod
    def summary_line(self, block: Block, language: str) -> QuestionBlockSummary:
        """Returns the summary of a question that is shown while its form is closed."""

    @abstractmethod
    def section_within_limit(self, section: D, limit: GammaLimit) -> D | None:
        """Returns the section with the least disguise that the limit of gamma allows; None if records would reveal
        nothing then."""

    @abstractmethod
    def protection(
        self, section: D, respondents: int, prior: Fraction, language: str = ""
    ) -> Protection | None:
        """Returns guarantee and expected errors; None if nothing is disguised, or while the section is unfinished.

        `language`: the language of units and regions.
        """

    @abstractmethod
    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        """Yields the warnings about the section with this number."""

    def best_section_within_limit(self, section: D, limit: GammaLimit) -> D | None:
        """Returns the section within the limit of gamma, with every setting that a preset decides; by default the same
        as `section_within_limit`."""
        return self.section_within_limit(section, limit)

    def protection_settings(self, section: D) -> Iterator[ProtectionSetting]:
        """Yields the settings of a section that the protection page shows."""
        return iter(())

    def settings_that_end_presets(self, section: D) -> Any:
        """Returns the settings that a preset decides.

        Once a save changes one of them, no section follows a preset any more.
        """
        return None

    def settings_faults(self, section: D, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yields the name of a setting and the reason, for values that contradict each other."""
        return iter(())

    def apply_settings(self, section: D, cleaned: Mapping[str, Any]) -> D:
        """Returns the section with the cleaned values of the protection page's form."""
        return section

    def expected_share_fields(self, section: D) -> Iterator[tuple[str, forms.Field, Any]]:
        """Yields form fields for the shares that the researcher expects: name, field, initial value."""
        return iter(())

    def expected_shares(self, section: D) -> list[str]:
        """Returns the shares that the researcher expects, as stored."""
        return []

    def panel_title(self, section: D) -> str:
        return self.heading % {"name": section.questions[0].name}

    def start_page_chances(self, section: Any, language: str) -> Chances | None:
        """Returns the probabilities that the start page states; None if nothing is disguised."""
        return None

    def sending_chances(self, section: Any, question: Any) -> SendingChances:
        """Returns, for each choice, how often it is sent by people with and without this true answer.

        Empty if no answer is replaced by another.
        """
        return []

    def region_label_positions(self, section: Any) -> Sequence[tuple[float, float]]:
        """Returns the map positions at which the scripts write the names of regions; empty if the section has
        no map."""
        return ()

    def draws_land_outline(self, section: Any) -> bool:
        """True if the scripts draw the outline of land for this section of a design."""
        return False

    def secret_texts(self, question: Any) -> Texts | None:
        """Returns the texts of another question that the page without JavaScript asks together with this one; None if
        there is none."""
        return None

    def answers_without_script(self, question: Any) -> Sequence[tuple[str, int]]:
        """Returns the answers that the page without JavaScript offers in place of the choices.

        Each answer is the id of a phrase, which the phrase `<id>_means` explains, and the code that is recorded.
        """
        return ()

    @abstractmethod
    def file_columns(self, section: Any) -> FileColumns:
        """Returns what record files, codebook and analysis scripts contain for a section of a design."""

    def one_question_section_text(self, section: D, respondents: int) -> str:
        """Returns a line with short label, settings and error of a section's only question."""
        protection = self.protection(section, respondents, PRIOR)
        name = short_label_of_draft(section.questions[0])
        return (
            f"{name}: {protection.settings_and_error_text}"
            if isinstance(protection, QuestionProtection)
            else name
        )

    def items_compared_between_arms(self, section: D) -> Iterator[ComparedItem]:
        """Yields the answers whose shares are compared between the direct arm and the disguised arm."""
        return iter(())

    def adapt_dependent_settings(self, draft: Questionnaire, section_number: int, before: D) -> Questionnaire:
        """Returns the draft with the section's settings adapted to a change of its question; `before` is the old
        section."""
        return draft

    def rename_in_record_files(self, draft: Questionnaire, key: str, sent: Sent) -> Questionnaire:
        """Renames names in record files besides the question's and its choices', such as regions."""
        return draft


class SectionPanel:
    """A section on the protection page; `result` is its protection, None while its values are invalid.

    `margins` pairs the margin of error of each question with the field of its expected share. `sets`: a
    sentence that proposes to send sets of answers, or empty.
    """

    def __init__(
        self,
        kind: QuestionKind[Any],
        fields: SectionFields,
        section: DraftSection,
        cautions: list[SettingsWarning],
        respondents: int,
        prior: Fraction,
        sets: str,
    ) -> None:
        self.kind, self.fields, self.cautions, self.sets = kind, fields, cautions, sets
        self.number, self.title = fields.number, kind.panel_title(section)
        result: Any = kind.protection(section, respondents, prior)
        shares = fields.shares if result else ()
        self.result = result
        self.margins = list(zip(result.margins, shares, strict=True)) if shares else []
