"""The study page: direct share, check of understanding, earlier surveys, rounds and hypotheses, each with a form of its
own.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from accounts.permission import PersonRequest
from builder.editing import save_edit
from builder.editing.http_responses import editable_draft_view, refusal_response
from builder.editing.separately_saved_parts import DraftPart, part_digest
from builder.pages.page_host import PageHostPart
from builder.planning.direct_arm import DirectSharePart
from builder.planning.repeated_rounds import (
    EarlierSurveyLinkPart,
    RoundsCost,
    draft_with_lasting_disguise,
    joint_gamma_of_grouped_sections,
    repeated_survey_of_draft,
    rounds_costs,
)
from builder.protection.summary import opening_problems_sentence
from privacy.designs.design import UNDERSTOOD
from privacy.designs.parsing import MOST_ROUNDS
from surveys.lifecycle import asked_at, survey_creation
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.signed_in_view import posting, reading
from surveys.study.hypothesis_editing import (
    DELETE,
    EDIT,
    PREFIX,
    DeletedHypothesisPart,
    DraftedHypotheses,
    EditedHypothesisPart,
    HypothesisPart,
    NewHypothesisPart,
    hypothesis_form_for_kind,
    refilled_hypothesis_form,
)
from surveys.study.hypothesis_forms import FORMS


class UnderstandingCheckForm(forms.Form):
    """Form that switches the check of understanding on or off: two questions about the protection, before all
    others."""

    understanding = forms.BooleanField(
        label=gettext_lazy("Check whether respondents understand the disguise"), required=False
    )

    def __init__(self, draft: Questionnaire, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.draft = draft
        self.initial.update(understanding=draft.understanding)

    def clean_understanding(self) -> bool:
        is_on = bool(self.cleaned_data["understanding"])
        if is_on and not self.draft.has_disguised_sections:
            words = _(
                "Nothing is disguised yet, so there is nothing to understand. Add a sensitive question first."
            )
            raise forms.ValidationError(words)
        if is_on and any(question.name == UNDERSTOOD for question in self.draft.all_questions):
            words = _("A question is called “%(name)s”, as the check will be. Give it another name first.")
            raise forms.ValidationError(words % {"name": UNDERSTOOD})
        return is_on


class UnderstandingCheckPart:
    """Whether the check of understanding is on, as a part of the draft that is saved on its own."""

    dom_id = "understanding"

    def conflict_check_value(self, draft: Questionnaire) -> Any:
        return draft.understanding

    def build_form(
        self, draft: Questionnaire, data: Mapping[str, Any] | None = None
    ) -> UnderstandingCheckForm:
        return UnderstandingCheckForm(draft, data, auto_id="understanding-%s")

    def apply_cleaned(self, draft: Questionnaire, cleaned: dict[str, Any]) -> Questionnaire:
        return replace(draft, understanding=cleaned["understanding"])


class RoundsForm(forms.Form):
    """Form for the number of rounds, and for the limit on what all rounds together may reveal."""

    rounds = forms.IntegerField(
        label=gettext_lazy("How many rounds?"), min_value=2, max_value=MOST_ROUNDS, initial=4
    )
    gamma = forms.IntegerField(
        label=gettext_lazy("All rounds together may change the odds of a person’s answers at most … times"),
        min_value=2,
        max_value=10_000,
        required=False,
    )

    def rounds_costs(self, draft: Questionnaire) -> list[RoundsCost]:
        """Returns how many more respondents several numbers of rounds need; with the form's values if it is valid."""
        if not self.is_valid():
            return list(rounds_costs(draft))
        gamma = self.cleaned_data["gamma"]
        return list(rounds_costs(draft, Fraction(gamma) if gamma else None, [self.cleaned_data["rounds"]]))


def parts_of(survey: Survey) -> Mapping[str, DraftPart]:
    """Returns the parts of the study page that everybody may see, by their key."""
    return {
        "direct": DirectSharePart(),
        "understanding": UnderstandingCheckPart(),
        "follows": EarlierSurveyLinkPart(),
        "page-host": PageHostPart(asked_at.record_address(survey)),
    }


HYPOTHESES: Mapping[str, DraftPart] = {
    DELETE: DeletedHypothesisPart(),
    **{f"{PREFIX}{kind}": NewHypothesisPart(kind) for kind in FORMS},
}
OWNER_PARTS = {EDIT, *HYPOTHESES}
"""Parts of the study page that only the owner may see: the hypotheses."""


@reading
@editable_draft_view
def show_study_page(request: PersonRequest, survey: Survey) -> HttpResponse:
    return _render_study_page(request, survey, save_edit.load_questionnaire(survey))


