"""Taking over a section of another survey."""

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from accounts.models import Person
from accounts.permission import PersonRequest
from builder.editing import saving
from builder.editing.arranging import copy_in
from builder.editing.responses import command_response, editable, refusal_response
from privacy.designs.labels import section_number
from surveys.kinds.reading import read_questionnaire
from surveys.lifecycle import create
from surveys.models import Survey
from surveys.not_allowed import NotAllowed
from surveys.pages import form_page
from surveys.questionnaire.blocks import blocks, question_text
from surveys.questionnaire.commands import CommandResult, Sent
from surveys.questionnaire.questionnaire import Questionnaire

MOST_SURVEYS = 100
"""The newest are offered; a longer list would be no help."""


class CopySectionForm(forms.Form):
    section = forms.ChoiceField(label=gettext_lazy("Section"))
    sure = forms.BooleanField(
        label=gettext_lazy("I ask different people, or I accept the weaker protection"),
        required=False,
    )

    def __init__(self, survey: Survey, person: Person, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        others = Survey.objects.visible_to(person).exclude(pk=survey.pk).exclude(state="destroyed")
        self.surveys = {other.pk: other for other in others.select_related("design")[:MOST_SURVEYS]}
        groups = [(str(other), sections_of(other)) for other in self.surveys.values()]
        self.fields["section"].choices = [group for group in groups if group[1]]  # type: ignore[attr-defined]

    @property
    def source(self) -> tuple[Survey, int]:
        pk, _colon, number = self.cleaned_data["section"].partition(":")
        return self.surveys[int(pk)], int(number)

    @property
    def asks_again(self) -> bool:
        """Whether its sensitive questions have been put to people already."""
        survey, number = self.source
        sections = read_questionnaire(survey.questionnaire).sections
        return create.asks_again(survey) and sections[number].sensitive


def sections_of(survey: Survey) -> list[tuple[str, str]]:
    draft = read_questionnaire(survey.questionnaire)
    choices = []
    for number, section in enumerate(draft.sections):
        found_blocks = blocks(section)
        if found_blocks:
            kind = _("disguised") if section.sensitive else _("sent as answered")
            words = ngettext(
                "Section %(number)s, %(kind)s: “%(first)s”",
                "Section %(number)s, %(kind)s: “%(first)s” and %(more)s more",
                len(found_blocks),
            )
            first = question_text(found_blocks[0], draft.first_language)
            more = {
                "number": section_number(number),
                "kind": kind,
                "first": first,
                "more": len(found_blocks) - 1,
            }
            choices.append((f"{survey.pk}:{number}", words % more))
    return choices


@form_page
@editable
def copy(request: PersonRequest, survey: Survey) -> HttpResponse:
    form = CopySectionForm(survey, request.user, request.POST if request.method == "POST" else None)
    warned = False
    if request.method == "POST" and form.is_valid():
        if not form.asks_again or form.cleaned_data["sure"]:
            return _copied(request, survey, form)
        warned = True
    key = saving.sent_key(request) or saving.new_key()
    context = {"survey": survey, "form": form, "warned": warned, "idempotency_key": key}
    return render(request, "builder/copy.html", context)


def _copied(request: PersonRequest, survey: Survey, form: CopySectionForm) -> HttpResponse:
    other, number = form.source

    def act(draft: Questionnaire, _sent: Sent) -> CommandResult:
        after = copy_in(draft, read_questionnaire(other.questionnaire), number)
        return CommandResult(
            after, _("The section is copied to the end."), focus=f"section-{len(after.sections) - 1}"
        )

    try:
        key = saving.sent_key(request)
        _draft, outcome = saving.act(survey, request.user, act, {}, timezone.now(), key)
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), reverse("builder:edit-copy", args=[survey.pk]))
    return command_response(
        request, survey, redirect(f"{reverse('builder:edit', args=[survey.pk])}#{outcome.focus}"), outcome
    )
