"""The questionnaire's page: everything on it works by posting forms, and scripts only spare the reloading."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest
from builder.edits import commands
from builder.pages.outline import QuestionnairePage
from builder.parts.form_errors import conflicting_fields, first_error
from builder.parts.parts import DraftPart, part_named, stored_answer
from builder.saving import repeats, saving
from builder.saving.responses import (
    command_response,
    editable,
    refusal_response,
    undo_key,
    wants_fragment,
    wants_json,
)
from builder.settings.missing import missing_in
from builder.settings.outcome import side_effects
from surveys.kinds.kind import QuestionProtection
from surveys.kinds.registry import KINDS, kind_of
from surveys.models import Survey
from surveys.not_allowed import NotAllowed
from surveys.pages import posting, reading
from surveys.questionnaire import wording
from surveys.questionnaire.blocks import find
from surveys.questionnaire.commands import Command, CommandResult, Sent
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire


@reading
@editable
def edit(request: PersonRequest, survey: Survey) -> HttpResponse:
    outline = outlined(saving.normalized_draft(survey), request.GET, request.GET.getlist("open"))
    return _page(request, survey, outline, undo=request.session.pop(undo_key(survey), None))


@posting
@editable
def save(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Save one part's form and close it; with a `do`, then run the command of the pressed button."""
    part, word = part_of(request.POST), request.POST.get("do", "")
    if word and repeats.is_done(survey, request.user, repeats.sent_key(request)):
        return _act_on_question(request, survey, word)
    try:
        base, before = request.POST.get("base", ""), saving.normalized_draft(survey)
        draft = saving.save(survey, request.user, part, base, request.POST, timezone.now())
    except saving.NotSaved as not_saved:
        return _not_saved(request, survey, part, not_saved)
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason))
    if word:
        return _act_on_question(request, survey, word)
    if wants_json(request):
        keys = set(wording.keys(before)) & set(wording.keys(draft))
        others = [part_named(key, language_in(request.POST)) for key in keys]
        return JsonResponse(stored_answer(part, before, draft, others))
    if wants_fragment(request):
        shown_keys = [key for key in request.POST.getlist("open") if key != request.POST.get("part")]
        page = _page(request, survey, outlined(draft, request.POST, shown_keys))
        return command_response(request, survey, page, CommandResult(draft, "", focus=f"{part.dom_id}-open"))
    messages.success(request, _("Saved."))
    return redirect(_address(survey, part.dom_id))


def _act_on_question(request: PersonRequest, survey: Survey, pressed: str) -> HttpResponse:
    word, _space, row = pressed.partition(" ")
    known = {
        **commands.OF_QUESTION,
        **{name: act for kind in KINDS.values() for name, act in kind.commands.items()},
    }
    return _act(request, survey, known, word, {**request.POST.dict(), "row": row})


@posting
@editable
def live_results(request: PersonRequest, survey: Survey) -> HttpResponse:
    """The picture and the errors of a number or a place for the values in its form. Nothing is stored."""
    draft, part = saving.normalized_draft(survey), part_of(request.POST)
    try:
        form = part.form(draft, request.POST)
        made = part.changed(draft, form.cleaned_data) if form.is_valid() else None
        results = results_of(made, request.POST) if made else None
    except NotAllowed:
        results = None
    if results is None:
        return HttpResponse(status=204)
    return render(request, "builder/number-results.html", {"results": results, "id": part.dom_id})


def results_of(draft: Questionnaire, sent: Mapping[str, Any]) -> QuestionProtection | None:
    position, _block = find(draft, str(sent.get("part", "")))
    section = draft.sections[position.section]
    protection = kind_of(section).protection(section, draft.respondents, PRIOR, language_in(sent))
    return protection if isinstance(protection, QuestionProtection) else None


@posting
@editable
def act(request: PersonRequest, survey: Survey) -> HttpResponse:
    known = {**commands.OF_QUESTIONNAIRE, "undo": commands.undo(survey.pk)}
    return _act(request, survey, known, request.POST.get("do", ""), request.POST.dict())


def _act(
    request: PersonRequest,
    survey: Survey,
    known: Mapping[str, Command],
    word: str,
    sent: Sent,
) -> HttpResponse:
    key = repeats.sent_key(request)
    try:
        command = commands.command_named(known, word)
        before = saving.normalized_draft(survey)
        draft, outcome = saving.act(survey, request.user, command, sent, timezone.now(), key)
    except NotAllowed as reason:
        return refusal_response(request, survey, str(reason))
    outcome = replace(outcome, said=" ".join([outcome.said, *side_effects(before, draft)]).strip())
    shown_keys = [*request.POST.getlist("open"), *([outcome.key] if outcome.shows_form else [])]
    outline = outlined(draft, request.POST, shown_keys)
    if wants_fragment(request):
        return command_response(request, survey, _page(request, survey, outline), outcome)
    query = {"in": outline.language} if outline.translated else {}
    query |= {"open": outcome.key} if outcome.shows_form else {}
    back = _address(survey, outcome.focus, **query)
    if (page := request.POST.get("back")) in ("protection", "appearance"):
        back = reverse(f"builder:{page}", args=[survey.pk])
    return command_response(request, survey, redirect(back), outcome)


def _address(survey: Survey, fragment: str, **query: str) -> str:
    words = QueryDict(mutable=True)
    words.update(query)
    return f"{reverse('builder:edit', args=[survey.pk])}{'?' if query else ''}{words.urlencode()}#{fragment}"


def _not_saved(
    request: PersonRequest, survey: Survey, part: DraftPart, not_saved: saving.NotSaved
) -> HttpResponse:
    """Show the form with what was sent. In a conflict the later person sees both versions and decides."""
    conflict = isinstance(not_saved, saving.Conflict)
    if wants_json(request) and not conflict:
        return JsonResponse({"said": first_error(not_saved.form)}, status=422)
    key = request.POST.get("part", "")
    outline = outlined(not_saved.draft, request.POST, request.POST.getlist("open"))
    outline.sent[key] = not_saved.form
    again = _address(survey, part.dom_id, **{"open": key, "in": outline.language})
    more = {"conflict": key, "theirs": conflicting_fields(not_saved.form), "again": again} if conflict else {}
    return _page(request, survey, outline, status=409 if conflict else 422, **more)


def _page(
    request: PersonRequest, survey: Survey, outline: QuestionnairePage, status: int = 200, **more: Any
) -> HttpResponse:
    whole = not (wants_fragment(request) or wants_json(request))
    context = {"survey": survey, "outline": outline, "here": "questions", "lacking": outline.lacking, **more}
    template = "builder/edit.html" if whole else "builder/outline.html"
    return render(request, template, context, status=status)


def part_of(sent: Mapping[str, Any]) -> DraftPart:
    return part_named(str(sent.get("part", "")), language_in(sent))


def language_in(sent: Mapping[str, Any]) -> str:
    return str(sent.get("in", ""))


def outlined(draft: Questionnaire, sent: Mapping[str, Any], shown_keys: list[str]) -> QuestionnairePage:
    language = language_in(sent)
    shown_language = language if language in draft.languages else draft.first_language
    return QuestionnairePage(draft, shown_language, shown_keys, missing_in(draft), {})
