from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from builder.planning.answers import GOALS, Answers
from builder.planning.forecast import AVERAGE, SHARE
from builder.settings.preset_choices import NAMES, odds_of
from builder.settings.quick_fixes import MOST_EXPECTED
from privacy.guarantee.presets import BEFORE, DEFAULT, PRESETS
from privacy.kinds.number.number import FURTHEST
from surveys.draft import DEFAULT_SHARE, EXPECTED
from surveys.forms import NewForm
from surveys.kinds.fields import ProbabilityField, as_percent, as_probability
from surveys.kinds.number.draft import HIGH, LOW

FIRST = {
    "goal": SHARE,
    "respondents": EXPECTED,
    "preset": DEFAULT.name,
    "share": as_percent(DEFAULT_SHARE),
    "low": LOW,
    "high": HIGH,
}
"""What the page begins with."""


def _end(label: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=-FURTHEST, max_value=FURTHEST)


class PlanForm(forms.Form):
    """What is not given is as the page begins; what is given as empty is missing."""

    goal = forms.ChoiceField(
        label=gettext_lazy("What do you want to learn?"),
        choices=list(GOALS.items()),
        widget=forms.RadioSelect,
    )
    share = ProbabilityField(
        label=gettext_lazy("How many people do you expect to say yes (%)?"),
        help_text=gettext_lazy("The answer that you want to know about. A guess is enough."),
        required=False,
    )
    low = _end(gettext_lazy("Smallest number that people can give"))
    high = _end(gettext_lazy("Largest number that people can give"))
    respondents = forms.IntegerField(
        label=gettext_lazy("How many answers do you expect?"), min_value=1, max_value=MOST_EXPECTED
    )
    preset = forms.ChoiceField(
        label=gettext_lazy("How well must each person be protected?"), widget=forms.RadioSelect
    )

    def __init__(self, given: Mapping[str, Any], **options: Any) -> None:
        super().__init__({**FIRST, **{key: given[key] for key in FIRST if key in given}}, **options)
        words = _("%(name)s: someone who is %(before)s sure can become at most %(after)s sure")
        self.fields["preset"].choices = [  # type: ignore[attr-defined]
            (name, words % {"name": NAMES[name], "before": odds_of(BEFORE), "after": odds_of(preset.after)})
            for name, preset in PRESETS.items()
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for name in ("low", "high") if data.get("goal") == AVERAGE else ("share",):
            if data.get(name) is None and name not in self.errors:
                self.add_error(name, self.fields[name].error_messages["required"])
        low, high = data.get("low"), data.get("high")
        if data.get("goal") == AVERAGE and low is not None and high is not None and low >= high:
            self.add_error("high", _("It must be larger than the smallest number."))
        return data

    @property
    def answers(self) -> Answers:
        data = self.cleaned_data
        return Answers(
            data["goal"],
            data["respondents"],
            PRESETS[data["preset"]],
            as_probability(data["share"]) if data["share"] else DEFAULT_SHARE,
            LOW if data["low"] is None else data["low"],
            HIGH if data["high"] is None else data["high"],
        )


class BeginForm(NewForm):
    """A page that begins with other questions does not begin in this one."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        del self.fields["title"].widget.attrs["autofocus"]
