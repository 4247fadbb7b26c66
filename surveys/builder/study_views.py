"""The page of a study: a share asked directly, and earlier surveys. Every part is a form of its own."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from people.permission import PersonRequest
from surveys.builder import saving
from surveys.builder.direct_part import DirectPart
from surveys.builder.follows_part import FollowsPart, repetition
from surveys.builder.missing import missing_in, missing_text
from surveys.builder.parts import DraftPart, base_of
from surveys.builder.protection import expected
from surveys.builder.responses import editable, refusal_response
from surveys.draft import Draft
from surveys.models import Survey
from surveys.pages import posting, reading
from surveys.refused import Refused

PARTS: Mapping[str, Callable[[], DraftPart]] = {"direct": DirectPart, "follows": FollowsPart}


@reading
@editable
def study(request: PersonRequest, survey: Survey) -> HttpResponse:
    return _page(request, survey, saving.normalized_draft(survey))


@posting
@editable
def save_study(request: PersonRequest, survey: Survey) -> HttpResponse:
    """Save one part."""
    make = PARTS.get(request.POST.get("part", ""))
    if make is None:
        return refusal_response(
            request, survey, _("That could not be understood. Reload the page and try again.")
        )
    part = make()
    try:
        saving.save(survey, request.user, part, request.POST.get("base", ""), request.POST, timezone.now())
    except saving.Conflict as conflict:
        messages.error(request, _("Somebody else has changed this meanwhile. Look at it, then save again."))
        return _page(request, survey, conflict.draft, status=409)
    except saving.NotSaved as not_saved:
        return _page(request, survey, not_saved.draft, {part.dom_id: not_saved.form}, status=422)
    except Refused as reason:
        return refusal_response(request, survey, str(reason))
    messages.success(request, _("Saved."))
    return redirect(f"{reverse('surveys:study', args=[survey.pk])}#{part.dom_id}")


def _page(
    request: PersonRequest,
    survey: Survey,
    draft: Draft,
    sent: Mapping[str, Form] | None = None,
    status: int = 200,
) -> HttpResponse:
    parts = {key: make() for key, make in PARTS.items()}
    context: dict[str, Any] = {
        "survey": survey,
        "here": "study",
        "lacking": missing_text(missing_in(draft)),
        "respondents": expected(draft),
        "repetition": repetition(draft),
        "forms": {key: part.form(draft) for key, part in parts.items()} | dict(sent or {}),
        "bases": {key: base_of(part, draft) for key, part in parts.items()},
    }
    return render(request, "surveys/builder/study.html", context, status=status)
