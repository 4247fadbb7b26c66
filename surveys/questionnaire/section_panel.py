"""What the protection page shows of one section: each kind has its own."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from django.forms import BoundField
from django.utils.functional import Promise

from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.section_settings import SectionSettings, Setting
from surveys.questionnaire.settings_warning import SettingsWarning


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
class SectionPanel(ABC):
    """`heading` names its one question. `respondents`: as many as are expected; `sets`: the proposal to send sets."""

    template: ClassVar[str]
    dials: ClassVar[SectionSettings]
    heading: ClassVar[str | Promise]

    fields: SectionFields
    section: Node
    cautions: list[SettingsWarning]
    respondents: int
    prior: Fraction
    sets: str = ""

    @property
    def number(self) -> int:
        return self.fields.number

    @property
    def title(self) -> str:
        return self.heading % {"name": self.section["questions"][0]["name"]}

    @staticmethod
    @abstractmethod
    def find(section: Node, respondents: int, prior: Fraction) -> object:
        """What the page shows of a section."""

    @cached_property
    def found(self) -> object:
        """None while its values do not fit."""
        return self.find(self.section, self.respondents, self.prior)
