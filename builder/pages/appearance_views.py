"""The page of a survey's logo and colour, with the start page as respondents see it."""

from collections.abc import Mapping
from dataclasses import replace

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest
from builder.pages.preview_views import FRAMING, design_of
from builder.parts.appearance_forms import AccentForm, LogoForm
from builder.saving import saving
from builder.saving.responses import command_response, editable, refusal_response, undo_key
from builder.settings.missing import missing_text
from privacy.designs import Design
from surveys.models import Logo, Survey
from surveys.not_allowed import NotAllowed
from surveys.pages import posting, reading
from surveys.questionnaire.commands import CommandResult, Sent
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.replaced import replaced_draft
from ui.accent import shade

HERE = "appearance"


@reading
@editable
def appearance(request: PersonRequest, survey: Survey) -> HttpResponse:
    return page(request, survey, undo=request.session.pop(undo_key(survey), None))


@posting
@editable
def act(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Set the colour, or remove it or the logo."""
    match request.POST.get("do", ""):
        case "colour":
            form = AccentForm(saving.normalized_draft(survey), request.POST)
            if not form.is_valid():
                return page(request, survey, accent_form=form, status=422)
            return _changed(request, survey, _("The colour is set."), accent=form.cleaned_data["accent"])
        case "colour-remove":
            return _changed(request, survey, _("The colour is removed."), accent="")
        case "logo-remove":
            return _changed(request, survey, _("The logo is removed."), logo="", logo_alt={})
    reason = _("That could not be understood. Reload the page and try again.")
    return refusal_response(request, survey, reason, _address(survey))


def with_logo(
    request: PersonRequest, survey: Survey, fingerprint: str, alt: Mapping[str, str]
) -> HttpResponse:
    """Store the logo of this SHA-256, or without one the alternative texts alone."""
    if fingerprint:
        return _changed(request, survey, _("The logo is saved."), logo=fingerprint, logo_alt=alt)
    return _changed(request, survey, _("The alternative text is saved."), logo_alt=alt)


def _changed(request: PersonRequest, survey: Survey, said: str, **values: object) -> HttpResponse:
    def change(draft: Questionnaire, _sent: Sent) -> CommandResult:
        if values.keys() == {"logo_alt"} and not draft.logo:
            raise NotAllowed(_("The logo was removed meanwhile. Upload it again."))
        after = replace(draft, **values)  # type: ignore[arg-type]
        return CommandResult(after, said, removed=replaced_draft(draft, after))

    try:
        _draft, outcome = saving.act(survey, request.user, change, {}, timezone.now())
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), _address(survey))
    return command_response(request, survey, redirect(_address(survey)), outcome, back=HERE)


def _address(survey: Survey) -> str:
    return reverse(f"builder:{HERE}", args=[survey.pk])


def page(
    request: PersonRequest,
    survey: Survey,
    *,
    logo_form: LogoForm | None = None,
    accent_form: AccentForm | None = None,
    undo: object = None,
    status: int = 200,
) -> HttpResponse:
    draft, design = saving.normalized_draft(survey), design_of(survey)
    context = {
        "survey": survey,
        "here": HERE,
        "lacking": missing_text(draft),
        "undo": undo,
        "draft": draft,
        "logo": Logo.data_address(draft.logo) if draft.logo else "",
        "logo_form": logo_form or LogoForm(draft),
        "accent_form": accent_form or AccentForm(draft),
        "shades": {scheme: shade(draft.accent, scheme) for scheme in ("light", "dark") if draft.accent},
        "problem": None if isinstance(design, Design) else design,
    }
    response = render(request, "builder/appearance.html", context, status=status)
    response["Content-Security-Policy"] = FRAMING
    return response
