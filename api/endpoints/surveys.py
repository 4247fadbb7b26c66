"""Surveys: list, create, open, close, and the counts of their answers."""

from typing import cast

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from ninja import Router, Status

from accounts import site
from accounts.permission import get_permitted
from api.endpoints.drafts import BODY, draft_version, read_draft
from api.endpoints.operation import ListPage, PageNumber, TokenRequest, list_page, operation
from api.models import Scope
from api.schemas import Counts, Saved, SurveyList, SurveyOut, SurveyState
from builder.editing.saving import load_questionnaire
from importing.import_views import create_imported_survey
from surveys import draft_json
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle import opening, record_counts as survey_counts, states, survey_creation as creation
from surveys.models import Survey

router = Router(tags=["Surveys"])


def survey_schema(survey: Survey) -> SurveyOut:
    return SurveyOut(
        id=survey.pk,
        title=survey.title_in(get_language()),
        state=cast("SurveyState", survey.state),
        paused=survey.is_paused,
        rehearsal=survey.is_rehearsal,
        invited=survey.invited,
        languages=list(survey.languages),
        address=site.site_url(survey.address) if survey.design_id else None,
        closes=survey.closes,
        closed_at=survey.closed_at and timezone.localdate(survey.closed_at),
        destroy_on=survey.destroy_on or draft_json.read_retention_date(survey.draft),
    )


@router.get("/surveys", **operation(Scope.READ_SURVEYS, SurveyList))
def surveys(request: TokenRequest, page: PageNumber = 1) -> ListPage:
    """The surveys that you may see, the newest first."""
    return list_page(Survey.objects.visible_to(request.auth.person), page, survey_schema)


@router.post("/surveys", **operation(Scope.WRITE_SURVEYS, Saved, 409, 413, 415, status=201, requestBody=BODY))
def create(request: TokenRequest, response: HttpResponse) -> Status[Saved]:
    """A new survey of yours from a draft. A date of deletion that is over is put off by a year."""
    if not creation.may_create_surveys(request.auth.person):
        raise PermissionDenied
    survey = create_imported_survey(
        request.auth.person, read_questionnaire(read_draft(request)), timezone.now()
    )
    response["Location"] = reverse("v1:survey", args=[survey.pk])
    version = draft_version(load_questionnaire(survey))
    return Status(201, Saved(id=survey.pk, version=version))


@router.get("/surveys/{int:pk}", **operation(Scope.READ_SURVEYS, SurveyOut))
def survey(request: TokenRequest, pk: int) -> SurveyOut:
    """One survey."""
    return survey_schema(get_permitted(Survey.objects, request.auth.person, pk))


@router.get("/surveys/{int:pk}/counts", **operation(Scope.READ_SURVEYS, Counts))
def counts(request: TokenRequest, pk: int) -> Counts:
    """How many answers a survey has, as its page tells it."""
    shown = survey_counts.shown_counts_of_survey(get_permitted(Survey.objects, request.auth.person, pk))
    return Counts(
        sealed=shown.sealed,
        least=shown.least,
        waiting_at_least=shown.waiting_at_least,
        waiting_at_most=shown.waiting_at_most,
        received_at_least=shown.received_at_least,
    )


@router.post("/surveys/{int:pk}/open", url_name="open", **operation(Scope.OPEN, SurveyOut, 409))
def open_survey(request: TokenRequest, pk: int) -> SurveyOut:
    """Open a draft now. What it asks never changes again. 409 names everything that is missing."""
    survey = get_permitted(Survey.objects, request.auth.person, pk, "open")
    opening.open_survey_now(survey, request.auth.person, timezone.now())
    return survey_schema(survey)


@router.post("/surveys/{int:pk}/close", url_name="close", **operation(Scope.OPEN, SurveyOut, 409))
def close_survey(request: TokenRequest, pk: int) -> SurveyOut:
    """Close an open survey: nobody can answer it, and what waits is sealed if it is enough."""
    survey = get_permitted(Survey.objects, request.auth.person, pk, "close")
    states.close_survey(survey, request.auth.person, timezone.now())
    return survey_schema(survey)
