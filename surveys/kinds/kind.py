"""The interface of a kind of questions for researchers: what the builder's pages show of it and do with it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from django import forms
from django.forms import BoundField
from django.utils.functional import Promise

from privacy.designs import Texts
from privacy.grammar.node import PARTS
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.block_form import BlockForm, BlockLine
from surveys.kinds.file_columns import FileColumns
from surveys.kinds.respondent_chances import Chances, SentIf
from surveys.kinds.settings import SectionFields, Setting, SettingsWarning
from surveys.questionnaire.blocks import Block
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.protection import PRIOR, Protection
from surveys.questionnaire.questionnaire import Command, Questionnaire, Sent

D = TypeVar("D", bound=DraftSection)


@dataclass(frozen=True)
class QuestionProtection(Protection):
    """Of a section of one question; `template` shows it, also while values change."""

    template: ClassVar[str]

    section: DraftSection

    @property
    def name(self) -> str:
        return self.section.questions[0].name

    @property
    def words(self) -> str:
        """Its setting and its error in a few words."""
        raise NotImplementedError


@dataclass(frozen=True)
class ComparedItem:
    """An answer that is compared between people who are asked directly and people whose answers are disguised.

    `share` is the one expected; `keep` and `chance` are its law; `asked` is the part of the respondents asked it.
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
        """Of the difference, with one respondent of whom so many parts are asked directly."""
        received = self.keep * self.share + self.chance
        spread = self.share * (1 - self.share) / direct
        return (spread + received * (1 - received) / self.keep**2 / (PARTS - direct)) / self.asked


class SurveyKind(ABC, Generic[D]):
    """`draft` is the class of its sections in a draft. `adds` and `button` are the words of a menu and of a button
    that add such a section, where it holds one question; empty: nothing adds it.

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
        """What pages call a section of this kind."""

    @property
    @abstractmethod
    def form(self) -> type[BlockForm]:
        """The form of its questions."""

    @abstractmethod
    def new(self, draft: Questionnaire) -> D:
        """A section for questions without words; with one, where it holds one."""

    @abstractmethod
    def summary(self, block: Block, language: str) -> BlockLine:
        """A closed question in one line."""

    @abstractmethod
    def within(self, section: D, limit: GammaLimit) -> D | None:
        """The section with as much kept as the limit allows; None where so little would show nothing."""

    @abstractmethod
    def protection(
        self, section: D, respondents: int, prior: Fraction, language: str = ""
    ) -> Protection | None:
        """The guarantee and the errors to expect; None where nothing is disguised, or not yet.

        `language` is the one that pages name units and regions in.
        """

    @abstractmethod
    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        """About the section with this number."""

    def best_within(self, section: D, limit: GammaLimit) -> D | None:
        """As `within`, but sets everything that a preset sets, not only how much is kept."""
        return self.within(section, limit)

    def settings(self, section: D) -> Iterator[Setting]:
        """Those that the protection page sets of a section."""
        return iter(())

    def settings_value(self, section: D) -> Any:
        """What a save of its settings can change."""
        return None

    def settings_faults(self, section: D, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """The name of a setting and what is wrong with it, where each field alone is right."""
        return iter(())

    def with_settings(self, section: D, cleaned: Mapping[str, Any]) -> D:
        return section

    def share_fields(self, section: D) -> Iterator[tuple[str, forms.Field, str]]:
        """The name, the field and the initial value of each share that is expected."""
        return iter(())

    def shares(self, section: D) -> list[str]:
        """The expected shares as they are stored."""
        return []

    def panel_title(self, section: D) -> str:
        return self.heading % {"name": section.questions[0].name}

    def chances(self, section: Any, language: str) -> Chances | None:
        """What the start page says of a section of a design; None where nothing is disguised."""
        return None

    def sent_if(self, section: Any, question: Any) -> SentIf:
        """How likely each answer is sent where it is true, and where it is not; empty: no answer is replaced."""
        return []

    def shows_land(self, section: Any) -> bool:
        """Whether the scripts draw the outline of land for a section of a design."""
        return False

    def asked_beside(self, question: Any) -> Texts | None:
        """The other question that a page without JavaScript asks together with this one."""
        return None

    def form_words(self, question: Any) -> Sequence[tuple[str, int]]:
        """The answers that a page without JavaScript offers instead of its choices.

        Each is the id of a phrase, which the phrase `<id>_means` explains, and the code that is recorded.
        """
        return ()

    @abstractmethod
    def file_columns(self, section: Any) -> FileColumns:
        """What record files, their codebook and scripts say of a section of a design."""

    def words(self, section: D, respondents: int) -> str:
        """The name of the only question of a section, its settings and its error in one line."""
        protection = self.protection(section, respondents, PRIOR)
        name = section.questions[0].name
        return f"{name}: {protection.words}" if isinstance(protection, QuestionProtection) else name

    def compared_items(self, section: D) -> Iterator[ComparedItem]:
        """The answers that are compared between people who are asked directly and the others."""
        return iter(())

    def replan(self, draft: Questionnaire, number: int, before: D) -> Questionnaire:
        """Sets what follows the question of this section after a change; `before` is the section until then."""
        return draft

    def rename(self, draft: Questionnaire, key: str, sent: Sent) -> Questionnaire:
        """Changes the names that record files use beside those of a question and its choices."""
        return draft


@dataclass(frozen=True)
class SectionPanel:
    """A section on the protection page. `respondents`: as many as are expected; `sets`: the proposal to send sets."""

    kind: SurveyKind[Any]
    fields: SectionFields
    section: DraftSection
    cautions: list[SettingsWarning]
    respondents: int
    prior: Fraction
    sets: str = ""

    @property
    def number(self) -> int:
        return self.fields.number

    @property
    def title(self) -> str:
        return self.kind.panel_title(self.section)

    @cached_property
    def result(self) -> Any:
        """Its protection; None while its values do not fit."""
        return self.kind.protection(self.section, self.respondents, self.prior)

    @property
    def margins(self) -> list[tuple[Any, BoundField]]:
        """The margin of error of each question whose share is expected, with the field of that share."""
        shares = self.fields.shares if self.result else ()
        return list(zip(self.result.margins, shares, strict=True)) if shares else []
