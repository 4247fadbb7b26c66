"""The page of a draft's quotas: limits on the number of people with one or two certain plain answers."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django import forms
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
from mining.disclosure.noisy_full_quota_decision import QUOTA_NOISE
from privacy.designs import Design
from privacy.designs.quotas import (
    LEAST_LIMIT,
    MOST_LIMIT,
    MOST_QUOTAS,
    MOST_SETS,
    SAME_ANSWERS,
    earlier_quota_problem,
    question_sets,
)
from privacy.grammar.json_node import read_json
from surveys.models import Survey
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.hypotheses import plans_share_under_quotas
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import undo_data_for_draft
from surveys.questionnaire.questionnaire import CommandResult, DraftQuota, Questionnaire, Sent
from surveys.questionnaire.quotas import (
    choice_in_words,
    countable_questions,
    question_in_words,
    question_obstacle,
    quota_in_words,
    quota_obstacle,
)
from surveys.signed_in_view import posting, reading

HERE = "quotas"


class QuotaForm(forms.Form):
    """Form for a new quota. The value of an answer is [question, choice] as JSON."""

    first = forms.ChoiceField(label=gettext_lazy("Answer"))
    second = forms.ChoiceField(
        label=gettext_lazy("And answer"),
        help_text=gettext_lazy("To count only people who give both answers."),
        required=False,
    )
    limit = forms.IntegerField(
        label=gettext_lazy("People wanted"),
        help_text=gettext_lazy("At least 30."),
        min_value=LEAST_LIMIT,
        max_value=MOST_LIMIT,
    )

    def __init__(self, draft: Questionnaire, data: Any = None) -> None:
        super().__init__(data, auto_id="quota-%s")
        self.draft = draft
        groups = [answer_optgroup(draft, question) for question in countable_questions(draft)]
        self.fields["first"].choices = [("", _("Choose an answer")), *groups]  # type: ignore[attr-defined]
        self.fields["second"].choices = [("", _("No second answer")), *groups]  # type: ignore[attr-defined]
        reason = _("This question has changed since. Choose an answer of those that are offered now.")
        for name in ("first", "second"):
            self.fields[name].error_messages["invalid_choice"] = self._question_obstacle(name) or reason

    def _question_obstacle(self, name: str) -> str:
        """Returns the reason why no quota can count answers of the chosen question; empty if one can."""
        try:
            question, _choice = read_json(self.data.get(name, ""), name).items()
        except ValueError:
            return ""
        obstacle = question_obstacle(self.draft, str(question.value))
        return f"{obstacle}." if obstacle else ""

    def clean(self) -> None:
        given = [
            json.loads(self.cleaned_data[name]) for name in ("first", "second") if self.cleaned_data.get(name)
        ]
        if len({question.casefold() for question, _choice in given}) < len(given):
            self.add_error(
                "second", _("This is an answer to the same question. Choose one to another question.")
            )
        elif not self.errors:
            try:
                add_quota(self.draft, self.quota)
            except NotAllowed as refusal:
                self.add_error("first", str(refusal))

    @property
    def quota(self) -> DraftQuota:
        answers = (self.cleaned_data["first"], self.cleaned_data["second"])
        return DraftQuota(
            dict(json.loads(answer) for answer in answers if answer), self.cleaned_data["limit"]
        )


def answer_optgroup(draft: Questionnaire, question: DraftQuestion) -> tuple[str, list[tuple[str, str]]]:
    """Returns the text of a question with its answers as form choices; an option of a multiple-answer question has one
    answer, that it was chosen."""
    return question_in_words(draft, question), [
        (json.dumps([question.name, choice.name]), choice_in_words(draft, choice))
        for choice in (question.choices[1:] if question.is_option else question.choices)
    ]


class QuotaRow:
    """A quota in the page's list; `obstacle`: the reason why the survey cannot open with it."""

    def __init__(self, draft: Questionnaire, index: int) -> None:
        quota = draft.quotas[index]
        self.answers, self.limit = quota_in_words(draft, quota), quota.limit
        self.key = quota_key(quota)
        self.obstacle = quota_obstacle(draft, quota, draft.quotas[:index])


@reading
@editable_draft_view
def show_quotas(request: PersonRequest, survey: Survey) -> HttpResponse:
    return _render_quotas_page(request, survey, undo=pop_stored_undo(request, survey))


