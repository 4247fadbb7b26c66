"""HTTP responses of the builder: a whole page, a fragment for htmx, or JSON for autosave."""

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

from accounts.permission import PersonRequest, get_permitted
from builder.editing.save_edit import EditConflict, PartNotSaved
from builder.editing.undo import sign_undo_data
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.questionnaire import CommandResult

View = Callable[[PersonRequest, Survey], HttpResponse]


class SurveyView(Protocol):
    """Type of a view whose URL has the survey's id."""

    def __call__(self, request: PersonRequest, /, pk: int) -> HttpResponse: ...


def wants_json(request: PersonRequest) -> bool:
    """True if the request comes from autosave, which expects JSON."""
    return request.headers.get("Accept") == "application/json"


def wants_fragment(request: PersonRequest) -> bool:
    """True if the request comes from htmx, which replaces a part of the page."""
    return request.headers.get("HX-Request") == "true" and not wants_json(request)


def editable_draft_view(view: View) -> SurveyView:
    """Decorator: loads the survey for people who may edit it while it is a draft, and turns a NotAllowed into
    a response with its reason."""

    @wraps(view)
    def guarded_view(request: PersonRequest, /, pk: int) -> HttpResponse:
        survey = get_permitted(Survey.objects, request.user, pk, "edit")
        if survey.state != Survey.State.DRAFT:
            words = _("This survey is no longer a draft, so what it asks stays. Duplicate it to change it.")
            return refusal_response(request, survey, words)
        try:
            return view(request, survey)
        except NotAllowed as reason:
            return refusal_response(request, survey, str(reason))

    return guarded_view


def refusal_response(request: PersonRequest, survey: Survey, words: str, back: str = "") -> HttpResponse:
    """Returns the response that says why nothing was changed and keeps the input; without a script, a
    redirect to `back`."""
    if wants_json(request):
        return JsonResponse({"said": words}, status=422)
    if wants_fragment(request):
        response = HttpResponse(_render_toast(request, survey, {"words": words, "error": True}))
        response["HX-Reswap"] = "none"
        return response
    messages.error(request, words)
    if survey.state != Survey.State.DRAFT:
        return redirect(survey)
    return redirect(back) if back else redirect("builder:edit", survey.pk)


def command_response(
    request: PersonRequest, survey: Survey, response: HttpResponse, result: CommandResult, back: str = ""
) -> HttpResponse:
    """Adds to the response of a command its message, the element to focus, and an undo button if the change can be
    undone.

    `back` is the address to return to after undo, if not the questionnaire.
    """
    removed = sign_undo_data(survey.pk, result.removed) if result.removed else ""
    toast = {"words": result.message, "removed": removed, "next": back}
    if wants_fragment(request):
        if removed:
            response.write(_render_toast(request, survey, toast))
        event = {"said": "" if removed else result.message, "focus": result.focus, "key": result.key}
        response["HX-Trigger-After-Settle"] = json.dumps({"builder:done": event})
    elif removed:
        request.session[_undo_session_key(survey)] = toast
    else:
        messages.success(request, result.message)
    return response


def pop_stored_undo(request: PersonRequest, survey: Survey) -> dict[str, str] | None:
    """Returns and deletes the undo data that a command without a script stored in the session for the next page."""
    undo: dict[str, str] | None = request.session.pop(_undo_session_key(survey), None)
    return undo


def _undo_session_key(survey: Survey) -> str:
    return f"builder-undo-{survey.pk}"


def _render_toast(request: PersonRequest, survey: Survey, toast: dict[str, Any]) -> str:
    context = {"survey": survey, "toast": toast}
    return render_to_string("builder/toast.html", context, request=request)


def not_saved_response(
    request: PersonRequest,
    reason: PartNotSaved,
    name: str,
    stored_url: str,
    render_page: Callable[..., HttpResponse],
) -> HttpResponse:
    """Returns the response to a form that could not be saved: the form again, in a conflict with the stored values
    beside it; for autosave the first error as JSON.

    `render_page(status=...)` renders the page. `name` is the part in conflict, `stored_url` the URL of the stored
    version.
    """
    form = reason.form
    if isinstance(reason, EditConflict):
        return render_page(status=409, conflict=name, theirs=conflicting_fields(form), again=stored_url)
    if not wants_json(request):
        return render_page(status=422)
    name, errors = next(iter(form.errors.items()))
    label, words = str(form.fields[name].label) if name in form.fields else "", str(errors[0])
    if label:
        words = _("%(label)s: %(error)s") % {"label": label, "error": words}
    return JsonResponse({"said": words}, status=422)


def conflicting_fields(form: Form) -> list[tuple[str, str]]:
    """Returns label and stored value of each field whose stored value differs from the submitted one."""
    fields = [(field, form.initial[field.name]) for field in form if field.name in form.initial]
    return [
        (str(field.label), _field_value_text(field, stored))
        for field, stored in fields
        if _comparable_value(stored) != _comparable_value(field.value())
    ]


def _comparable_value(value: Any) -> Any:
    """Normalises a stored value, or the text that a browser submits for it, so that the two compare equal."""
    if isinstance(value, (list, tuple)):
        return sorted(map(str, value))
    return "" if value in (None, False) else str(value).replace("\r\n", "\n")


def _field_value_text(field: BoundField, value: Any) -> str:
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    choices = dict(getattr(field.field, "choices", ()))
    if isinstance(value, list):
        return _(", ").join(str(choices.get(choice, choice)) for choice in value) or _("nothing")
    return str(choices.get(value, value)) if value not in (None, "") else _("nothing")