@posting
@editable_draft_view
def save_study_part(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Saves the form of one part of the study page, such as the direct share or a hypothesis."""
    key = request.POST.get("part", "")
    if key in OWNER_PARTS and not survey.may(request.user, "hypotheses"):
        raise PermissionDenied
    part = parts_of(survey).get(key) or HYPOTHESES.get(key)
    if key == EDIT:
        part = EditedHypothesisPart(request.POST.get("name", ""))
    if part is None:
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    if "list" in request.POST and isinstance(part, HypothesisPart):
        draft = save_edit.load_questionnaire(survey)
        return _render_study_page(
            request, survey, draft, {key: refilled_hypothesis_form(part, draft, request.POST)}
        )
    try:
        save_edit.save_part(
            survey, request.user, part, request.POST.get("base", ""), request.POST, timezone.now()
        )
    except save_edit.EditConflict as conflict:
        messages.error(request, _("Someone else has changed this meanwhile. Check it, then save again."))
        sent = {key: conflict.form} if isinstance(part, HypothesisPart) else {}
        return _render_study_page(request, survey, conflict.draft, sent, status=409)
    except save_edit.PartNotSaved as reason:
        return _render_study_page(request, survey, reason.draft, {key: reason.form}, status=422)
    messages.success(request, _("Saved."))
    return redirect(f"{reverse('builder:study', args=[survey.pk])}#{part.dom_id}")


@posting
@editable_draft_view
def compare_or_create_rounds(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Compares the ways to ask people again, makes the disguise lasting, or creates a draft for each round, as the
    button `do` says. Each invited person will get one of these rounds, drawn at random."""
    form, draft = RoundsForm(request.POST, auto_id="rounds-%s"), save_edit.load_questionnaire(survey)
    address, do = reverse("builder:study", args=[survey.pk]), request.POST.get("do", "")
    if not form.is_valid():
        return _render_study_page(request, survey, draft, {"rounds": form}, status=422)
    if do == "compare":
        return _render_study_page(request, survey, draft, {"rounds": form})
    try:
        if do == "lasting":
            gamma = form.cleaned_data["gamma"] or joint_gamma_of_grouped_sections(draft)
            save_edit.apply_edit(
                survey, request.user, partial(draft_with_lasting_disguise, gamma=gamma), timezone.now()
            )
            messages.success(request, _("The disguise lasts now. The Protection page shows its numbers."))
            return redirect(f"{address}#rounds")
        drafts = survey_creation.create_parallel_rounds(
            survey, request.user, form.cleaned_data["rounds"], timezone.now()
        )
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), address)
    words = _(
        "%(rounds)s drafts were made. Open each when its round begins; its invitations page splits the list."
    )
    messages.success(request, words % {"rounds": len(drafts)})
    return redirect("surveys:index")


def _render_study_page(
    request: PersonRequest,
    survey: Survey,
    draft: Questionnaire,
    sent: Mapping[str, forms.Form] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Renders the study page; the forms in `sent`, by part, replace those filled from the draft."""
    sent = sent or {}
    rounds = sent.get(
        "rounds", RoundsForm(auto_id="rounds-%s", initial={"gamma": joint_gamma_of_grouped_sections(draft)})
    )
    assert isinstance(rounds, RoundsForm)
    parts = parts_of(survey)
    context: dict[str, Any] = {
        "survey": survey,
        "here": "study",
        "lacking": opening_problems_sentence(draft),
        "respondents": draft.respondents,
        "repetition": repeated_survey_of_draft(draft),
        "forms": {**{key: part.build_form(draft) for key, part in parts.items()}, "rounds": rounds, **sent},
        "in_rounds": draft.rounds,
        "rounds_costs": rounds.rounds_costs(draft),
        "bases": {key: part_digest(part, draft) for key, part in parts.items()},
        "host_form": sent.get("page-host") or parts["page-host"].build_form(draft),
        "host_base": part_digest(parts["page-host"], draft),
        "host": draft.asked_at.get("host"),
    }
    if survey.may(request.user, "hypotheses"):
        context |= _hypotheses_context(request, draft, sent)
    return render(request, "builder/study.html", context, status=status)


def _hypotheses_context(
    request: PersonRequest, draft: Questionnaire, sent: Mapping[str, forms.Form]
) -> dict[str, Any]:
    """Returns the template context of the hypotheses, with the form that could not be saved or was just opened."""
    drafted, key = DraftedHypotheses(draft), next((key for key in sent if key in OWNER_PARTS), "")
    context = {"drafted": drafted, "hypotheses_base": part_digest(DeletedHypothesisPart(), draft)}
    if key == EDIT:
        return context | {"editing": sent[key], "edited": request.POST.get("name", "")}
    if key:
        return context | {"adding": sent[key], "adding_kind": key.removeprefix(PREFIX)}
    kind, name = request.GET.get("hypothesis", ""), request.GET.get("edit", "")
    if any(line.name == name and line.may_edit for line in drafted.hypothesis_lines):
        return context | {"editing": EditedHypothesisPart(name).build_form(draft), "edited": name}
    return context | {"adding": hypothesis_form_for_kind(draft, kind), "adding_kind": kind}
