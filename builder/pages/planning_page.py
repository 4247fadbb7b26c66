"""The planning page, before a survey exists: the researcher enters the goal and the number of respondents,
and sees a design with its precision."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext as _, gettext_lazy

from accounts.permission import PersonRequest
from builder.editing.http_responses import wants_fragment
from builder.planning.planned_design_with_forecast import PlannedDesign
from builder.planning.precision_forecast import AVERAGE, GOALS, SHARE
from builder.planning.sections_for_research_goal import PlanAnswers, draft_with_planned_sections
from builder.protection.settings_and_quick_fixes import MOST_EXPECTED
from builder.protection.trade_off import NAMES, share_as_odds_text
from privacy.grammar.number_range import FURTHEST
from privacy.guarantee.presets import BEFORE, DEFAULT, PRESETS
from surveys import draft_json
from surveys.draft_json import DEFAULT_SHARE, EXPECTED
from surveys.forms import NewSurveyForm
from surveys.kinds.number.draft import HIGH, LOW
from surveys.kinds.percent_fields import ProbabilityField, percent_text, probability_text
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import survey_creation
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.signed_in_view import form_page

FIRST = {
    "goal": SHARE,
    "respondents": EXPECTED,
    "preset": DEFAULT.name,
    "share": percent_text(DEFAULT_SHARE),
    "low": LOW,
    "high": HIGH,
    "together": "",
}
"""Initial values of the form's fields."""


class PlanForm(forms.Form):
    """Form of the planning page. A field that is missing from the request gets its initial value; an empty field is an
    error."""

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
    low = forms.IntegerField(
        label=gettext_lazy("Smallest number that people can give"),
        required=False,
        min_value=-FURTHEST,
        max_value=FURTHEST,
    )
    high = forms.IntegerField(
        label=gettext_lazy("Largest number that people can give"),
        required=False,
        min_value=-FURTHEST,
        max_value=FURTHEST,
    )
    together = forms.BooleanField(
        label=gettext_lazy("Ask these two of everybody"),
        help_text=gettext_lazy(
            "Both stand in one section, so they stay together however many sections follow. The table says the price."
        ),
        required=False,
    )
    respondents = forms.IntegerField(
        label=gettext_lazy("How many answers do you expect?"), min_value=1, max_value=MOST_EXPECTED
    )
    preset = forms.ChoiceField(
        label=gettext_lazy("How well must each person be protected?"), widget=forms.RadioSelect
    )

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__({**FIRST, **{key: given[key] for key in FIRST if key in given}})
        words = _("%(name)s: someone who is %(before)s sure can become at most %(after)s sure")
        self.fields["preset"].choices = [  # type: ignore[attr-defined]
            (
                name,
                words
                % {
                    "name": NAMES[name],
                    "before": share_as_odds_text(BEFORE),
                    "after": share_as_odds_text(preset.after),
                },
            )
            for name, preset in PRESETS.items()
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        is_average = data.get("goal") == AVERAGE
        for name in ("low", "high") if is_average else ("share",):
            if data.get(name) is None and name not in self.errors:
                self.add_error(name, self.fields[name].error_messages["required"])
        low, high = data.get("low"), data.get("high")
        if is_average and low is not None and high is not None and low >= high:
            self.add_error("high", _("It must be larger than the smallest number."))
        return data

    @property
    def plan_answers(self) -> PlanAnswers:
        data = self.cleaned_data
        return PlanAnswers(
            data["goal"],
            data["respondents"],
            PRESETS[data["preset"]],
            probability_text(data["share"]) if data["share"] else DEFAULT_SHARE,
            LOW if data["low"] is None else data["low"],
            HIGH if data["high"] is None else data["high"],
            data["together"],
        )

    def planned_design(self) -> PlannedDesign | None:
        """Returns the planned design; None, with errors in the form, if a value is missing or invalid."""
        if not self.is_valid():
            return None
        new = draft_json.new_draft_with_two_sections("", get_language() or "en", timezone.localdate())
        try:
            return PlannedDesign(
                self.plan_answers, draft_with_planned_sections(read_questionnaire(new), self.plan_answers)
            )
        except NotAllowed as refusal:
            self.add_error(None, str(refusal))
            return None


class SurveyFromPlanForm(NewSurveyForm):
    """Form that creates a survey from the plan; a NewSurveyForm that does not take the focus."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        del self.fields["title"].widget.attrs["autofocus"]


@form_page
def planning_page(request: PersonRequest) -> HttpResponse:
    if not survey_creation.may_create_surveys(request.user):
        raise PermissionDenied
    is_sent = request.method == "POST"
    form = PlanForm(request.POST if is_sent else request.GET)
    context: dict[str, Any] = {"form": form, "plan": form.planned_design()}
    if wants_fragment(request) and not is_sent:
        return render(request, "builder/planning/forecast.html", context | {"oob": True})
    begin = (
        SurveyFromPlanForm(request.POST)
        if is_sent
        else SurveyFromPlanForm(initial={"language": get_language()})
    )
    if is_sent and begin.is_valid() and context["plan"]:
        survey = survey_creation.create_new_survey(
            request.user,
            begin.cleaned_data["title"],
            begin.cleaned_data["language"],
            timezone.now(),
            partial(draft_with_planned_sections, answers=form.plan_answers),
        )
        messages.success(
            request, _("Your draft is ready. You can change every question before you open the survey.")
        )
        return redirect("builder:edit", survey.pk)
    status = 422 if is_sent else 200
    return render(request, "builder/planning/plan.html", context | {"begin": begin}, status=status)
