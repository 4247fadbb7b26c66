"""Pages that set up a survey inside other sites: the allowed sites, the markup to copy, and the link for a
panel."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.html import escape
from django.utils.translation import gettext as _, gettext_lazy

from accounts.models import Person
from accounts.permission import PersonRequest, get_permitted
from intake.invitations.tool_snippets import TOOLS, tool_snippets
from privacy.designs import InputError
from privacy.designs.embedding_sites import MOST_SITES
from surveys import draft_json
from surveys.lifecycle import asked_at, completion_code, embedding_sites
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import reason_text
from surveys.signed_in_view import refusal_as_message
from ui.number_format import format_count
from ui.sentence_joining import join_sentences

PANEL_VARIABLES = (("Prolific", "{{%PROLIFIC_PID%}}"), ("Cint, Lucid", "[%RID%]"))
"""Panels with the placeholder that each replaces by its ID of a person in links."""
SANDBOX = (
    "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads"
)
"""Sandbox permissions that a respondents' page needs: its script, its tab's storage, the form without a
script, the receipt as a file, and the page on its own, which a browser refuses to open inside a sandbox.

It may not navigate the page around it.
"""


class SitesForm(forms.Form):
    sites = forms.CharField(
        label=gettext_lazy("Sites that may show this survey"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(
            attrs={
                "rows": 4,
                "autocomplete": "off",
                "spellcheck": "false",
                "autocapitalize": "off",
                "dir": "ltr",
            }
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["sites"].help_text = _(
            "One on each line, such as https://www.example.org or, for all hosts below, https://*.example.org; at most"
            " %(most)s. Empty: no site."
        ) % {"most": MOST_SITES}

    def clean_sites(self) -> tuple[str, ...]:
        try:
            sites = embedding_sites.parse_sites(self.cleaned_data["sites"])
        except InputError as refusal:
            values = {"place": refusal.path, "reason": reason_text(refusal)}
            raise ValidationError(_("%(place)s: %(reason)s") % values) from None
        if len(sites) > MOST_SITES:
            raise ValidationError(_("At most %(most)s sites."), params={"most": format_count(MOST_SITES)})
        return sites


def save_sites(request: PersonRequest, pk: int) -> SitesForm | HttpResponse:
    """View: saves which sites may embed the survey; returns the form if it has errors."""
    survey = get_permitted(Survey.objects, request.user, pk, "invite")
    if not survey.may(request.user, "edit"):
        raise PermissionDenied
    form = SitesForm(request.POST)
    if not form.is_valid():
        return form
    with refusal_as_message(request):
        withdrawn = embedding_sites.save_sites_and_unschedule_opening(
            survey, request.user, form.cleaned_data["sites"], timezone.now()
        )
        saved = [_("The sites are saved.")]
        if withdrawn:
            saved.append(_("The opening time was set for others, so it is withdrawn. Set it again."))
        messages.success(request, join_sentences(saved))
    return redirect("invitations:invitations", survey.pk)


def embedding_context(survey: Survey, person: Person, form: SitesForm | None = None) -> dict[str, Any]:
    """Returns the template context for the parts of the invitations page about embedding the survey and about survey
    panels."""
    sites = draft_json.read_sites(survey.questionnaire)
    address = asked_at.respondents_address(survey)
    may_change = survey.state == Survey.State.DRAFT and survey.may(person, "edit")
    texts = tool_snippets(address, survey.design_id) if survey.tools and survey.design_id else {}
    takes_panel = completion_code.has_panel_parameter(survey.completion or "")
    return {
        "has_folder": bool(survey.tools and asked_at.current_folder(survey)),
        "tool_snippets": [(name, TOOLS[name], text) for name, text in texts.items()],
        "sites": sites,
        "sites_form": form or (SitesForm(initial={"sites": "\n".join(sites)}) if may_change else None),
        "snippet": embedding_snippet(address, str(survey)) if sites else "",
        "is_fold_open": form is not None,
        "panel_links": [(panel, f"{address}#panel={variable}") for panel, variable in PANEL_VARIABLES]
        if takes_panel
        else [],
    }


def embedding_snippet(address: str, title: str) -> str:
    """Returns the HTML that embeds the survey in a page of another site.

    The height is fixed: a height that changed with the questions would reveal to the surrounding page which ones were
    asked.
    """
    # A text to copy, which the page escapes once more: so no SafeString.
    return (
        f'<iframe src="{escape(address)}" title="{escape(title)}" width="100%" height="800" loading="lazy" allow=""'
        f' sandbox="{SANDBOX}" referrerpolicy="no-referrer"></iframe>'
    )
