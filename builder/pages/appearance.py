"""The page that sets a survey's logo and colour."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from accounts.permission import PersonRequest
from builder.editing import save_edit
from builder.editing.http_responses import (
    command_response,
    editable_draft_view,
    pop_stored_undo,
    refusal_response,
)
from builder.pages.preview import FRAMING, survey_design_or_problem
from builder.protection.summary import opening_problems_sentence
from privacy.designs import Design
from privacy.designs.parsing import COLOUR
from surveys.kinds.question_form import normalized_texts_of_form
from surveys.models import Logo, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed, language_name
from surveys.questionnaire.question_block_editing import undo_data_for_draft
from surveys.questionnaire.questionnaire import CommandResult, Questionnaire, Sent
from surveys.signed_in_view import posting, reading
from ui.survey_accent_colour import LEAST_CONTRAST, least_contrast, readable_shade

HERE = "appearance"
LONGEST_ALT = 300


class LogoForm(forms.Form):
    """Form for the logo's file, optional if there is a logo already, and its alternative text in each language."""

    file = forms.FileField(
        label=gettext_lazy("Picture"),
        help_text=gettext_lazy(
            "PNG, JPEG or WebP, at most 2 megabytes. It is stored as a picture of at most 600 × 200 pixels, and"
            " nothing else of the file."
        ),
        max_length=300,
        widget=forms.FileInput(attrs={"accept": ".png,.jpg,.jpeg,.webp"}),
    )

    def __init__(self, draft: Questionnaire, data: Any = None, files: Any = None) -> None:
        super().__init__(data, files, auto_id="logo-%s")
        self.languages = draft.languages
        self.fields["file"].required = not draft.logo
        hint = _("What people read or hear who do not see the logo, such as “University of Example”.")
        for code in draft.languages:
            label = _("Alternative text in %(language)s") % {"language": language_name(code)}
            attrs = {"lang": code, "dir": "auto", "autocomplete": "off"}
            self.fields[f"alt-{code}"] = forms.CharField(
                label=label if len(draft.languages) > 1 else _("Alternative text"),
                help_text=hint if code == draft.first_language else "",
                initial=draft.logo_alt.get(code, ""),
                max_length=LONGEST_ALT,
                widget=forms.TextInput(attrs=attrs),
            )

    @property
    def alternative_texts(self) -> dict[str, str]:
        texts = normalized_texts_of_form({code: self.cleaned_data[f"alt-{code}"] for code in self.languages})
        return {code: text for code, text in texts.items() if text.strip()}


class AccentForm(forms.Form):
    """Form for the survey's colour, which must be legible on light pages; `nearest` is the nearest legible
    shade, which the form proposes."""

    accent = forms.CharField(
        label=gettext_lazy("Colour"),
        help_text=gettext_lazy("As your institution writes it for screens, such as #7a1f3d."),
        max_length=7,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "size": 9, "dir": "ltr"}),
    )
    nearest = ""

    def __init__(self, draft: Questionnaire, data: Any = None) -> None:
        super().__init__(data, initial={"accent": draft.accent}, auto_id="colour-%s")

    def clean_accent(self) -> str:
        colour = "#" + str(self.cleaned_data["accent"]).strip().lower().removeprefix("#")
        if not COLOUR.fullmatch(colour):
            raise ValidationError(_("Write the colour with six hexadecimal digits, such as #7a1f3d."))
        if readable_shade(colour, "light") != colour:
            self.nearest = readable_shade(colour, "light")
            words = _(
                "Words in %(colour)s have a contrast of %(ratio)s to 1 to the page, and need %(needed)s to 1. The"
                " nearest shade that has it is %(nearest)s."
            )
            ratio = f"{least_contrast(colour, 'light'):.1f}"
            words %= {"colour": colour, "ratio": ratio, "needed": LEAST_CONTRAST, "nearest": self.nearest}
            raise ValidationError(words)
        return colour


@reading
@editable_draft_view
def show_appearance(request: PersonRequest, survey: Survey) -> HttpResponse:
    return render_appearance_page(request, survey, undo=pop_stored_undo(request, survey))


def render_appearance_page(
    request: PersonRequest,
    survey: Survey,
    *,
    logo_form: LogoForm | None = None,
    accent_form: AccentForm | None = None,
    undo: object = None,
    status: int = 200,
) -> HttpResponse:
    """Renders the page of logo and colour; `logo_form` or `accent_form` replaces the form filled from the draft."""
    draft, design = save_edit.load_questionnaire(survey), survey_design_or_problem(survey)
    context = {
        "survey": survey,
        "here": HERE,
        "lacking": opening_problems_sentence(draft),
        "undo": undo,
        "draft": draft,
        "logo": Logo.data_url(draft.logo) if draft.logo else "",
        "logo_form": logo_form or LogoForm(draft),
        "accent_form": accent_form or AccentForm(draft),
        "shades": {
            scheme: readable_shade(draft.accent, scheme) for scheme in ("light", "dark") if draft.accent
        },
        "problem": None if isinstance(design, Design) else design,
    }
    response = render(request, "builder/appearance.html", context, status=status)
    response["Content-Security-Policy"] = FRAMING
    return response


@posting
@editable_draft_view
def change_appearance(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Sets the survey's colour, or removes the colour or the logo."""
    match request.POST.get("do", ""):
        case "colour":
            form = AccentForm(save_edit.load_questionnaire(survey), request.POST)
            if not form.is_valid():
                return render_appearance_page(request, survey, accent_form=form, status=422)
            return _save_and_offer_undo(
                request, survey, _("The colour is set."), accent=form.cleaned_data["accent"]
            )
        case "colour-remove":
            return _save_and_offer_undo(request, survey, _("The colour is removed."), accent="")
        case "logo-remove":
            return _save_and_offer_undo(request, survey, _("The logo is removed."), logo="", logo_alt={})
    reason = _("That could not be understood. Reload the page and try again.")
    return refusal_response(request, survey, reason, reverse(f"builder:{HERE}", args=[survey.pk]))


def save_logo(
    request: PersonRequest, survey: Survey, fingerprint: str, alt: Mapping[str, str]
) -> HttpResponse:
    """Stores a logo (by its SHA-256 `fingerprint`) and its alternative texts in the draft; only the texts if
    `fingerprint` is empty."""
    if fingerprint:
        return _save_and_offer_undo(request, survey, _("The logo is saved."), logo=fingerprint, logo_alt=alt)
    return _save_and_offer_undo(request, survey, _("The alternative text is saved."), logo_alt=alt)


def _save_and_offer_undo(
    request: PersonRequest, survey: Survey, words: str, **values: object
) -> HttpResponse:
    """Sets the draft's fields in `values`, and responds with a message and an undo button."""
    address = reverse(f"builder:{HERE}", args=[survey.pk])

    def set_values(draft: Questionnaire, _sent: Sent) -> CommandResult:
        if values.keys() == {"logo_alt"} and not draft.logo:
            raise NotAllowed(_("The logo was removed meanwhile. Upload it again."))
        after = replace(draft, **values)  # type: ignore[arg-type]
        return CommandResult(after, words, removed=undo_data_for_draft(draft, after))

    try:
        _draft, result = save_edit.run_command(survey, request.user, set_values, {}, timezone.now())
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), address)
    return command_response(request, survey, redirect(address), result, back=address)
