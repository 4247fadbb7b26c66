"""Endpoints for surveys: list, create, open, close, and count their answers."""

from dataclasses import replace
from typing import Literal, cast

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import get_language, gettext as _
from ninja import Router, Status

from accounts.models import History
from accounts.permission import get_permitted
from api.endpoints.drafts import creation_response, parse_draft
from api.endpoints.operation_base import (
    JSON,
    ListPage,
    PageNumber,
    Since,
    Text,
    TokenRequest,
    body_schema,
    existing_surveys,
    list_page,
    operation_options,
    start_of_day,
)
from api.models import Scope
from api.schemas import Counts, Saved, SurveyList, SurveyOut, SurveyState
from builder.editing import save_edit
from importing.import_views import create_imported_survey
from surveys import draft_json
from surveys.forms import ALL, SurveyListFilterForm
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import (
    asked_at,
    opening,
    record_counts as survey_counts,
    state_changes,
    survey_creation as creation,
)
from surveys.models import Survey
from surveys.questionnaire import hypotheses
from surveys.questionnaire.problems_and_refusals import NotAllowed

router = Router(tags=["Surveys"])
CREATED = ("surveys.created", "surveys.imported")
"""Actions in the history with which a survey begins."""


def survey_schema(survey: Survey) -> SurveyOut:
    return SurveyOut(
        id=survey.pk,
        title=survey.title_with_fallback(get_language()),
        state=cast("SurveyState", survey.state),
        paused=survey.is_paused,
        rehearsal=survey.is_rehearsal,
        invited=survey.invited,
        languages=list(survey.languages),
        address=asked_at.respondents_address(survey) if survey.design_id else None,
        closes=survey.closes,
        closed_at=survey.closed_at and timezone.localdate(survey.closed_at),
        destroy_on=survey.destroy_on or draft_json.read_retention_date(survey.draft),
    )


@router.get("/surveys", **operation_options(Scope.READ_SURVEYS, SurveyList))
def list_surveys(
    request: TokenRequest,
    page: PageNumber = 1,
    state: SurveyState | None = None,
    kind: Literal["survey", "rehearsal"] | None = None,
    text: Text = "",
    since: Since = None,
) -> ListPage:
    """The surveys that you may see, the newest first. `since`: only those created on this day or later."""
    rows = SurveyListFilterForm({"state": state or ALL, "search": text}).filter_surveys(
        existing_surveys().visible_to(request.auth.person)
    )
    if kind:
        # Not `exclude(draft__rehearsal=True)`, which leaves out drafts without the key too.
        rehearsals = Q(pk__in=Survey.objects.filter(draft__rehearsal=True).values("pk"))
        rows = rows.filter(rehearsals if kind == "rehearsal" else ~rehearsals)
    if since:
        created = History.objects.filter(
            thing_app="surveys", thing_model="survey", what__in=CREATED, when__gte=start_of_day(since)
        )
        rows = rows.filter(pk__in=[int(key) for key in created.values_list("thing_id", flat=True)])
    return list_page(request, rows, page, survey_schema)


@router.post(
    "/surveys",
    **operation_options(
        Scope.WRITE_SURVEYS, Saved, 409, status=201, body_media_type=JSON, requestBody=body_schema("Draft")
    ),
)
def create_survey(request: TokenRequest, response: HttpResponse) -> Status[Saved]:
    """Create a survey of yours from a draft. If its date of deletion is in the past, it is put off by a year."""
    if not creation.may_create_surveys(request.auth.person):
        raise PermissionDenied
    draft, now = parse_draft(request), timezone.now()
    with transaction.atomic():
        survey = create_imported_survey(request.auth.person, read_questionnaire(draft), now)
        if plan := draft.get(hypotheses.KEY):
            save_edit.apply_edit(survey, request.auth.person, lambda stored: replace(stored, plan=plan), now)
    return Status(201, creation_response(survey, response))


@router.delete("/surveys/{int:pk}", **operation_options(Scope.WRITE_SURVEYS, None, 409, status=204))
def delete_draft(request: TokenRequest, pk: int) -> Status[None]:
    """Delete a draft of yours. A survey that was opened can be deleted only on its page."""
    survey = get_permitted(existing_surveys(), request.auth.person, pk, "destroy")
    with transaction.atomic():
        if Survey.objects.get_locked(pk).state != Survey.State.DRAFT:
            raise NotAllowed(_("Only drafts are deleted by a program. Delete this survey on its page."))
        state_changes.destroy_survey(survey, request.auth.person, timezone.now())
    return Status(204, None)


@router.get("/surveys/{int:pk}", url_name="survey", **operation_options(Scope.READ_SURVEYS, SurveyOut))
def read_survey(request: TokenRequest, pk: int) -> SurveyOut:
    """One survey: its title, state, languages, address and dates."""
    return survey_schema(get_permitted(existing_surveys(), request.auth.person, pk))


@router.get("/surveys/{int:pk}/counts", **operation_options(Scope.READ_SURVEYS, Counts))
def read_counts(request: TokenRequest, pk: int) -> Counts:
    """How many answers a survey has, as its page shows it: those that wait for sealing are counted in steps."""
    shown = survey_counts.shown_counts_of_survey(get_permitted(existing_surveys(), request.auth.person, pk))
    return Counts(
        sealed=shown.sealed,
        least=shown.least,
        waiting_at_least=shown.waiting_at_least,
        waiting_at_most=shown.waiting_at_most,
        received_at_least=shown.received_at_least,
    )


@router.post("/surveys/{int:pk}/open", url_name="open", **operation_options(Scope.OPEN, SurveyOut, 409))
def open_survey(request: TokenRequest, pk: int) -> SurveyOut:
    """Open a draft now. Its questions never change again. If something is missing, 409 names all of it."""
    survey = get_permitted(existing_surveys(), request.auth.person, pk, "open")
    opening.open_survey_now(survey, request.auth.person, timezone.now())
    return survey_schema(survey)


@router.post("/surveys/{int:pk}/close", url_name="close", **operation_options(Scope.OPEN, SurveyOut, 409))
def close_survey(request: TokenRequest, pk: int) -> SurveyOut:
    """Close an open survey: nobody can answer it, and the waiting answers are sealed if there are enough."""
    survey = get_permitted(existing_surveys(), request.auth.person, pk, "close")
    state_changes.close_survey(survey, request.auth.person, timezone.now())
    return survey_schema(survey)