def _render_quotas_page(
    request: PersonRequest,
    survey: Survey,
    *,
    form: QuotaForm | None = None,
    undo: object = None,
    status: int = 200,
) -> HttpResponse:
    draft, design = save_edit.load_questionnaire(survey), survey_design_or_problem(survey)
    sets = question_sets(quota.answers for quota in draft.quotas)
    context = {
        "survey": survey,
        "here": HERE,
        "lacking": opening_problems_sentence(draft),
        "undo": undo,
        "rows": [QuotaRow(draft, index) for index in range(len(draft.quotas))],
        "form": form or QuotaForm(draft),
        "may_add": bool(countable_questions(draft)) and len(draft.quotas) < MOST_QUOTAS,
        "is_full_of_quotas": len(draft.quotas) >= MOST_QUOTAS,
        "least": LEAST_LIMIT,
        "margin": QUOTA_NOISE[min(max(len(sets), 1), MOST_SETS)].margin,
        "is_open_link": not survey.invited,
        "plans_share": survey.may(request.user, "hypotheses") and plans_share_under_quotas(draft),
        "previews_end": isinstance(design, Design) and bool(design.quotas),
    }
    response = render(request, "builder/quotas.html", context, status=status)
    response["Content-Security-Policy"] = FRAMING
    return response


@posting
@editable_draft_view
def change_quotas(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Adds, changes or removes a quota."""
    commands = {"change": change_quota_limit, "remove": remove_quota}
    do = request.POST.get("do", "")
    if do == "add":
        form = QuotaForm(save_edit.load_questionnaire(survey), request.POST)
        if not form.is_valid():
            return _render_quotas_page(request, survey, form=form, status=422)
        return _run_quota_command(request, survey, lambda draft, _sent: add_quota(draft, form.quota))
    if do in commands:
        return _run_quota_command(request, survey, commands[do])
    reason = _("That could not be understood. Reload the page and try again.")
    return refusal_response(request, survey, reason, reverse(f"builder:{HERE}", args=[survey.pk]))


def _run_quota_command(
    request: PersonRequest, survey: Survey, command: Callable[[Questionnaire, Sent], CommandResult]
) -> HttpResponse:
    address = reverse(f"builder:{HERE}", args=[survey.pk])
    try:
        _draft, result = save_edit.run_command(
            survey, request.user, command, request.POST.dict(), timezone.now()
        )
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason), address)
    return command_response(request, survey, redirect(address), result, back=address)


# --- the commands


def add_quota(draft: Questionnaire, quota: DraftQuota) -> CommandResult:
    if len(draft.quotas) >= MOST_QUOTAS:
        raise NotAllowed(_("A survey has at most %(most)s quotas.") % {"most": MOST_QUOTAS})
    clash = earlier_quota_problem(quota.answers, [earlier.answers for earlier in draft.quotas])
    if clash == SAME_ANSWERS:
        raise NotAllowed(_("There is a quota of these answers already. Change its number above."))
    if clash:
        raise NotAllowed(_("%(place)s: %(reason)s") % {"place": _("Quotas"), "reason": _(clash)})
    return CommandResult(replace(draft, quotas=(*draft.quotas, quota)), _("The quota is added."))


def change_quota_limit(draft: Questionnaire, sent: Sent) -> CommandResult:
    row = _row_of_quota(draft, sent)
    try:
        limit = QuotaForm.base_fields["limit"].clean(sent.get("limit", ""))
    except forms.ValidationError as error:
        raise NotAllowed(" ".join(error.messages)) from None
    changed = replace(draft.quotas[row], limit=limit)
    quotas = (*draft.quotas[:row], changed, *draft.quotas[row + 1 :])
    return CommandResult(replace(draft, quotas=quotas), _("The quota is changed."))


def remove_quota(draft: Questionnaire, sent: Sent) -> CommandResult:
    row = _row_of_quota(draft, sent)
    after = replace(draft, quotas=(*draft.quotas[:row], *draft.quotas[row + 1 :]))
    return CommandResult(after, _("The quota is removed."), removed=undo_data_for_draft(draft, after))


def _row_of_quota(draft: Questionnaire, sent: Sent) -> int:
    rows = [row for row, quota in enumerate(draft.quotas) if quota_key(quota) == sent.get("answers")]
    if not rows:
        raise NotAllowed(_("This quota is not there any more."))
    return rows[0]


def quota_key(quota: DraftQuota) -> str:
    """Returns the quota's answers as one text, which identifies the quota on the page even if its row has moved."""
    return json.dumps(dict(quota.answers), sort_keys=True)
