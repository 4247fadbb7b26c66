"""Runs: start one, and its state."""

from typing import cast

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from ninja import Router, Status

from accounts.models import Person
from accounts.permission import guard
from api.bearer import TokenRequest
from api.endpoints.operation import ListPage, PageNumber, listed, operation
from api.models import Scope
from api.schemas import RunIn, RunList, RunOut, RunState
from mining.parameters import Parameters
from reports.models import Review
from runs import starting
from runs.models import Run
from surveys.models import Survey

router = Router(tags=["Runs"])


def run_out(run: Run, person: Person) -> RunOut:
    """The state that this person may see, without progress: it would tell about unpublished numbers."""
    published = Review.objects.filter(run=run.pk, state=Review.State.PUBLISHED).exists()
    return RunOut(
        id=run.pk,
        number=run.number,
        survey=run.survey_id,
        state=cast("RunState", run.shown_to(person).state),
        created=run.created,
        day=run.day,
        report=run.pk if published else None,
    )


@router.get("/surveys/{int:pk}/runs", url_name="runs", **operation(Scope.READ_SURVEYS, RunList))
def runs(request: TokenRequest, pk: int, page: PageNumber = 1) -> ListPage:
    """The runs of a survey, the newest first."""
    person = request.auth.person
    rows = guard(Survey.objects, person, pk).runs.order_by("-pk").defer("findings")
    return listed(rows, page, lambda run: run_out(run, person))


@router.post("/surveys/{int:pk}/runs", **operation(Scope.RUN, RunOut, 400, 409, 413, 415, status=201))
def start(request: TokenRequest, response: HttpResponse, pk: int, parameters: RunIn) -> Status[RunOut]:
    """Start a run over all answers that are sealed now. Its report waits for a reviewer, who publishes it."""
    person = request.auth.person
    survey = guard(Survey.objects, person, pk, "run")
    run = starting.start(survey, person, Parameters(**parameters.dict()), timezone.now())
    response["Location"] = reverse("v1:run", args=[run.pk])
    return Status(201, run_out(run, person))


@router.get("/runs/{int:pk}", **operation(Scope.READ_SURVEYS, RunOut))
def run(request: TokenRequest, pk: int) -> RunOut:
    """One run."""
    return run_out(guard(Run.objects, request.auth.person, pk), request.auth.person)
