"""What the protection page says of a draft: of the stored one, and of what a preset or proposal would make of it.

One function computes both, so that nothing is promised that the page does not say after it is applied.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from surveys.builder.crosswise_draft import CROSSWISE
from surveys.builder.crosswise_protection import words_of_crosswise
from surveys.builder.normal_values import Node
from surveys.builder.number_draft import NUMBER
from surveys.builder.number_results import words_of_number
from surveys.builder.place_draft import PLACE
from surveys.builder.place_results import words_of_place
from surveys.builder.precision import Expectation, precision
from surveys.builder.protection import PRIOR, Protection, expected, person_protection
from surveys.builder.settings_warning import SettingsWarning
from surveys.builder.warnings import settings_warnings
from surveys.draft import Draft

ALONE: dict[str, Callable[[Node, int], str]] = {
    NUMBER: words_of_number,
    PLACE: words_of_place,
    CROSSWISE: words_of_crosswise,
}
"""By kind of a section that holds one question: what its settings show, in words."""


@dataclass(frozen=True)
class ProtectionSummary:
    draft: Draft
    prior: Fraction = PRIOR

    @cached_property
    def person(self) -> Protection | None:
        return person_protection(self.draft, self.prior)

    @cached_property
    def expectations(self) -> list[Expectation]:
        return precision(self.draft)

    @cached_property
    def warnings(self) -> list[SettingsWarning]:
        return settings_warnings(self.draft)

    @property
    def respondents(self) -> int:
        return expected(self.draft)

    @property
    def words(self) -> list[str]:
        """The margins of error of one, two and three answers, in words."""
        return [each.words for each in self.expectations]

    @cached_property
    def alone(self) -> list[str]:
        """What the numbers and places show."""
        kinds = ((ALONE.get(section.get("kind", "")), section) for section in self.draft["sections"])
        return [words(section, self.respondents) for words, section in kinds if words]
