"""The builder's responses: a whole page, a fragment for htmx, or JSON for autosave."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol

from django.contrib import messages
from django.forms import BoundField, Form
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest, guard
from builder.editing.undo import packed
from surveys.models import Survey
from surveys.questionnaire.commands import CommandResult

View = Callable[[PersonRequest, Survey], HttpResponse]


class OfSurvey(Protocol):
    """A view with the survey's id in its address."""

    def __call__(self, request: PersonRequest, /, pk: int) -> HttpResponse: ...


def wants_json(request: PersonRequest) -> bool:
    """Whether autosave asks."""
    return request.headers.get("Accept") == "application/json"


def wants_fragment(request: PersonRequest) -> bool:
    return request.headers.get("HX-Request") == "true" and not wants_json(request)


def editable(view: View) -> OfSurvey:
    """For people who may edit this survey, while it is a draft."""

    @wraps(view)
    def guarded(request: PersonRequest, /, pk: int) -> HttpResponse:
        survey = guard(Survey.objects, request.user, pk, "edit")
        if survey.state == Survey.State.DRAFT:
            return view(request, survey)
        words = _("This survey is no longer a draft, so what it asks stays. Duplicate it to change it.")
        return refusal_response(request, survey, words)

    return guarded


def refusal_response(request: PersonRequest, survey: Survey, words: str, back: str = "") -> HttpResponse:
    """Say why nothing was done. What a person has written stays in the page."""
    if wants_json(request):
        return JsonResponse({"said": words}, status=422)
    if wants_fragment(request):
        response = HttpResponse(_toast(request, survey, {"words": words, "error": True}))
        response["HX-Reswap"] = "none"
        return response
    messages.error(request, words)
    if survey.state != Survey.State.DRAFT:
        return redirect(survey)
    return redirect(back or "builder:edit", *([] if back else [survey.pk]))


def command_response(
    request: PersonRequest, survey: Survey, response: HttpResponse, outcome: CommandResult, back: str = ""
) -> HttpResponse:
    """The response to a command: it says what was done, moves the focus and offers undo for a deletion.

    `back` names the page that taking it back leads to, where that is not the questionnaire.
    """
    removed = packed(survey.pk, outcome.removed) if outcome.removed else ""
    toast = {"words": outcome.said, "removed": removed, "back": back}
    if not wants_fragment(request):
        if removed:
            request.session[undo_key(survey)] = toast
        else:
            messages.success(request, outcome.said)
        return response
    if removed:
        response.write(_toast(request, survey, toast))
    said = "" if removed else outcome.said
    done = {"said": said, "focus": outcome.focus, "key": outcome.key}
    response["HX-Trigger-After-Settle"] = json.dumps({"builder:done": done})
    return response


def undo_key(survey: Survey) -> str:
    return f"builder-undo-{survey.pk}"


def _toast(request: PersonRequest, survey: Survey, toast: dict[str, Any]) -> str:
    context = {"survey": survey, "toast": toast}
    return render_to_string("builder/toast.html", context, request=request)


def first_error(form: Form) -> str:
    for name, errors in form.errors.items():
        label = str(form.fields[name].label) if name in form.fields else ""
        return _("%(label)s: %(error)s") % {"label": label, "error": errors[0]} if label else str(errors[0])
    return ""


def conflicting_fields(form: Form) -> list[tuple[str, str]]:
    """The label and the stored value of each field where that is not what was sent."""
    fields = [field for field in form if field.name in form.initial]
    return [
        (str(field.label), _shown(field, form.initial[field.name]))
        for field in fields
        if _plain(form.initial[field.name]) != _plain(field.value())
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return sorted(map(str, value))
    return "" if value in (None, False) else str(value).replace("\r\n", "\n")


def _shown(field: BoundField, value: Any) -> str:
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    choices = dict(getattr(field.field, "choices", ()))
    if isinstance(value, list):
        return _(", ").join(str(choices.get(each, each)) for each in value) or _("nothing")
    return str(choices.get(value, value)) if value not in (None, "") else _("nothing")
