"""Endpoints about respondents: rehearsals with simulated people, and invitations, which are made and counted
but never listed."""

from typing import cast

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from ninja import Router, Status

from accounts.permission import get_permitted
from api.endpoints.operation_base import JSON, TokenRequest, existing_surveys, operation_options
from api.models import Scope
from api.schemas import InvitationCounts, InvitationsIn, InvitationsMade, RehearsalOut, RunState
from intake.invitations.researcher_views import create_invitation_links
from intake.rehearsal import respondent_simulation, true_counts
from surveys.lifecycle import survey_creation
from surveys.models import Survey

router = Router()
REHEARSALS: list[str] = ["Rehearsals"]
INVITATIONS: list[str] = ["Invitations"]


def _rehearsal_schema(survey: Survey) -> RehearsalOut:
    job, people = respondent_simulation.latest_simulation(survey), true_counts.respondent_count(survey)
    return RehearsalOut(
        survey=survey.pk,
        state=cast("RunState", job.state) if job else None,
        people=people,
        until=job.until if job else people,
        run=survey.runs.order_by("-pk").values_list("pk", flat=True).first(),
    )


@router.post(
    "/surveys/{int:pk}/rehearsals",
    tags=REHEARSALS,
    url_name="rehearsals",
    **operation_options(Scope.RUN, RehearsalOut, 409, status=201),
)
def start_rehearsal(request: TokenRequest, response: HttpResponse, pk: int) -> Status[RehearsalOut]:
    """Copy a survey as a rehearsal, open it, let simulated people answer, and start a first run. A draft that is a
    rehearsal is opened itself."""
    person = request.auth.person
    survey = get_permitted(existing_surveys(), person, pk)
    if not survey_creation.may_create_surveys(person):
        raise PermissionDenied
    rehearsal = respondent_simulation.start_rehearsal(survey, person, timezone.now())
    response["Location"] = reverse("v1:rehearsal", args=[rehearsal.pk])
    return Status(201, _rehearsal_schema(rehearsal))


@router.get(
    "/surveys/{int:pk}/rehearsal",
    tags=REHEARSALS,
    url_name="rehearsal",
    **operation_options(Scope.READ_SURVEYS, RehearsalOut),
)
def read_rehearsal(request: TokenRequest, pk: int) -> RehearsalOut:
    """How many simulated people of a rehearsal have answered, and the newest run over their answers."""
    survey = get_permitted(existing_surveys(), request.auth.person, pk, "run")
    if not survey.is_rehearsal:
        raise Http404
    return _rehearsal_schema(survey)


@router.post(
    "/surveys/{int:pk}/invitations",
    tags=INVITATIONS,
    url_name="invitations",
    **operation_options(
        Scope.INVITE, InvitationsMade, 409, status=201, body_media_type=JSON, shown_once=["links"]
    ),
)
def make_invitations(request: TokenRequest, pk: int, wanted: InvitationsIn) -> Status[InvitationsMade]:
    """Make invitation links, each for one answer, in no order and tied to nobody. They are shown once; only hashes are
    stored: of unused links, of used ones until the next sealing, and then as digests for restores."""
    survey = get_permitted(existing_surveys(), request.auth.person, pk, "invite")
    links = create_invitation_links(survey, request.auth.person, wanted.n, timezone.now())
    return Status(201, InvitationsMade(made=wanted.n, links=links))


@router.get(
    "/surveys/{int:pk}/invitations",
    tags=INVITATIONS,
    **operation_options(Scope.READ_SURVEYS, InvitationCounts),
)
def count_invitations(request: TokenRequest, pk: int) -> InvitationCounts:
    """How many invitation links were made, and how many sent by email. The links themselves are not listed."""
    survey = get_permitted(existing_surveys(), request.auth.person, pk, "invite")
    return InvitationCounts(made=survey.invitations_made or 0, sent=survey.invitations_sent or 0)
