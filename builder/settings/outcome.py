"""What the protection page says of a draft: of the stored one, and of what a preset or proposal would make of it.

One function computes both, so that nothing is promised that the page does not say after it is applied.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from django.utils.translation import gettext as _

from builder.settings.warnings import settings_warnings
from surveys.kinds.grouped.protection import Expectation, precision
from surveys.kinds.registry import kind_of
from surveys.kinds.settings import USELESS, SettingsWarning, points
from surveys.questionnaire.presets import preset_of_new
from surveys.questionnaire.protection import PRIOR, Protection, person_protection
from surveys.questionnaire.questionnaire import Questionnaire
from ui.numbers import percent


@dataclass(frozen=True)
class ProtectionSummary:
    draft: Questionnaire
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
        return self.draft.respondents

    @property
    def words(self) -> list[str]:
        """The margins of error of one, two and three answers, in words."""
        return [each.words for each in self.expectations]

    @cached_property
    def margin(self) -> float:
        """The largest margin of error of a share."""
        return max((warning.margin for warning in self.warnings), default=0.0)

    @cached_property
    def keeps_promise(self) -> bool:
        """Whether all sections together are within the preset of the draft."""
        return self.person is None or preset_of_new(self.draft).limit.admits(self.person.guarantee.gamma)

    @cached_property
    def alone(self) -> list[str]:
        """What the numbers and places show."""
        sections = [each for each in self.draft.sections if each.is_known and each.holds_one]
        return [kind_of(section).words(section, self.respondents) for section in sections]


def side_effects(before: Questionnaire, after: Questionnaire) -> list[str]:
    """What a command did to the whole person or to another section, in sentences, where that is bad."""
    was, now = ProtectionSummary(before), ProtectionSummary(after)
    effects = []
    if now.person and was.keeps_promise and not now.keeps_promise:
        words = _("All answers of a person together are now less protected: %(before)s can become %(after)s.")
        effects.append(words % {"before": percent(float(PRIOR), 0), "after": now.person.posterior_words})
    if was.margin <= USELESS < now.margin:
        words = _("A share now has a margin of error of ± %(points)s points: see Protection.")
        effects.append(words % {"points": points(now.margin)})
    return effects
