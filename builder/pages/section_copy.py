"""The page that copies a section or a question of another survey to the end of this draft."""

import secrets

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from accounts.models import Person
from accounts.permission import PersonRequest
from builder.editing import save_edit
from builder.editing.http_responses import command_response, editable_draft_view, refusal_response
from builder.editing.questions_and_sections import copy_question, copy_section
from privacy.designs.labels import section_number
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import survey_creation
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import blocks_of_section, question_text_with_fallback
from surveys.questionnaire.questionnaire import CommandResult, Questionnaire, Sent
from surveys.signed_in_view import form_page

INDENT = "\u2003"
"""Indentation of a section's questions in the list."""
MOST_SURVEYS = 100
"""Highest number of surveys offered, the newest first; a longer list would be no help."""


class CopySectionForm(forms.Form):
    """Form that chooses a section by the ids of survey and section, such as 12:0, or a question in it, such as
    12:0:3."""

    section = forms.ChoiceField(label=gettext_lazy("Section or question"))
    sure = forms.BooleanField(
        label=gettext_lazy("I ask different people, or I accept the weaker protection"),
        required=False,
    )

    def __init__(self, survey: Survey, person: Person, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        others = Survey.objects.visible_to(person).exclude(pk=survey.pk).exclude(state="destroyed")
        self.surveys = {source.pk: source for source in others.select_related("design")[:MOST_SURVEYS]}
        groups = [(str(source), section_and_question_choices(source)) for source in self.surveys.values()]
        self.fields["section"].choices = [group for group in groups if group[1]]  # type: ignore[attr-defined]

    def clean(self) -> None:
        super().clean()
        if chosen := self.cleaned_data.get("section"):
            pk, number, *row = map(int, chosen.split(":"))
            survey = self.surveys[pk]
            self.source, self.number = read_questionnaire(survey.questionnaire), number
            self.row = row[0] if row else None
            # Whether its sensitive questions have been put to people already.
            self.asks_again = (
                survey_creation.would_copy_repeat_sensitive_questions(survey)
                and self.source.sections[self.number].sensitive
            )


def section_and_question_choices(survey: Survey) -> list[tuple[str, str]]:
    """Returns the form's choices for a survey: its sections that have questions, each followed by its questions."""
    draft, choices = read_questionnaire(survey.questionnaire), []
    for number, section in enumerate(draft.sections):
        rows = blocks_of_section(section)
        if rows:
            words = ngettext(
                "Section %(number)s, %(kind)s: “%(first)s”",
                "Section %(number)s, %(kind)s: “%(first)s” and %(more)s more",
                len(rows),
            )
            words %= {
                "number": section_number(number),
                "kind": _("disguised") if section.sensitive else _("sent as answered"),
                "first": question_text_with_fallback(rows[0], draft.first_language),
                "more": len(rows) - 1,
            }
            choices.append((f"{survey.pk}:{number}", words))
            if len(rows) > 1:
                choices += [
                    (
                        f"{survey.pk}:{number}:{row}",
                        INDENT + question_text_with_fallback(block, draft.first_language),
                    )
                    for row, block in enumerate(rows)
                ]
    return choices


@form_page
@editable_draft_view
def copy_section_from_survey(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Copies a section or a question; warns first if people have already been asked these questions."""
    form = CopySectionForm(survey, request.user, request.POST if request.method == "POST" else None)
    key = save_edit.idempotency_key(request)
    is_valid = form.is_valid()
    if not is_valid or (form.asks_again and not form.cleaned_data["sure"]):
        context = {
            "survey": survey,
            "form": form,
            "warned": is_valid,
            "idempotency_key": key or secrets.token_hex(16),
        }
        return render(request, "builder/copy.html", context)

    def copy_into_draft(draft: Questionnaire, _sent: Sent) -> CommandResult:
        if form.row is None:
            after, words = (
                copy_section(draft, form.source, form.number),
                _("The section is copied to the end."),
            )
        else:
            after = copy_question(draft, form.source, form.number, form.row)
            words = _("The question is copied to the end.")
        return CommandResult(after, words, focus=f"section-{len(after.sections) - 1}")

    try:
        _draft, result = save_edit.run_command(survey, request.user, copy_into_draft, {}, timezone.now(), key)
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), reverse("builder:edit-copy", args=[survey.pk]))
    address = f"{reverse('builder:edit', args=[survey.pk])}#{result.focus}"
    return command_response(request, survey, redirect(address), result)
