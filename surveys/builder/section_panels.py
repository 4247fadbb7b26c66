"""What the protection page shows of one section, one table by kind."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from django.forms import BoundField
from django.utils.translation import gettext as _, ngettext

from surveys.builder.panel import SectionFields
from surveys.kinds.crosswise.draft import CROSSWISE
from surveys.kinds.crosswise.protection import CrosswiseResults, crosswise_results
from surveys.kinds.grouped.precision import QuestionMargin
from surveys.kinds.grouped.protection import GroupedProtection, grouped_protection
from surveys.kinds.number.draft import NUMBER
from surveys.kinds.number.results import NumberResults, number_results
from surveys.kinds.place.draft import PLACE
from surveys.kinds.place.results import PlaceResults, place_results
from surveys.kinds.subset.draft import SUBSET
from surveys.kinds.subset.protection import SubsetProtection, subset_protection
from surveys.kinds.subset.warnings import sets_words
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.section_kinds import GROUPED
from surveys.questionnaire.settings_warning import SettingsWarning


@dataclass(frozen=True)
class SectionPanel:
    """`respondents` are as many as are expected."""

    template: ClassVar[str]

    fields: SectionFields
    section: Node
    cautions: list[SettingsWarning]
    respondents: int
    prior: Fraction

    @property
    def number(self) -> int:
        return self.fields.number

    @property
    def title(self) -> str:
        raise NotImplementedError


class GroupedPanel(SectionPanel):
    template = "surveys/builder/results-grouped.html"

    @property
    def title(self) -> str:
        questions = len(self.section["questions"])
        words = ngettext("%(questions)s disguised question", "%(questions)s disguised questions", questions)
        return words % {"questions": questions}

    @cached_property
    def found(self) -> GroupedProtection | None:
        return grouped_protection(self.section, self.respondents, self.prior)

    @property
    def sets(self) -> str:
        """The proposal to send sets of answers."""
        return sets_words(self.section, self.found.law.gamma) if self.found else ""

    @property
    def margins(self) -> list[tuple[QuestionMargin, BoundField]]:
        """The margin of error of each question, with the field of the share that is expected."""
        return list(zip(self.found.margins, self.fields.shares, strict=True)) if self.found else []


class NumberPanel(SectionPanel):
    template = "surveys/builder/results-number.html"

    @property
    def title(self) -> str:
        return _("A disguised number: %(name)s") % {"name": self.section["questions"][0]["name"]}

    @cached_property
    def results(self) -> NumberResults | None:
        return number_results(self.section, self.respondents, self.prior)


class PlacePanel(SectionPanel):
    template = "surveys/builder/results-place.html"

    @property
    def title(self) -> str:
        return _("A disguised place: %(name)s") % {"name": self.section["questions"][0]["name"]}

    @cached_property
    def results(self) -> PlaceResults | None:
        return place_results(self.section, self.respondents, self.prior)


class SubsetPanel(SectionPanel):
    template = "surveys/builder/results-subset.html"

    @property
    def title(self) -> str:
        return _("A question sent as sets: %(name)s") % {"name": self.section["questions"][0]["name"]}

    @cached_property
    def found(self) -> SubsetProtection | None:
        return subset_protection(self.section, self.respondents, self.prior)


class CrosswisePanel(SectionPanel):
    template = "surveys/builder/results-crosswise.html"

    @property
    def title(self) -> str:
        return _("A crosswise question: %(name)s") % {"name": self.section["questions"][0]["name"]}

    @cached_property
    def results(self) -> CrosswiseResults | None:
        return crosswise_results(self.section, self.respondents, self.prior)


PANELS: dict[str, type[SectionPanel]] = {
    GROUPED: GroupedPanel,
    NUMBER: NumberPanel,
    PLACE: PlacePanel,
    CROSSWISE: CrosswisePanel,
    SUBSET: SubsetPanel,
}
