"""The presets as the protection page offers them: what each promises in words, and what it costs in precision."""

from dataclasses import dataclass
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from builder.settings.outcome import ProtectionSummary
from privacy.guarantee.presets import BEFORE, PRESETS, Preset
from surveys.kinds.presets import with_preset
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.presets import preset_of
from surveys.questionnaire.questionnaire import Questionnaire

NAMES: dict[str, str | Promise] = {
    "stronger": gettext_lazy("Stronger"),
    "balanced": gettext_lazy("Balanced"),
    "weaker": gettext_lazy("Weaker, more precise"),
}


@dataclass(frozen=True)
class PresetChoice:
    """`outcome` is what the page will say with this preset."""

    preset: Preset
    outcome: ProtectionSummary
    chosen: bool

    @property
    def name(self) -> str | Promise:
        return NAMES[self.preset.name]

    @property
    def before(self) -> str:
        return odds_of(BEFORE)

    @property
    def after(self) -> str:
        return odds_of(self.preset.after)

    @property
    def kept(self) -> bool:
        """Whether these sections can keep the promise at all."""
        person = self.outcome.person
        return person is None or self.preset.limit.admits(person.guarantee.gamma)


def odds_of(share: Fraction) -> str:
    return _("%(of)s in %(all)s") % {"of": share.numerator, "all": share.denominator}


def preset_choices(draft: Questionnaire) -> list[PresetChoice]:
    now = preset_of(draft)
    return [
        PresetChoice(each, ProtectionSummary(with_preset(draft, each), BEFORE), each == now)
        for each in PRESETS.values()
    ]


def preset_named(name: str) -> Preset:
    if name not in PRESETS:
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    return PRESETS[name]
