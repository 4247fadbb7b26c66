"""What the protection page shows and sets of a section: each kind has its own."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from django import forms
from django.forms import BoundField
from django.utils.functional import Promise

from surveys.kinds.forms.settings_warning import SettingsWarning
from surveys.questionnaire.draft_section import DraftSection


@dataclass(frozen=True)
class Setting:
    """A number with its field; a slider goes from `low` to `most`, by `step`."""

    name: str
    field: forms.Field
    initial: Any
    most: int
    low: int = 1
    step: int = 1


D = TypeVar("D", bound=DraftSection)


class SectionSettings(ABC, Generic[D]):
    def settings(self, section: D) -> Iterator[Setting]:
        return iter(())

    @abstractmethod
    def value(self, section: D) -> Any:
        """What a save of these settings can change."""

    def faults(self, section: D, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """The name of a setting and what is wrong with it, where each field alone is right."""
        return iter(())

    def changed(self, section: D, cleaned: Mapping[str, Any]) -> D:
        return section

    def share_fields(self, section: D) -> Iterator[tuple[str, forms.Field, str]]:
        """The name, the field and the initial value of each share that is expected."""
        return iter(())

    def shares(self, section: D) -> list[str]:
        """The same as they are stored."""
        return []


@dataclass(frozen=True)
class Dial:
    """A setting with its field in the form."""

    setting: Setting
    field: BoundField


@dataclass(frozen=True)
class SectionFields:
    """`shares` are the fields of the expected shares, by question."""

    number: int
    dials: tuple[Dial, ...]
    shares: tuple[BoundField, ...] = ()


@dataclass(frozen=True)
class SectionPanel(ABC, Generic[D]):
    """`heading` names its one question. `respondents`: as many as are expected; `sets`: the proposal to send sets."""

    template: ClassVar[str]
    dials: ClassVar[SectionSettings[Any]]
    heading: ClassVar[str | Promise]

    fields: SectionFields
    section: D
    cautions: list[SettingsWarning]
    respondents: int
    prior: Fraction
    sets: str = ""

    @property
    def number(self) -> int:
        return self.fields.number

    @property
    def title(self) -> str:
        return self.heading % {"name": self.section.questions[0].name}

    @staticmethod
    @abstractmethod
    def find(section: D, respondents: int, prior: Fraction) -> object:
        """What the page shows of a section."""

    @cached_property
    def result(self) -> object:
        """None while its values do not fit."""
        return self.find(self.section, self.respondents, self.prior)
