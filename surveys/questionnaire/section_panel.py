"""What the protection page shows of one section: each kind has its own."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from django.forms import BoundField

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
class SectionPanel:
    """`respondents` are as many as are expected; `sets` is the proposal to send sets of answers, in words."""

    template: ClassVar[str]
    dials: ClassVar[SectionSettings]

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
        raise NotImplementedError
