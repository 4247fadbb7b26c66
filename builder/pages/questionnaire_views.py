"""Views of the page that edits a questionnaire.

The page works by posting forms; scripts only avoid reloading.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest, safe_next_path
from builder.editing import commands, save_edit
from builder.editing.http_responses import (
    command_response,
    editable_draft_view,
    not_saved_response,
    pop_stored_undo,
    wants_fragment,
    wants_json,
)
from builder.editing.separately_saved_parts import (
    DraftPart,
    autosave_response_json,
    part_digest,
    part_from_key,
)
from builder.pages.questionnaire_page import QuestionnairePage
from builder.protection.summary import all_opening_problems, weakening_warnings
from surveys.kinds.kind_interface import QuestionProtection
from surveys.kinds.registry import KINDS, get_kind
from surveys.models import Survey
from surveys.questionnaire import translatable_texts
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.question_block_editing import find_block
from surveys.questionnaire.questionnaire import Command, CommandResult, Questionnaire, Sent
from surveys.signed_in_view import posting, reading
from ui.sentence_joining import join_sentences


@reading
@editable_draft_view
def show_questionnaire_editor(request: PersonRequest, survey: Survey) -> HttpResponse:
    outline = _build_page(save_edit.load_questionnaire(survey), request.GET, request.GET.getlist("open"))
    return _render_page(request, survey, outline, undo=pop_stored_undo(request, survey))


@posting
@editable_draft_view
def save_question_or_part(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Saves the form of a question, or of another part of the draft, and closes it; then runs the command of the
    pressed button, if the field `do` names one."""
    key, language = request.POST.get("part", ""), request.POST.get("in", "")
    part, pressed = part_from_key(key, language), request.POST.get("do", "")
    if pressed and save_edit.is_repeated_command(survey, request.user, save_edit.idempotency_key(request)):
        return _run_question_command(request, survey, pressed, part)
    open_keys = request.POST.getlist("open")
    try:
        base, before = request.POST.get("base", ""), save_edit.load_questionnaire(survey)
        draft = save_edit.save_part(survey, request.user, part, base, request.POST, timezone.now())
    except save_edit.PartNotSaved as reason:
        outline = _build_page(reason.draft, request.POST, open_keys, {key: reason.form})
        again = _page_url(survey, part.dom_id, **{"open": key, "in": outline.language})
        return not_saved_response(
            request, reason, key, again, partial(_render_page, request, survey, outline)
        )
    if pressed:
        return _run_question_command(request, survey, pressed, part, part_digest(part, draft))
    if wants_json(request):
        keys = set(translatable_texts.keys_of_parts_with_texts(before)) & set(
            translatable_texts.keys_of_parts_with_texts(draft)
        )
        others = [part_from_key(part_key, language) for part_key in keys]
        return JsonResponse(autosave_response_json(part, before, draft, others))
    if wants_fragment(request):
        outline = _build_page(draft, request.POST, [open_key for open_key in open_keys if open_key != key])
        result = CommandResult(draft, "", focus=f"{part.dom_id}-open")
        return command_response(request, survey, _render_page(request, survey, outline), result)
    messages.success(request, _("Saved."))
    return redirect(_page_url(survey, part.dom_id))


def _run_question_command(
    request: PersonRequest, survey: Survey, pressed: str, part: DraftPart, saved: str | None = None
) -> HttpResponse:
    """Runs the command of a button in a question's form; `saved` is the digest of the part that was saved with it."""
    word, _space, row = pressed.partition(" ")
    own = {name: command for kind in KINDS.values() for name, command in kind.commands.items()}
    command = commands.find_command({**commands.QUESTION_COMMANDS, **own}, word)

    def run_unless_changed(draft: Questionnaire, sent: Sent) -> CommandResult:
        if part_digest(part, draft) != saved:
            raise NotAllowed(_("Someone else has changed this question. Check it, then repeat what you did."))
        return command(draft, sent)

    return _run_command_and_respond(request, survey, run_unless_changed, {**request.POST.dict(), "row": row})


@posting
@editable_draft_view
def run_questionnaire_command(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Runs the command of a button outside of the questions' forms."""
    available = {**commands.QUESTIONNAIRE_COMMANDS, "undo": commands.undo_command(survey.pk)}
    command = commands.find_command(available, request.POST.get("do", ""))
    return _run_command_and_respond(request, survey, command, request.POST.dict())


def _run_command_and_respond(
    request: PersonRequest, survey: Survey, command: Command, sent: Sent
) -> HttpResponse:
    before = save_edit.load_questionnaire(survey)
    key = save_edit.idempotency_key(request)
    draft, result = save_edit.run_command(survey, request.user, command, sent, timezone.now(), key)
    result = replace(result, message=join_sentences([result.message, *weakening_warnings(before, draft)]))
    form_keys = [result.key] if result.shows_form else []
    if wants_fragment(request):
        outline = _build_page(draft, request.POST, [*request.POST.getlist("open"), *form_keys])
        return command_response(request, survey, _render_page(request, survey, outline), result)
    language = _chosen_language(draft, request.POST)
    query = {"in": language} if language != draft.first_language else {}
    query |= {"open": result.key} if result.shows_form else {}
    back = safe_next_path(request, _page_url(survey, result.focus, **query))
    return command_response(request, survey, redirect(back), result)


@posting
@editable_draft_view
def preview_unsaved_results(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Renders picture and errors of a number or a place for unsaved values of its form, without storing them."""
    key, language = request.POST.get("part", ""), request.POST.get("in", "")
    draft, part, results = save_edit.load_questionnaire(survey), part_from_key(key, language), None
    try:
        form = part.build_form(draft, request.POST)
        if form.is_valid():
            after = part.apply_cleaned(draft, form.cleaned_data)
            section = after.sections[find_block(after, key)[0].section]
            protection = get_kind(section).protection(section, after.disguised_respondents, PRIOR, language)
            results = protection if isinstance(protection, QuestionProtection) else None
    except NotAllowed:
        pass
    if results is None:
        return HttpResponse(status=204)
    return render(request, "builder/number-results.html", {"results": results, "id": part.dom_id})


def _build_page(
    draft: Questionnaire,
    sent: QueryDict,
    shown_keys: Collection[str],
    forms: Mapping[str, Form] | None = None,
) -> QuestionnairePage:
    """Returns the data of the questionnaire's page in the chosen language, with all that is missing before opening."""
    language = _chosen_language(draft, sent)
    return QuestionnairePage(draft, language, shown_keys, all_opening_problems(draft), forms)


def _chosen_language(draft: Questionnaire, sent: QueryDict) -> str:
    """Returns the requested language, else the draft's first language."""
    language = sent.get("in", "")
    return language if language in draft.languages else draft.first_language


def _render_page(
    request: PersonRequest, survey: Survey, outline: QuestionnairePage, status: int = 200, **more: Any
) -> HttpResponse:
    is_fragment = wants_fragment(request) or wants_json(request)
    context = {"survey": survey, "outline": outline, "here": "questions", "lacking": outline.lacking, **more}
    template = "builder/outline.html" if is_fragment else "builder/edit.html"
    return render(request, template, context, status=status)


def _page_url(survey: Survey, fragment: str, **query: str) -> str:
    words = QueryDict(mutable=True)
    words.update(query)
    question_mark = "?" if query else ""
    return f"{reverse('builder:edit', args=[survey.pk])}{question_mark}{words.urlencode()}#{fragment}"
