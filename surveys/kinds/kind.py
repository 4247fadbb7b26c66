"""The interface of a kind of questions for researchers: what the builder's pages show of it and do with it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from django import forms
from django.utils.functional import Promise

from privacy.designs import Texts
from privacy.grammar.json_node import PARTS
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.block_form import BlockForm, BlockLine
from surveys.kinds.file_columns import FileColumns
from surveys.kinds.respondent_chances import Chances, SendingChances
from surveys.kinds.settings_and_warnings import SectionFields, Setting, SettingsWarning
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.protection import PRIOR, Protection
from surveys.questionnaire.question_blocks import Block
from surveys.questionnaire.questionnaire import Command, Questionnaire, Sent

D = TypeVar("D", bound=DraftSection)


@dataclass(frozen=True)
class QuestionProtection(Protection):
    """Protection of a section that holds one question; `template` shows it, also for unsaved values."""

    template: ClassVar[str]

    section: DraftSection

    @property
    def question_name(self) -> str:
        return self.section.questions[0].name

    @property
    def settings_and_error_text(self) -> str:
        """Settings and error in a few words."""
        raise NotImplementedError


@dataclass(frozen=True)
class ComparedItem:
    """An answer whose share is compared between people asked directly and people whose answers are disguised.

    `share` is the expected one; `keep` and `chance` are its law; `asked` is the part of the respondents asked it.
    """

    share: float
    keep: float
    chance: float
    asked: float

    @classmethod
    def from_law(cls, law: SectionLaw, share: float, noise: Fraction) -> "ComparedItem":
        keep = float(law.keep)
        return cls(share, keep, (1 - keep) * float(noise), law.asked / len(law.noise))

    def variance(self, direct: int) -> float:
        """Variance, for one respondent, of the share asked directly less the disguised one.

        `direct` of 10,000 respondents are asked directly.
        """
        received = self.keep * self.share + self.chance
        spread = self.share * (1 - self.share) / direct
        return (spread + received * (1 - received) / self.keep**2 / (PARTS - direct)) / self.asked


class SurveyKind(ABC, Generic[D]):
    """A kind of questions for the builder and the respondents' pages; `draft` is the class of its sections.

    `adds` and `button` are the words of a menu and of a button that add a section of one question; empty: nothing adds
    it.

    `promise` is the template of the line above the questions. `panel` is that of its part of the protection page, where
    `heading` names its one question; empty: nothing is shown or set there. `commands` are those of the buttons in the
    form of a question. `style`: the styles of respondents’ pages in place of the usual ones.

    `device` is the module that disguises its answers, by its name among the static files. `module`, where its questions
    show more than choices: the script in `intake/static/intake/` that shows them, and adds itself and that module.
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
        """Heading of a section of this kind on pages."""

    @property
    @abstractmethod
    def form_class(self) -> type[BlockForm]:
        """Form class of its questions."""

    @abstractmethod
    def new_section(self, draft: Questionnaire) -> D:
        """Returns a new section; if it holds one question, with that question."""

    @abstractmethod
    def summary_line(self, block: Block, language: str) -> BlockLine:
        """Returns the line that stands for a question while its form is closed."""

    @abstractmethod
    def section_within_limit(self, section: D, limit: GammaLimit) -> D | None:
        """Returns the section keeping as much as the limit allows; None if that would show nothing."""

    @abstractmethod
    def protection(
        self, section: D, respondents: int, prior: Fraction, language: str = ""
    ) -> Protection | None:
        """Returns guarantee and expected errors; None if nothing is disguised, or not yet.

        Units and regions are named in `language`.
        """

    @abstractmethod
    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        """Yields the warnings about the section with this number."""

    def best_section_within_limit(self, section: D, limit: GammaLimit) -> D | None:
        """Like `section_within_limit`, but also sets everything else that a preset sets."""
        return self.section_within_limit(section, limit)

    def protection_settings(self, section: D) -> Iterator[Setting]:
        """Yields the settings of a section on the protection page."""
        return iter(())

    def settings_that_end_presets(self, section: D) -> Any:
        """Returns the settings that a preset decides. Once a save changes one of them, no section follows a preset."""
        return None

    def settings_faults(self, section: D, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yields settings whose values do not fit together, with the reason."""
        return iter(())

    def apply_settings(self, section: D, cleaned: Mapping[str, Any]) -> D:
        return section

    def expected_share_fields(self, section: D) -> Iterator[tuple[str, forms.Field, Any]]:
        """Yields the form fields of the shares that the researcher expects: name, field, initial value."""
        return iter(())

    def expected_shares(self, section: D) -> list[str]:
        """Returns the shares of people that the researcher expects, as they are stored."""
        return []

    def panel_title(self, section: D) -> str:
        return self.heading % {"name": section.questions[0].name}

    def start_page_chances(self, section: Any, language: str) -> Chances | None:
        """Returns the chances that the start page states; None if nothing is disguised."""
        return None

    def sending_chances(self, section: Any, question: Any) -> SendingChances:
        """Returns how often each answer is sent if it is true, and if it is not; empty if no answer is replaced."""
        return []

    def region_points(self, section: Any) -> Sequence[tuple[float, float]]:
        """Returns where the scripts write the names of regions on the map of this section; empty if it has none."""
        return ()

    def draws_land_outline(self, section: Any) -> bool:
        """True if the scripts draw the outline of land for this section of a design."""
        return False

    def companion_question_texts(self, question: Any) -> Texts | None:
        """Returns the other question that the page without JavaScript asks together with this one."""
        return None

    def answers_without_script(self, question: Any) -> Sequence[tuple[str, int]]:
        """Returns the answers that the page without JavaScript offers instead of the choices.

        Each is the id of a phrase, which the phrase `<id>_means` explains, and the code that is recorded.
        """
        return ()

    @abstractmethod
    def file_columns(self, section: Any) -> FileColumns:
        """Returns what record files, codebook and scripts contain for a section of a design."""

    def one_question_section_text(self, section: D, respondents: int) -> str:
        """Line with name, settings and error of the only question of a section."""
        protection = self.protection(section, respondents, PRIOR)
        name = section.questions[0].name
        return (
            f"{name}: {protection.settings_and_error_text}"
            if isinstance(protection, QuestionProtection)
            else name
        )

    def items_compared_between_arms(self, section: D) -> Iterator[ComparedItem]:
        """Yields the answers whose shares are compared between people asked directly and people asked with disguise."""
        return iter(())

    def adapt_dependent_settings(self, draft: Questionnaire, number: int, before: D) -> Questionnaire:
        """Adapts dependent settings after a question has changed; `before` is the section until then."""
        return draft

    def rename_in_record_files(self, draft: Questionnaire, key: str, sent: Sent) -> Questionnaire:
        """Renames what record files name besides the question and its choices, such as regions."""
        return draft


class SectionPanel:
    """A section on the protection page. `result` is its protection, None while its values do not fit.

    `margins`: the margin of error of each question with an expected share, and the field of that share. `sets` is the
    proposal to send sets.
    """

    def __init__(
        self,
        kind: SurveyKind[Any],
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
