"""The form that asks a share of the devices directly."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django import forms
from django.forms.boundfield import BoundWidget
from django.utils.translation import gettext as _

from builder.settings.arms import ArmPlan, arm_plans, respondents_needed
from surveys.questionnaire.questionnaire import Questionnaire
from ui.numbers import exact_percent


@dataclass(frozen=True)
class ArmRow:
    """A share to choose; without a plan, that all are disguised."""

    radio: BoundWidget
    plan: ArmPlan | None


class DirectForm(forms.Form):
    def __init__(self, draft: Questionnaire, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.draft = draft
        self.plans = arm_plans(draft)
        shares = [(plan.share, exact_percent(plan.part)) for plan in self.plans]
        direct = forms.ChoiceField(
            label=_("Share of the devices that ask directly"),
            choices=[("", _("Nobody: all sensitive answers are disguised")), *shares],
            required=False,
            widget=forms.RadioSelect,
        )
        self.fields.update(direct=direct)
        self.initial.update(direct=draft.direct)

    def clean_direct(self) -> str:
        direct = str(self.cleaned_data["direct"])
        plan = next((each for each in self.plans if each.share == direct), None)
        if plan and self.draft.batch_size < plan.least:
            raise forms.ValidationError(
                _(
                    "With this share the minimum batch size must be at least %(least)s. Raise it on the start page of "
                    "the questionnaire first, or choose a larger share."
                )
                % {"least": plan.least}
            )
        return direct

    @property
    def needed(self) -> int | None:
        return respondents_needed(self.draft)

    @cached_property
    def rows(self) -> list[ArmRow]:
        return [
            ArmRow(radio, plan)
            for radio, plan in zip(self["direct"].subwidgets, [None, *self.plans], strict=True)
        ]


@dataclass(frozen=True)
class DirectPart:
    @property
    def dom_id(self) -> str:
        return "direct"

    def value(self, draft: Questionnaire) -> Any:
        return [draft.direct, draft.open_answers]

    def form(self, draft: Questionnaire, data: Mapping[str, Any] | None = None) -> DirectForm:
        return DirectForm(draft, data, auto_id="direct-%s")

    def changed(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        """Nobody chooses where the device decides, so open answers are excluded."""
        direct = cleaned["direct"]
        return replace(draft, direct=direct, open_answers=draft.open_answers and not direct)
